#if canImport(Combine)
public import Combine
#endif
import Foundation
public import IAPKit

/// A button that restores purchases, wherever it stands: a settings screen needs no list of
/// products.
@MainActor
public final class RestoreModel {
  /// What the button shows now.
  public private(set) var state: RestoreState {
    willSet { announce(newValue) }
  }

  private let manager: IAPManager
  private let feed = StateFeed<RestoreState>()

  /// Makes a model; nothing is restored before the user's tap.
  ///
  /// - Parameters:
  ///   - manager: The client.
  ///   - language: The language of texts; nil for the user's.
  public init(manager: IAPManager, language: IAPError.Language? = nil) {
    self.manager = manager
    state = RestoreState(language: language ?? .best(of: Locale.preferredLanguages))
  }

  /// What the button shows, now and after each change.
  public var states: AsyncStream<RestoreState> { feed.stream(from: state) }

  /// Restores; a second tap meanwhile does nothing.
  public func restore() async {
    guard !state.isRestoring else { return }
    state.isRestoring = true
    state.message = nil
    let summary = await manager.restoreSummary()
    state.message = PaywallMessage(summary, language: state.language)
    state.isRestoring = false
  }

  /// Takes the message away: the user has read it.
  public func dismissMessage() { state.message = nil }

  private func announce(_ state: RestoreState) {
    #if canImport(Combine)
    objectWillChange.send()
    #endif
    feed.send(state)
  }
}

/// What a button that restores purchases shows.
public struct RestoreState: Hashable, Sendable {
  /// Whether a restore is under way.
  public var isRestoring = false
  /// How the last one ended; nil for nothing to say.
  public var message: PaywallMessage?
  /// The language of all words.
  public var language: IAPError.Language

  /// Makes the state of a button that was not tapped.
  public init(language: IAPError.Language) { self.language = language }

  /// What is written on the button.
  public var title: String { Self.title(isRestoring: isRestoring, language) }

  /// The message in words.
  public var messageText: String? { message?.text(language) }

  static func title(isRestoring: Bool, _ language: IAPError.Language) -> String {
    isRestoring
      ? Words("Restoring…", zh: "正在恢复…")(language)
      : Words("Restore Purchases", zh: "恢复购买")(language)
  }
}

#if canImport(Combine)
extension RestoreModel: ObservableObject {}
#endif

#if canImport(Combine)
public import Combine
#endif
public import IAPKit

/// Whether the user may use one feature, for as long as a screen wants to know.
///
/// A store or a server that does not answer is "unknown", never "no": a view that takes something
/// away waits for a real no.
@MainActor
public final class AccessModel {
  /// The answer as it is known now.
  public private(set) var state: Access {
    willSet {
      #if canImport(Combine)
      objectWillChange.send()
      #endif
      feed.send(newValue)
    }
  }

  private let feed = StateFeed<Access>()
  private var following: Task<Void, Never>?

  /// Makes a model and lets it follow the manager.
  ///
  /// - Parameters:
  ///   - manager: The client.
  ///   - entitlement: The entitlement's name; the product's id, unless the configuration maps
  ///     products to entitlements.
  public init(manager: IAPManager, entitlement: String) {
    state = manager.entitlements.access(to: entitlement)
    let answers = manager.entitlements.accessStream(to: entitlement)
    following = Task { [weak self] in
      for await answer in answers { self?.take(answer) }
    }
  }

  deinit { following?.cancel() }

  /// The answer, now and after each change.
  public var states: AsyncStream<Access> { feed.stream(from: state) }

  private func take(_ answer: Access) {
    if answer != state { state = answer }
  }
}

#if canImport(Combine)
extension AccessModel: ObservableObject {}
#endif

public import Foundation

// Purchases outside of the App Store need an entitlement of the app and a storefront that allows
// them. Apps of a simulated device have no such entitlement, so every question is answered as it
// is for an ordinary app: not possible, nothing there, not entitled.

public enum ExternalPurchase: Sendable {
  public enum NoticeResult: Hashable, Sendable {
    case cancelled
    case continuedWithExternalPurchaseToken(token: String)
  }

  public static var canPresent: Bool {
    get async { await StoreHostBinding.required().isEntitledToLeaveTheAppStore }
  }

  public static func presentNoticeSheet() async throws -> ExternalPurchase.NoticeResult {
    try await StoreHostBinding.required().refuseToLeaveTheAppStore()
  }
}

public enum ExternalPurchaseLink: Sendable {
  public static var canOpen: Bool {
    get async { await StoreHostBinding.required().isEntitledToLeaveTheAppStore }
  }

  /// Nil: an app that may not open links has none.
  public static var eligibleURLs: [URL]? {
    get async {
      let host = StoreHostBinding.required()
      await host.passWhileAlive()
      return nil
    }
  }

  public static func open() async throws {
    try await StoreHostBinding.required().refuseToLeaveTheAppStore()
  }

  public static func open(url: URL) async throws {
    try await StoreHostBinding.required().refuseToLeaveTheAppStore()
  }
}

public enum ExternalPurchaseCustomLink: Sendable {
  public enum NoticeResult: Hashable, Sendable {
    case cancelled
    case continued
  }

  public enum NoticeType: Int, Hashable, Sendable {
    case withinApp = 0
    case browser = 1
  }

  public struct Token: Hashable, Sendable {
    public let value: String

    package init(value: String) {
      self.value = value
    }
  }

  public static var isEligible: Bool {
    get async { await StoreHostBinding.required().isEntitledToLeaveTheAppStore }
  }

  public static func showNotice(
    type: ExternalPurchaseCustomLink.NoticeType
  ) async throws -> ExternalPurchaseCustomLink.NoticeResult {
    try await StoreHostBinding.required().refuseToLeaveTheAppStore()
  }

  /// Nil: there are tokens for eligible apps only.
  public static func token(
    for tokenType: String
  ) async throws -> ExternalPurchaseCustomLink.Token? {
    let host = StoreHostBinding.required()
    await host.passWhileAlive()
    return nil
  }
}

public enum ExternalLinkAccount: Sendable {
  public static var canOpen: Bool {
    get async { await StoreHostBinding.required().isEntitledToLeaveTheAppStore }
  }

  public static func open() async throws {
    try await StoreHostBinding.required().refuseToLeaveTheAppStore()
  }
}

extension StoreHost {
  fileprivate var isEntitledToLeaveTheAppStore: Bool {
    get async {
      await passWhileAlive()
      return false
    }
  }

  fileprivate func refuseToLeaveTheAppStore() async throws -> Never {
    await passWhileAlive()
    throw StoreKitError.notEntitled
  }
}

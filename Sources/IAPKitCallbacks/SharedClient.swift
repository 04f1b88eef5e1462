public import Foundation
public import IAPKit

/// The one place in which the shared instances of the legacy spellings are put together.
///
/// Say once, at the very start of the app, how it sells: ``configure(_:)``. Until then
/// `IAPManager.shared` sells nothing and every call of it fails with an error that says so.
#if canImport(ObjectiveC)
@objcMembers
#endif
public final class SharedClient: NSObject {
  private struct State {
    var requests: IAPRequests?
    var unconfigured: IAPRequests?
  }

  private static let state = Locked(State())

  /// Makes the shared client, which begins to work at once; the first call counts.
  ///
  /// - Parameter configuration: How the app sells.
  /// - Returns: Whether this call made it; false when there was one before.
  @discardableResult
  public static func configure(_ configuration: IAPConfiguration) -> Bool {
    // Made inside the lock: two managers over one journal must not exist for a moment.
    state.withLock { state in
      guard state.requests == nil else { return false }
      state.requests = IAPRequests(manager: IAPManager(configuration: configuration))
      return true
    }
  }

  /// Makes the shared client from Objective-C.
  ///
  /// - Parameters:
  ///   - productIdentifiers: The ids of the products.
  ///   - verifyURL: The address that judges purchases; nil lets the device's own verdict accept.
  ///   - deliver: Hands over the goods of a transaction, or takes them back when it was revoked,
  ///     and answers whether that is durable. It may be called again with the same key, off the
  ///     main thread: effects must be exactly once for each key.
  /// - Returns: Whether this call made it; false when there was one before.
  @discardableResult
  public static func configure(
    productIdentifiers: [String],
    verifyURL: URL?,
    deliver: @escaping @Sendable (TransactionItem, String) -> Bool
  ) -> Bool {
    configure(
      IAPConfiguration(
        productIds: productIdentifiers,
        validator: verifyURL.map { ServerReceiptValidator(endpoint: $0) },
        delivery: { delivery in
          let item = TransactionItem(delivery.transaction)
          return deliver(item, delivery.idempotencyKey) ? .delivered : .retryLater
        }
      )
    )
  }

  /// The shared client by delegates and blocks.
  public static var requests: IAPRequests {
    state.withLock { state in
      if let requests = state.requests { return requests }
      if let requests = state.unconfigured { return requests }
      let requests = IAPRequests(manager: UnconfiguredStore.makeManager())
      state.unconfigured = requests
      return requests
    }
  }

  /// Whether ``configure(_:)`` was called.
  public static var isConfigured: Bool { state.withLock { $0.requests != nil } }

  /// Takes a client that was made elsewhere, or none: for tests.
  package static func use(_ manager: IAPManager?) {
    state.withLock { $0 = State(requests: manager.map { IAPRequests(manager: $0) }) }
  }
}

extension IAPManager {
  /// The shared client, made by ``SharedClient/configure(_:)``.
  ///
  /// Before that it is one that sells nothing: every call of it fails with an error that says so.
  public static var shared: IAPManager { SharedClient.requests.manager }
}

extension TransactionStore {
  /// The records of the shared client.
  public static var shared: TransactionStore { IAPManager.shared.store }
}

extension EntitlementManager {
  /// What the user may use, as the shared client knows it.
  public static var shared: EntitlementManager { IAPManager.shared.entitlements }
}

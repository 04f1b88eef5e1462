public import Foundation
public import IAPModel

/// What a device hears from the store without asking.
public enum StoreEvent: Hashable, Sendable {
  /// A transaction is new to the device, or has changed.
  case transaction(StoreTransactionRecord, TransactionCause)
  /// Another device of the account finished a transaction.
  case finished(TransactionID)
  /// A subscription's state, product or auto-renewal changed.
  case subscriptionChanged(OriginalTransactionID, SubscriptionGroupID)
  /// A parent declined; StoreKit 2 and production say nothing about it.
  case declined(PendingID)
  /// The account moved to another country.
  case storefrontChanged(Storefront)
}

/// Why a device hears of a transaction.
public enum TransactionCause: Hashable, Sendable {
  /// Bought on another device of the account.
  case purchasedElsewhere
  /// Renewed by the store.
  case renewed
  /// A parent approved a purchase.
  case approved(PendingID)
  /// The customer settled what had interrupted a purchase.
  case resumed
  /// A higher level took its place.
  case upgraded
  /// Taken back.
  case refunded
  /// Given back.
  case refundReversed
}

/// Told about every event of a device, in order, outside of the store's lock.
public typealias StoreObserver = @Sendable (StoreEvent) -> Void

/// Ends an observation.
public struct StoreObservation: Hashable, Sendable {
  let device: DeviceID
  let number: Int
}

/// Posts a notification to the app's server: the URL, the JSON body; says what came of it.
public typealias NotificationSender =
  @Sendable (_ url: URL, _ body: [UInt8]) async -> NotificationReply

/// Posts a notification to the app's server: the URL, the JSON body; answers with the HTTP status,
/// nil when there was no answer.
public typealias NotificationTransport =
  @Sendable (_ url: URL, _ body: [UInt8]) async -> Int?

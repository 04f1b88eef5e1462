package import Foundation
package import IAPModel

/// What can happen to a transaction.
package enum DeliveryEvent: Sendable {
  /// It arrived, by any way, perhaps again.
  case arrived(StoreTransaction, order: OrderNumber?)
  /// Somebody judged it.
  case verdict(DeliveryVerdict)
  /// The handler or the listener answered.
  case answered(DeliveryAnswer, DueEffect)
  /// The app has the goods by another way: it said so, or it is the caller of the purchase.
  case acknowledged
  /// StoreKit answered to a finish.
  case storeAnswered(StoreFinishAnswer)
  /// It is time to go on: a timer (nil) or a trigger.
  case due(RetryTrigger?)
  /// A person decided that what was set aside shall be looked at again.
  case released
  /// The server's review queue has it.
  case reported
  /// The server knows that the goods were handed over.
  case serverTold
}

/// What a judge said.
package enum DeliveryVerdict: Sendable {
  /// Nil when there is no validator and the device's own verdict counts.
  case accepted(ReceiptValidationResult?)
  case rejected(ReceiptValidationResult)
  /// Nobody could tell; the reason is for diagnostics and names no secrets.
  case unknown(reason: String)
  /// The receipt is genuine but older than the transaction: a kind of unknown.
  case staleReceipt
}

/// What is to be done.
///
/// Actions are performed in order; when a save fails the rest is dropped.
package enum DeliveryAction: Sendable {
  /// Make the record, as it is now, durable.
  case save
  /// Ask the validator.
  case validate
  /// Ask StoreKit for the transaction again: its signature may hold by now.
  case reverify
  /// Call the handler or the listener.
  case deliver(DueEffect)
  /// Tell the server that the goods were handed over.
  case acknowledge
  /// Tell StoreKit.
  case finish
  /// Send ``DeliveryEvent/due(_:)`` at this time.
  case retry(at: Date)
  /// Put it into the server's review queue.
  case report
  /// Tell the listeners of events.
  case emit(DeliveryNote)
}

/// An event to tell, before the record is put to it.
package enum DeliveryNote: Sendable {
  case saved, held, quarantined, finished
  case accepted(ReceiptValidationResult?)
  case rejected(ReceiptValidationResult)
  case ready(Delivery.Kind)
}

/// What a decision depends on besides record and event.
package struct DeliveryContext {
  package var now: Date
  /// From 0 up to, not including, 1.
  package var random: Double
  package var launch: Int
  package var installation: InstallationID?
  package var retry: RetryPolicy
  package var quarantine: QuarantinePolicy
  /// Whether goods may be handed over now; not before the app's login, for example.
  package var isDeliveryOpen: Bool
  /// Whether there is a validator.
  package var hasJudge: Bool
  /// Whether somebody takes goods: a handler or a listener.
  package var hasTaker: Bool
  /// Whether the caller of the purchase (or restore) waits for this transaction.
  package var hasCaller: Bool
  /// Whether an effect of this name took place, through any record.
  package var isKnown: (String) -> Bool

  package init(
    now: Date,
    random: Double = 0,
    launch: Int = 1,
    installation: InstallationID? = nil,
    retry: RetryPolicy = RetryPolicy(),
    quarantine: QuarantinePolicy = QuarantinePolicy(),
    isDeliveryOpen: Bool = true,
    hasJudge: Bool = false,
    hasTaker: Bool = true,
    hasCaller: Bool = false,
    isKnown: @escaping (String) -> Bool
  ) {
    self.now = now
    self.random = random
    self.launch = launch
    self.installation = installation
    self.retry = retry
    self.quarantine = quarantine
    self.isDeliveryOpen = isDeliveryOpen
    self.hasJudge = hasJudge
    self.hasTaker = hasTaker
    self.hasCaller = hasCaller
    self.isKnown = isKnown
  }
}

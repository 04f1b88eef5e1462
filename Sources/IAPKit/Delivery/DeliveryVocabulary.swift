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
  /// Whether the user whose purchase it is uses the app now.
  package var isOwnerPresent: Bool
  /// Whether there is a validator.
  package var hasJudge: Bool
  /// Whether somebody takes goods: a handler or a listener.
  package var hasTaker: Bool
  /// Whether the caller of the purchase (or restore) waits for this transaction.
  package var hasCaller: Bool
  /// Whether an effect of this name took place, through any record.
  package var isKnown: (String) -> Bool
  /// The name by which a copy of the same goods is being handed over, if there is one.
  package var nameOfCopies: (TransactionRecord) -> UnitID?

  package init(
    now: Date,
    random: Double = 0,
    launch: Int = 1,
    installation: InstallationID? = nil,
    retry: RetryPolicy = RetryPolicy(),
    quarantine: QuarantinePolicy = QuarantinePolicy(),
    isDeliveryOpen: Bool = true,
    isOwnerPresent: Bool = true,
    hasJudge: Bool = false,
    hasTaker: Bool = true,
    hasCaller: Bool = false,
    isKnown: @escaping (String) -> Bool,
    nameOfCopies: @escaping (TransactionRecord) -> UnitID? = { _ in nil }
  ) {
    self.now = now
    self.random = random
    self.launch = launch
    self.installation = installation
    self.retry = retry
    self.quarantine = quarantine
    self.isDeliveryOpen = isDeliveryOpen
    self.isOwnerPresent = isOwnerPresent
    self.hasJudge = hasJudge
    self.hasTaker = hasTaker
    self.hasCaller = hasCaller
    self.isKnown = isKnown
    self.nameOfCopies = nameOfCopies
  }
}

/// One action of a machine that is about to be performed: the places between which a process can
/// die.
package struct DeliveryStep: Hashable, Sendable {
  package var id: TransactionID
  /// The durable state when the event came; nil before the first arrival.
  package var state: RecordState?
  package var event: String
  package var index: Int
  package var action: String

  package init(
    id: TransactionID,
    state: RecordState?,
    event: DeliveryEvent,
    index: Int,
    action: DeliveryAction
  ) {
    self.id = id
    self.state = state
    self.event = event.name
    self.index = index
    self.action = action.name
  }

  /// The step without the transaction.
  package var name: String { "\(state?.rawValue ?? "new")/\(event)/\(index):\(action)" }
}

extension DeliveryEvent {
  /// A stable word for the event.
  package var name: String {
    switch self {
    case .arrived: "arrived"
    case .verdict(.accepted): "accepted"
    case .verdict(.rejected): "rejected"
    case .verdict(.unknown): "unknown"
    case .verdict(.staleReceipt): "staleReceipt"
    case .answered(.delivered, _): "delivered"
    case .answered(.retryLater, _): "retryLater"
    case .answered(.refuse, _): "refused"
    case .acknowledged: "acknowledged"
    case .storeAnswered(.finished): "finished"
    case .storeAnswered(.notAnnounced): "notAnnounced"
    case .due(let trigger): "due" + (trigger.map { ".\($0.rawValue)" } ?? "")
    case .released: "released"
    case .reported: "reported"
    case .serverTold: "serverTold"
    }
  }
}

extension DeliveryAction {
  /// A stable word for the action.
  package var name: String {
    switch self {
    case .save: "save"
    case .validate: "validate"
    case .reverify: "reverify"
    case .deliver(let due): "deliver.\(due.kind.rawValue)"
    case .acknowledge: "acknowledge"
    case .finish: "finish"
    case .retry: "retry"
    case .report: "report"
    case .emit(.saved): "tell.saved"
    case .emit(.held): "tell.held"
    case .emit(.quarantined): "tell.quarantined"
    case .emit(.finished): "tell.finished"
    case .emit(.accepted): "tell.accepted"
    case .emit(.rejected): "tell.rejected"
    case .emit(.ready(let kind)): "tell.ready.\(kind.rawValue)"
    }
  }
}

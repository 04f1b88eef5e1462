import Foundation
import IAPModel

/// One decision about a transaction with everything that it depended on, so that it can be made
/// again on another machine.
///
/// It holds no receipts, no signed texts and no tokens; only whether there were any.
package struct TracedStep: Hashable, Sendable, Codable {
  /// The record before, at the first step of a transaction that a process writes down.
  package var before: TransactionRecord?
  /// What happened; nil when the step before could not be saved and so did not happen.
  package var event: TracedEvent?
  var random: Double
  var isDeliveryOpen: Bool
  var hasJudge: Bool
  var hasTaker: Bool
  var hasCaller: Bool
  var isOwnerPresent: Bool
  var installation: InstallationID?
  /// The effects that were asked about and had taken place.
  var known: [String]
  /// The name by which a copy of the same goods was being handed over.
  var nameOfCopies: UnitID?

  /// Writes a step down.
  init(before: TransactionRecord?, event: DeliveryEvent?, context: DeliveryContext) {
    self.before = before?.outlined
    self.event = event.map { TracedEvent($0) }
    random = context.random
    isDeliveryOpen = context.isDeliveryOpen
    hasJudge = context.hasJudge
    hasTaker = context.hasTaker
    hasCaller = context.hasCaller
    isOwnerPresent = context.isOwnerPresent
    installation = context.installation
    known = []
    guard let event else { return }
    // Deciding is pure: doing it once more shows what was asked for.
    let asked = Locked<Set<String>>([])
    let named = Locked<UnitID?>(nil)
    var asking = context
    asking.isKnown = { key in
      let isKnown = context.isKnown(key)
      if isKnown { asked.withLock { _ = $0.insert(key) } }
      return isKnown
    }
    asking.nameOfCopies = { record in
      let name = context.nameOfCopies(record)
      named.withLock { $0 = name }
      return name
    }
    _ = DeliveryReducer.reduce(before, event, asking)
    known = asked.withLock { $0.sorted() }
    nameOfCopies = named.withLock { $0 }
  }

  /// What the decision depended on.
  func context(at now: Date, launch: Int, policies: TracedPolicies) -> DeliveryContext {
    let (effects, name) = (Set(known), nameOfCopies)
    return DeliveryContext(
      now: now,
      random: random,
      launch: launch,
      installation: installation,
      retry: policies.retry,
      quarantine: policies.quarantine,
      isDeliveryOpen: isDeliveryOpen,
      isOwnerPresent: isOwnerPresent,
      hasJudge: hasJudge,
      hasTaker: hasTaker,
      hasCaller: hasCaller,
      isKnown: { effects.contains($0) },
      nameOfCopies: { _ in name }
    )
  }
}

/// ``DeliveryEvent`` in a form that can be written down.
package enum TracedEvent: Hashable, Sendable, Codable {
  case arrived(StoreTransaction, OrderNumber?)
  case accepted(TracedVerdict?)
  case rejected(TracedVerdict)
  case unknown(String)
  case staleReceipt
  case delivered(Delivery.Kind, key: String)
  case retryLater(Delivery.Kind, key: String)
  case refused(String, Delivery.Kind, key: String)
  case acknowledged
  case finished
  case notAnnounced
  case due(String?)
  case released
  case reported
  case serverTold

  init(_ event: DeliveryEvent) {
    switch event {
    case .arrived(let transaction, let order): self = .arrived(transaction.outlined, order)
    case .verdict(.accepted(let result)): self = .accepted(result.map { TracedVerdict($0) })
    case .verdict(.rejected(let result)): self = .rejected(TracedVerdict(result))
    case .verdict(.unknown(let reason)): self = .unknown(reason)
    case .verdict(.staleReceipt): self = .staleReceipt
    case .answered(.delivered, let due): self = .delivered(due.kind, key: due.key)
    case .answered(.retryLater, let due): self = .retryLater(due.kind, key: due.key)
    // The app's words may name anybody.
    case .answered(.refuse, let due): self = .refused("refused by the app", due.kind, key: due.key)
    case .acknowledged: self = .acknowledged
    case .storeAnswered(.finished): self = .finished
    case .storeAnswered(.notAnnounced): self = .notAnnounced
    case .due(let trigger): self = .due(trigger?.rawValue)
    case .released: self = .released
    case .reported: self = .reported
    case .serverTold: self = .serverTold
    }
  }

  /// The event again.
  package var event: DeliveryEvent {
    switch self {
    case .arrived(let transaction, let order): .arrived(transaction, order: order)
    case .accepted(let verdict): .verdict(.accepted(verdict?.result(isValid: true)))
    case .rejected(let verdict): .verdict(.rejected(verdict.result(isValid: false)))
    case .unknown(let reason): .verdict(.unknown(reason: reason))
    case .staleReceipt: .verdict(.staleReceipt)
    case .delivered(let kind, let key): .answered(.delivered, DueEffect(kind: kind, key: key))
    case .retryLater(let kind, let key): .answered(.retryLater, DueEffect(kind: kind, key: key))
    case .refused(let reason, let kind, let key):
      .answered(.refuse(reason: reason), DueEffect(kind: kind, key: key))
    case .acknowledged: .acknowledged
    case .finished: .storeAnswered(.finished)
    case .notAnnounced: .storeAnswered(.notAnnounced)
    case .due(let trigger): .due(trigger.flatMap { RetryTrigger(rawValue: $0) })
    case .released: .released
    case .reported: .reported
    case .serverTold: .serverTold
    }
  }

  /// The word of the event, and what matters of it beside its transaction.
  var words: (name: String, details: [String: String]) {
    switch self {
    case .arrived(let transaction, _):
      ("arrived", ["source": transaction.source.rawValue])
    case .accepted: ("accepted", [:])
    case .rejected(let verdict): ("rejected", ["rules": verdict.rules.joined(separator: " ")])
    case .unknown(let reason): ("unanswered", ["reason": reason])
    case .staleReceipt: ("staleReceipt", [:])
    case .delivered(let kind, let key): ("delivered", ["kind": kind.rawValue, "key": key])
    case .retryLater(let kind, let key): ("postponed", ["kind": kind.rawValue, "key": key])
    case .refused(_, let kind, let key): ("refused", ["kind": kind.rawValue, "key": key])
    case .acknowledged: ("acknowledged", [:])
    case .finished: ("finished", [:])
    case .notAnnounced: ("notAnnounced", [:])
    case .due(let trigger): ("due", trigger.map { ["trigger": $0] } ?? [:])
    case .released: ("released", [:])
    case .reported: ("reported", [:])
    case .serverTold: ("serverTold", [:])
    }
  }
}

/// What a verdict says to the machine; its words, entitlements and tokens stay away.
package struct TracedVerdict: Hashable, Sendable, Codable {
  var productID: ProductID?
  var expiresDate: Date?
  var revocationDate: Date?
  var unit: UnitID?
  var claimedBy: InstallationID?
  var isAcknowledged: Bool?
  var belongsToAnother: Bool?
  var rules: [String]

  init(_ result: ReceiptValidationResult) {
    productID = result.productId.map { ProductID($0) }
    expiresDate = result.expiresDate
    revocationDate = result.revocationDate
    unit = result.unit.map { UnitID($0) }
    claimedBy = result.claimedBy.map { InstallationID($0) }
    isAcknowledged = result.isAcknowledged
    belongsToAnother = result.belongsToAnother
    rules = result.reasons.map(\.rule)
  }

  func result(isValid: Bool) -> ReceiptValidationResult {
    var result = ReceiptValidationResult(
      isValid: isValid,
      productId: productID?.rawValue,
      expiresDate: expiresDate,
      unit: unit?.rawValue,
      claimedBy: claimedBy?.rawValue,
      reasons: rules.map { RejectionReason(rule: $0, reason: "") }
    )
    result.revocationDate = revocationDate
    result.isAcknowledged = isAcknowledged
    result.belongsToAnother = belongsToAnother
    return result
  }
}

/// The policies that decisions depended on.
package struct TracedPolicies: Hashable, Sendable, Codable {
  var firstDelay: TimeInterval
  var longestDelay: TimeInterval
  var factor: Double
  var jitter: Double
  var rejectionsBorne: Int
  var countsEveryFailure: Bool
  var unansweredLaunches: Int
  var unansweredSeconds: TimeInterval

  init(_ configuration: IAPConfiguration) {
    let (retry, quarantine) = (configuration.retry, configuration.quarantine)
    firstDelay = retry.firstDelay
    longestDelay = retry.longestDelay
    factor = retry.factor
    jitter = retry.jitter
    rejectionsBorne = quarantine.rejectionsBorne
    countsEveryFailure = quarantine.countsEveryFailure
    unansweredLaunches = quarantine.unansweredLaunches
    unansweredSeconds = quarantine.unansweredSeconds
  }

  var retry: RetryPolicy {
    RetryPolicy(
      firstDelay: firstDelay,
      longestDelay: longestDelay,
      factor: factor,
      jitter: jitter
    )
  }

  var quarantine: QuarantinePolicy {
    QuarantinePolicy(
      rejectionsBorne: rejectionsBorne,
      countsEveryFailure: countsEveryFailure,
      unansweredLaunches: unansweredLaunches,
      unansweredSeconds: unansweredSeconds
    )
  }
}

extension StoreTransaction {
  /// The transaction without proof, token and user name: only whether there was a proof.
  var outlined: StoreTransaction {
    var outline = self
    switch proof {
    case .jws(let text): outline.proof = .jws(text.isEmpty ? "" : "-")
    case .receipt(let bytes): outline.proof = .receipt(bytes.map { $0.isEmpty ? [] : [0] })
    }
    outline.appAccountToken = nil
    outline.applicationUsername = nil
    return outline
  }
}

extension TransactionRecord {
  /// The record without proof, token and user name, and without the app's own words.
  var outlined: TransactionRecord {
    var outline = self
    outline.transaction = transaction.outlined
    outline.recipient = nil
    if state == .refused { outline.lastError = "refused by the app" }
    return outline
  }
}

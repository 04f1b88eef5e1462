import Foundation
import IAPKit
import IAPModel

/// Every cell of the delivery machine that a simulated app can reach, and every action before which
/// it can die: found by trying the pure machine out with everything that the store, the server, the
/// app's handler and a death can do to one transaction.
package struct MachineMap {
  /// A state and an event that it met, as `accepted/due.launch`.
  package private(set) var cells: Set<String> = []
  /// The actions that are performed then, as `accepted/due.launch/0:deliver.grant`.
  package private(set) var steps: Set<String> = []

  /// What an action makes happen next, before anything that waits.
  private enum Reply: Hashable {
    case verdict
    case answer(DueEffect)
    case storeAnswer
    case serverTold
    case signatureAgain
  }

  private struct Node: Hashable {
    var record: TransactionRecord?
    var replies: [Reply] = []
    var circumstance = Circumstance()
  }

  /// What a decision depends on besides record and event.
  private struct Circumstance: Hashable {
    var isLate = false
    var isOwnerPresent = true
    var isGrantKnown = false

    static let all: [Circumstance] = [
      Circumstance(), Circumstance(isLate: true), Circumstance(isOwnerPresent: false),
      Circumstance(isGrantKnown: true),
    ]
  }

  private static let start = Date(timeIntervalSince1970: 1_700_000_000)
  /// Longer than any wait and any lease.
  private static let lateSeconds: TimeInterval = 100 * 24 * 3600
  private static let launchLate = 10

  private let transaction: StoreTransaction
  private var nodes: [Node] = []
  private var seen: Set<Node> = []

  /// Walks the machine of all kinds of goods.
  package static func all() -> MachineMap {
    // Goods that are used up, and may be signed; goods that last, and never are.
    var all = MachineMap(.consumable, .storekit2)
    let lasting = MachineMap(.nonConsumable, .storekit1)
    all.cells.formUnion(lasting.cells)
    all.steps.formUnion(lasting.steps)
    for other in RetryTrigger.allCases where other != .launch && other != triggerForAll {
      all.addNames(of: other)
    }
    return all
  }

  /// The trigger that stands for all but a launch: the machine takes them alike.
  private static let triggerForAll = RetryTrigger.foreground

  private mutating func addNames(of trigger: RetryTrigger) {
    let (known, new) = ("/due.\(Self.triggerForAll.rawValue)", "/due.\(trigger.rawValue)")
    func renamed(_ names: Set<String>) -> [String] {
      names.filter { $0.contains(known) }.map { $0.replacingOccurrences(of: known, with: new) }
    }
    cells.formUnion(renamed(cells))
    steps.formUnion(renamed(steps))
  }

  private init(_ type: ProductType, _ generation: StoreGeneration) {
    var transaction = StoreTransaction(
      transactionID: "1",
      originalTransactionID: "1",
      productID: "goods",
      purchaseDate: Self.start,
      proof: generation == .storekit1 ? .receipt([1]) : .jws("text"),
      verification: generation == .storekit1 ? .unchecked : .verified,
      source: .purchase,
      generation: generation
    )
    transaction.type = type
    transaction.signedDate = generation == .storekit1 ? nil : Self.start
    self.transaction = transaction
    visit(Node())
    while let node = nodes.popLast() { live(node) }
  }

  private mutating func visit(_ node: Node) {
    var node = node
    node.record?.forgetNumbers(from: Self.start)
    if seen.insert(node).inserted { nodes.append(node) }
  }

  private mutating func live(_ node: Node) {
    var rest = node
    guard !rest.replies.isEmpty else {
      for circumstance in Circumstance.all {
        for event in events(node.record) { step(Node(record: node.record), event, circumstance) }
      }
      return
    }
    let reply = rest.replies.removeFirst()
    for event in events(reply) { step(rest, event, node.circumstance) }
  }

  private mutating func step(
    _ node: Node,
    _ event: DeliveryEvent,
    _ circumstance: Circumstance
  ) {
    let known = Set(node.record?.acknowledged ?? [])
    let isLate = circumstance.isLate
    let context = DeliveryContext(
      now: isLate ? Self.start + Self.lateSeconds : Self.start,
      launch: isLate ? Self.launchLate : 1,
      quarantine: QuarantinePolicy(rejectionsBorne: 1),
      isOwnerPresent: circumstance.isOwnerPresent,
      hasJudge: true,
      isKnown: { effect in
        known.contains(effect) || circumstance.isGrantKnown && effect.hasPrefix("grant:")
      }
    )
    guard let next = DeliveryReducer.reduce(node.record, event, context) else { return }
    var node = node
    node.circumstance = circumstance
    let state = node.record?.state
    cells.insert("\(state?.rawValue ?? "new")/\(event.name)")
    for (index, action) in next.actions.enumerated() {
      let place = DeliveryStep(
        id: transaction.transactionID,
        state: state,
        event: event,
        index: index,
        action: action
      )
      steps.insert(place.name)
      switch action {
      case .save:
        node.record = next.record
        // Whatever waits here dies with the process.
        visit(Node(record: node.record))
      case .validate: node.replies.insert(.verdict, at: 0)
      case .deliver(let due): node.replies.insert(.answer(due), at: 0)
      case .finish: node.replies.insert(.storeAnswer, at: 0)
      case .acknowledge: node.replies.insert(.serverTold, at: 0)
      case .reverify: node.replies.insert(.signatureAgain, at: 0)
      case .retry, .report, .emit: break
      }
    }
    visit(node)
  }
}

// MARK: What happens

extension MachineMap {
  /// What may come from outside at any time.
  private func events(_ record: TransactionRecord?) -> [DeliveryEvent] {
    var events = arrivals.map { DeliveryEvent.arrived($0, order: nil) }
    guard let record else { return events }
    events += [nil, .launch, Self.triggerForAll].map { .due($0) }
    if record.quarantine != nil || record.state == .refused { events += [.reported, .released] }
    events.append(.acknowledged)
    return events
  }

  private func events(_ reply: Reply) -> [DeliveryEvent] {
    switch reply {
    case .verdict: verdicts.map { .verdict($0) }
    case .answer(let due):
      [DeliveryAnswer.delivered, .retryLater, .refuse(reason: "")].map { .answered($0, due) }
    case .storeAnswer: [.storeAnswered(.finished), .storeAnswered(.notAnnounced)]
    // The server may be silent.
    case .serverTold: [.serverTold, .due(nil)]
    case .signatureAgain:
      [transaction, unverified].map { .arrived($0, order: nil) }
        + [DeliveryEvent.verdict(.unknown(reason: ""))]
    }
  }

  private var unverified: StoreTransaction {
    var copy = transaction
    copy.verification = .unverified(reason: "")
    return copy
  }

  /// The purchase, and the same with a refund; signed at one time, so that either may be the news.
  private var arrivals: [StoreTransaction] {
    var refunded = transaction
    refunded.revocationDate = Self.start + 60
    let isSigned = transaction.generation == .storekit2
    return [transaction, refunded] + (isSigned ? [unverified] : [])
  }

  private var verdicts: [DeliveryVerdict] {
    let plain = ReceiptValidationResult(isValid: true)
    var (claimed, served, foreign, refunded) = (plain, plain, plain, plain)
    claimed.claimedBy = "another installation"
    served.isAcknowledged = true
    foreign.belongsToAnother = true
    refunded.revocationDate = Self.start + 60
    return [plain, claimed, served, foreign, refunded].map { .accepted($0) } + [
      .rejected(ReceiptValidationResult(isValid: false)), .unknown(reason: ""), .staleReceipt,
    ]
  }
}

extension TransactionRecord {
  /// Leaves out what only makes a number greater.
  fileprivate mutating func forgetNumbers(from start: Date) {
    attempts = state == .received || state == .held ? min(attempts, 1) : 1
    deliveryAttempts = 0
    rejections = state == .received ? min(rejections, 2) : 2
    if judgedAt != nil { judgedAt = start }
    lastError = nil
    if nextAttempt != nil { nextAttempt = start + 1 }
    savedAt = start
    savedInLaunch = 1
  }
}

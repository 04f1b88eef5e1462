import Foundation
import IAPKit
import IAPModel

/// Every cell of the delivery machine that a simulated app can reach, and every action before which
/// it can die: found by trying the pure machine out with everything that the store, the server, the
/// app's handler and a death can do to one transaction.
///
/// Records are told apart by what a later decision depends on only, and each decision is made once
/// for a record, an event and a circumstance, whatever else waits at that time.
package struct MachineMap {
  /// A state and an event that it met, as `accepted/due.launch`.
  package private(set) var cells: Set<String> = []
  /// The actions that are performed then, as `accepted/due.launch/0:deliver.grant`.
  package private(set) var steps: Set<String> = []
  /// How many decisions were made to find them.
  package private(set) var decisionCount = 0
  /// How many records and answers to come were told apart.
  package private(set) var nodeCount = 0

  /// What an action makes happen next, before anything that waits.
  private enum Reply: Hashable {
    case verdict
    case answer(DueEffect)
    case storeAnswer
    case serverTold
    case signatureAgain
  }

  /// A record with what is still to be answered, all of them by their numbers.
  private struct Node: Hashable {
    var record: Int
    var replies: [Int] = []
    var circumstance = 0
  }

  /// What a decision depends on besides record and event.
  private struct Circumstance {
    var isLate = false
    var isOwnerPresent = true
    var isGrantKnown = false

    static let all: [Circumstance] = [
      Circumstance(), Circumstance(isLate: true), Circumstance(isOwnerPresent: false),
      Circumstance(isGrantKnown: true),
    ]

    /// The numbers of those that change a decision about a record.
    static func that(matter record: TransactionRecord?) -> Range<Int> {
      guard let record else { return 0..<1 }
      if record.state == .held { return 0..<1 }
      let isGranted = record.acknowledged.contains { $0.hasPrefix("grant:") }
      return 0..<(isGranted ? all.count - 1 : all.count)
    }
  }

  private struct Question: Hashable {
    let record: Int
    /// Whose event it is: a reply's number, or none for what comes from outside.
    let reply: Int?
    let event: Int
    let circumstance: Int
  }

  /// What the machine decides, in numbers.
  private enum Deed {
    case save
    case expect(reply: Int)
    case nothing
  }

  private struct Decision {
    let record: Int
    let deeds: [Deed]
  }

  private static let start = Date(timeIntervalSince1970: 1_700_000_000)
  /// Longer than any wait and any lease.
  private static let lateSeconds: TimeInterval = 100 * 24 * 3600
  private static let launchLate = 10
  /// The number of the transaction that has no record yet.
  private static let noRecord = 0

  private let transaction: StoreTransaction
  private var records: [TransactionRecord?] = [nil]
  private var recordNumbers: [TransactionRecord: Int] = [:]
  /// What may come as each reply, in the order of their numbers.
  private var replies: [[DeliveryEvent]] = []
  private var replyNumbers: [Reply: Int] = [:]
  private var decisions: [Question: Decision?] = [:]
  private var beginnings: [DeliveryEvent] = []
  private var usualEvents: [DeliveryEvent] = []
  private var eventsOfSetAside: [DeliveryEvent] = []
  private var nodes: [Node] = []
  private var seen: Set<Node> = []

  /// Walks the machine of all kinds of goods.
  package static func all() -> MachineMap {
    // Goods that are used up, and may be signed; goods that last, and never are.
    var all = MachineMap(.consumable, .storekit2)
    let lasting = MachineMap(.nonConsumable, .storekit1)
    all.cells.formUnion(lasting.cells)
    all.steps.formUnion(lasting.steps)
    all.decisionCount += lasting.decisionCount
    all.nodeCount += lasting.nodeCount
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
    transaction.signedDate = generation == .storekit1 ? nil : Self.start + 60
    self.transaction = transaction
    beginnings = arrivals.map { .arrived($0, order: nil) }
    usualEvents =
      beginnings + [nil, .launch, Self.triggerForAll].map { .due($0) } + [.acknowledged]
    eventsOfSetAside = usualEvents + [.reported, .released]
    visit(Node(record: Self.noRecord))
    while let node = nodes.popLast() { live(node) }
    nodeCount = seen.count
  }

  private mutating func visit(_ node: Node) {
    if seen.insert(node).inserted { nodes.append(node) }
  }

  private mutating func live(_ node: Node) {
    var rest = node
    guard !rest.replies.isEmpty else {
      let count = events(records[node.record]).count
      for circumstance in Circumstance.that(matter: records[node.record]) {
        for event in 0..<count { step(node, nil, event, circumstance) }
      }
      return
    }
    let reply = rest.replies.removeFirst()
    for event in replies[reply].indices { step(rest, reply, event, node.circumstance) }
  }

  private mutating func step(_ node: Node, _ reply: Int?, _ event: Int, _ circumstance: Int) {
    let question = Question(
      record: node.record,
      reply: reply,
      event: event,
      circumstance: circumstance
    )
    guard let decision = decision(question) else { return }
    var next = node
    next.circumstance = circumstance
    for deed in decision.deeds {
      switch deed {
      case .save:
        next.record = decision.record
        // Whatever waits here dies with the process.
        visit(Node(record: next.record))
      case .expect(let reply): next.replies.insert(reply, at: 0)
      case .nothing: break
      }
    }
    // Nothing waits under circumstances of its own when nothing waits.
    if next.replies.isEmpty { next.circumstance = 0 }
    visit(next)
  }
}

// MARK: Deciding

extension MachineMap {
  private mutating func decision(_ question: Question) -> Decision? {
    if let known = decisions[question] { return known }
    let decision = decide(question)
    decisions[question] = .some(decision)
    return decision
  }

  private mutating func decide(_ question: Question) -> Decision? {
    decisionCount += 1
    let record = records[question.record]
    let event =
      question.reply.map { replies[$0][question.event] } ?? events(record)[question.event]
    let context = Self.context(Circumstance.all[question.circumstance], record)
    guard let next = DeliveryReducer.reduce(record, event, context) else { return nil }
    let state = record?.state
    cells.insert("\(state?.rawValue ?? "new")/\(event.name)")
    let deeds = next.actions.enumerated().map { index, action in
      let place = DeliveryStep(
        id: transaction.transactionID,
        state: state,
        event: event,
        index: index,
        action: action
      )
      steps.insert(place.name)
      return deed(action)
    }
    return Decision(record: number(next.record), deeds: deeds)
  }

  private static func context(
    _ circumstance: Circumstance,
    _ record: TransactionRecord?
  ) -> DeliveryContext {
    let known = Set(record?.acknowledged ?? [])
    let isLate = circumstance.isLate
    return DeliveryContext(
      now: isLate ? start + lateSeconds : start,
      launch: isLate ? launchLate : 1,
      quarantine: QuarantinePolicy(rejectionsBorne: 1),
      isOwnerPresent: circumstance.isOwnerPresent,
      hasJudge: true,
      isKnown: { effect in
        known.contains(effect) || circumstance.isGrantKnown && effect.hasPrefix("grant:")
      }
    )
  }

  private mutating func deed(_ action: DeliveryAction) -> Deed {
    switch action {
    case .save: .save
    case .validate: .expect(reply: number(.verdict))
    case .deliver(let due): .expect(reply: number(.answer(due)))
    case .finish: .expect(reply: number(.storeAnswer))
    case .acknowledge: .expect(reply: number(.serverTold))
    case .reverify: .expect(reply: number(.signatureAgain))
    case .retry, .report, .emit: .nothing
    }
  }

  private mutating func number(_ reply: Reply) -> Int {
    if let known = replyNumbers[reply] { return known }
    replies.append(events(reply))
    replyNumbers[reply] = replies.count - 1
    return replies.count - 1
  }

  private mutating func number(_ record: TransactionRecord) -> Int {
    var record = record
    record.forgetWhatDecidesNothing(from: Self.start)
    if let known = recordNumbers[record] { return known }
    records.append(record)
    recordNumbers[record] = records.count - 1
    return records.count - 1
  }
}

// MARK: What happens

extension MachineMap {
  /// What may come from outside at any time.
  private func events(_ record: TransactionRecord?) -> [DeliveryEvent] {
    guard let record else { return beginnings }
    return record.quarantine != nil || record.state == .refused ? eventsOfSetAside : usualEvents
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

  /// The purchase, and the same with a refund; both are signed at the time of the refund, so that
  /// either may be the news.
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
  /// Leaves out what only makes a number greater, and what is written anew before it is read.
  fileprivate mutating func forgetWhatDecidesNothing(from start: Date) {
    let isWaiting = state == .received || state == .held
    attempts = isWaiting ? min(attempts, 1) : 1
    deliveryAttempts = 0
    rejections = state == .received ? min(rejections, 2) : 2
    if judgedAt != nil { judgedAt = start }
    lastError = nil
    if nextAttempt != nil { nextAttempt = start + 1 }
    savedAt = start
    savedInLaunch = 1
    // Tells the judge to ask for another receipt.
    hasStaleReceipt = false
    if state != .received, quarantine != .unanswered { wasRejectedLast = false }
    forgetWhatHandsNothingOver()
  }

  /// Leaves out what matters in some states only, and while nothing was handed over; no other state
  /// leads to those without writing it anew.
  private mutating func forgetWhatHandsNothingOver() {
    let isGranted = acknowledged.contains { $0.hasPrefix("grant:") }
    switch state {
    case .held, .received:
      (isReported, isGrantBegun, isServerTold, judgedAt) = (false, false, false, nil)
      (claimedBy, isAnothers) = (nil, false)
      if state == .held { nextAttempt = nil }
    case .accepted: (isReported, isServerTold) = (false, false)
    case .delivered, .finished:
      (isReported, nextAttempt) = (false, nil)
      if isGranted {
        (isGrantBegun, judgedAt, claimedBy, isAnothers) = (false, nil, nil, false)
      }
    case .quarantined: (isServerTold, claimedBy, isAnothers) = (false, nil, false)
    case .refused: (isServerTold, nextAttempt) = (false, nil)
    }
  }
}

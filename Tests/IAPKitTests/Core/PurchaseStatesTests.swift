import Foundation
import IAPModel
import Testing

@testable import IAPKit

/// The answer to a purchase's caller and the events of the funnel come by different ways: whichever
/// is first, the state ends the same.
@Suite("The state of a purchase") struct PurchaseStatesTests {
  private let states = PurchaseStates()
  private let now = Date(timeIntervalSince1970: 1_750_000_000)

  private func order(_ number: UInt8, _ state: Order.State = .opened) -> Order {
    Order(
      number: OrderNumber(UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, number))),
      merchantNumber: nil,
      productId: "coins",
      quantity: 1,
      account: nil,
      accountToken: AppAccountToken(UUID(uuid: (1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))),
      context: [:],
      createdAt: now,
      state: state,
      updatedAt: now,
      inFlightUntil: now,
      begunAs: nil
    )
  }

  private func record(_ order: Order?, _ quarantine: QuarantineReason? = nil) -> TransactionRecord {
    var record = TransactionRecord(
      transaction: .coins("1"),
      state: quarantine == nil ? .received : .quarantined,
      savedAt: now,
      launch: 1
    )
    record.order = order?.number
    record.quarantine = quarantine
    return record
  }

  private func result(_ order: Order?) -> IAPTransactionResult {
    IAPTransactionResult(.coins("1"), order: order)
  }

  /// Everything that may be told of a purchase before its caller was answered, with the answer.
  private func purchase(
    _ outcome: PurchaseOutcome,
    of order: Order,
    end: FunnelEvent,
    isFirst: Bool
  ) -> PurchaseState {
    #expect(states.begin("coins"))
    states.follow(.order(order))
    states.follow(.saved(record(order)))
    if isFirst { states.follow(end) }
    states.end("coins", outcome)
    if !isFirst { states.follow(end) }
    return states.state("coins")
  }

  @Test("is complete, whether the goods or the answer came first", arguments: [true, false])
  func goods(isFirst: Bool) {
    let mine = order(1)
    let outcomes: [PurchaseOutcome] = [
      .processing(result(mine)), .pending(orderNumber: mine.displayNumber), .cancelled,
      .failed(.network(underlying: CancellationError())), .failed(.receiptValidationFailed),
      .failed(.unknown), .delivered(result(mine)),
    ]
    for outcome in outcomes {
      let end = purchase(outcome, of: mine, end: .ready(.grant, result(mine)), isFirst: isFirst)
      #expect(end == .complete, "\(outcome)")
    }
  }

  @Test("is a failed verification, whichever came first", arguments: [true, false])
  func setAside(isFirst: Bool) {
    let mine = order(1)
    let event = FunnelEvent.quarantined(record(mine, .rejected))
    let end = purchase(.processing(result(mine)), of: mine, end: event, isFirst: isFirst)
    #expect(end == .failedVerification)
  }

  @Test("goes on being processed while nobody answers", arguments: [true, false])
  func unanswered(isFirst: Bool) {
    let mine = order(1)
    let event = FunnelEvent.quarantined(record(mine, .unanswered))
    let end = purchase(.processing(result(mine)), of: mine, end: event, isFirst: isFirst)
    #expect(end == .processing)
  }

  @Test("does not end with the goods of another order", arguments: [true, false])
  func another(isFirst: Bool) {
    for other in [order(2), nil] {
      let event = FunnelEvent.ready(.grant, result(other))
      #expect(purchase(.cancelled, of: order(1), end: event, isFirst: isFirst) == .cancelled)
    }
  }

  @Test("is told of in the order in which it changes")
  func changes() async {
    let mine = order(1)
    var stream = states.changes.stream().makeAsyncIterator()
    _ = purchase(
      .processing(result(mine)),
      of: mine,
      end: .ready(.grant, result(mine)),
      isFirst: false
    )
    var seen: [PurchaseState?] = []
    for _ in 0..<4 { seen.append(await stream.next()?.state) }
    #expect(seen == [.inProgress, .verifying, .processing, .complete])
  }

  @Test("is not begun twice, and taken up from an earlier run")
  func beginning() {
    states.recall([order(1, .pending), order(2, .delivered)])
    #expect(states.state("coins") == .pending)
    #expect(states.begin("coins"))
    #expect(!states.begin("coins"))
    states.recall([order(1, .paid)])
    #expect(states.state("coins") == .inProgress)
    states.end("coins", .cancelled)
    #expect(states.begin("coins"))
  }
}

import Foundation
import IAPKit
import IAPModel
import Testing

@Suite("An order's limits") struct OrderLimitsTests {
  private let start = Date(timeIntervalSince1970: 1_700_000_000)
  private let policy = OrderPolicy()

  private func number(_ last: UInt8) -> UUID {
    UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, last))
  }

  private func open(
    _ draft: OrderDraft,
    in book: inout OrderBook,
    _ last: UInt8 = 1,
    at now: Date
  ) throws -> Order {
    let order = try book.opening(draft, policy: policy, now: now, newNumber: number(last))
    book.put(order)
    return order
  }

  // MARK: Codes

  private func codeOrder(in book: inout OrderBook) throws -> Order {
    var draft = OrderDraft(productID: "")
    draft.origin = .offerCode
    return try open(draft, in: &book, at: start)
  }

  /// What a code brought, as each generation tells it.
  private func redeemed(_ generation: StoreGeneration, bought date: Date) -> StoreTransaction {
    var transaction = generation == .storekit1 ? StoreTransaction.legacy("9") : .coins("9")
    transaction.purchaseDate = date
    if generation == .storekit2 { transaction.offerType = .code }
    return transaction
  }

  @Test(
    "what a code brings belongs to its order for an hour",
    arguments: StoreGeneration.allCases,
    [(3599.0, true), (3600, false), (-1, true)]
  )
  func codeHour(generation: StoreGeneration, row: (seconds: Double, joins: Bool)) throws {
    var book = OrderBook()
    let order = try codeOrder(in: &book)
    let now = start + row.seconds
    let found = book.match(redeemed(generation, bought: now), policy: policy, now: now)
    #expect(found?.number == (row.joins ? order.number : nil))
  }

  @Test(
    "what was bought an hour before the sheet is not of its code",
    arguments: [(-3599.0, true), (-3600, false)]
  )
  func boughtBefore(row: (seconds: Double, joins: Bool)) throws {
    var book = OrderBook()
    let order = try codeOrder(in: &book)
    let found = book.match(
      redeemed(.storekit2, bought: start + row.seconds),
      policy: policy,
      now: start + 60
    )
    #expect(found?.number == (row.joins ? order.number : nil))
  }

  // MARK: Time

  @Test(
    "an open sheet blocks no purchase after the clock was set back",
    arguments: [(0.0, false), (-1, true), (-31_536_000, true), (119, false), (120, true)]
  )
  func clockSetBack(row: (seconds: Double, mayBuy: Bool)) throws {
    var book = OrderBook()
    _ = try open(OrderDraft(productID: "coins"), in: &book, at: start)
    let again = try? open(OrderDraft(productID: "coins"), in: &book, 2, at: start + row.seconds)
    #expect((again != nil) == row.mayBuy)
  }

  // MARK: Texts

  @Test(
    "a text for a user that turns into a UUID has a limit",
    arguments: [(0, false), (1, true), (256, true), (257, false)]
  )
  func accountText(row: (length: Int, isFine: Bool)) {
    var policy = policy
    policy.accountTexts = .derived
    let text = String(repeating: "u", count: row.length)
    let order = try? OrderBook().opening(
      OrderDraft(productID: "coins", accountToken: text),
      policy: policy,
      now: start,
      newNumber: number(1)
    )
    #expect(
      order?.accountToken.rawValue == (row.isFine ? PurchaseOptions.accountToken(for: text) : nil)
    )
  }
}

import Foundation
import IAPKit
import IAPModel
import Testing

@Suite struct OrderBookTests {
  private var book = OrderBook()
  private let start = Date(timeIntervalSince1970: 1_700_000_000)
  private let policy = OrderPolicy()

  private func uuid(_ number: Int) -> UUID {
    UUID(uuidString: "00000000-0000-4000-8000-" + String(format: "%012d", number))!
  }

  private mutating func open(
    _ draft: OrderDraft = OrderDraft(productID: "coins"),
    _ number: Int = 1,
    after seconds: TimeInterval = 0,
    policy: OrderPolicy = OrderPolicy()
  ) throws -> Order {
    let order = try book.opening(
      draft,
      policy: policy,
      now: start + seconds,
      newNumber: uuid(number)
    )
    book.put(order)
    return order
  }

  private mutating func close(_ order: Order, as state: Order.State, after seconds: TimeInterval) {
    var order = order
    order.move(to: state, now: start + seconds)
    book.put(order)
  }

  private func legacy(_ id: String, product: ProductID = "coins") -> StoreTransaction {
    .legacy(id, product: product)
  }

  private func reason(_ body: () throws -> Void) -> String? {
    let error = #expect(throws: IAPError.self, performing: body)
    guard case .invalidOrder(let reason)? = error else { return nil }
    return reason
  }

  // MARK: Opening

  @Test mutating func orderKeepsWhatItWasOpenedWith() throws {
    let order = try open(
      OrderDraft(
        productID: "coins",
        quantity: 3,
        account: "alice",
        context: ["level": "7"]
      )
    )
    #expect(order.number == OrderNumber(uuid(1)))
    #expect(order.accountToken.rawValue == uuid(1))
    #expect(order.quantity == 3)
    #expect(order.account == "alice")
    #expect(order.context == ["level": "7"])
    #expect(order.state == .opened)
    #expect(order.createdAt == start)
    #expect(order.inFlightUntil == start + 120)
    #expect(order.displayNumber == "00000000-0000-4000-8000-000000000001")
  }

  @Test mutating func ownNumberThatIsNoUUIDGetsAStableOneAndIsFoundBothWays() throws {
    let order = try open(OrderDraft(productID: "coins", number: "2024-0017"))
    #expect(order.merchantNumber == "2024-0017")
    #expect(order.displayNumber == "2024-0017")
    #expect(book.find("2024-0017") == order)
    #expect(book.find(order.number.description) == order)
    #expect(OrderBook.number(of: "2024-0017") == order.number, "the same on every device")
    #expect(OrderBook.number(of: "2024-0018") != order.number)
    #expect(book.find("2024-0018") == nil)
  }

  @Test mutating func ownNumberThatIsAUUIDIsTaken() throws {
    let order = try open(
      OrderDraft(productID: "coins", number: "ABCDEF00-0000-4000-8000-000000000000")
    )
    #expect(order.number.description == "abcdef00-0000-4000-8000-000000000000")
    #expect(order.merchantNumber == nil)
  }

  @Test mutating func tokenIsTheNumberOrTheUsersOrTheDrafts() throws {
    var policy = policy
    policy.userToken = uuid(77)
    #expect(try open(policy: policy).accountToken.rawValue == uuid(77))
    let draft = OrderDraft(productID: "pro", accountToken: uuid(88).uuidString)
    #expect(try open(draft, 2, policy: policy).accountToken.rawValue == uuid(88))
  }

  @Test func tokenThatIsNoUUIDIsAnError() {
    let draft = OrderDraft(productID: "coins", accountToken: "alice")
    #expect(
      reason { _ = try book.opening(draft, policy: policy, now: start, newNumber: uuid(1)) }
        == "the account token is no UUID"
    )
  }

  @Test(arguments: [(0, false), (1, true), (10, true), (11, false), (-1, false)])
  func quantityIsFromOneToTen(_ row: (quantity: Int, isFine: Bool)) {
    let draft = OrderDraft(productID: "coins", quantity: row.quantity)
    let order = try? book.opening(draft, policy: policy, now: start, newNumber: uuid(1))
    #expect((order != nil) == row.isFine)
  }

  @Test(arguments: [(0, false), (1, true), (256, true), (257, false)])
  func numberIsNeitherEmptyNorTooLong(_ row: (length: Int, isFine: Bool)) {
    let draft = OrderDraft(productID: "coins", number: String(repeating: "9", count: row.length))
    let order = try? book.opening(draft, policy: policy, now: start, newNumber: uuid(1))
    #expect((order != nil) == row.isFine)
  }

  @Test(arguments: [(16_384, true), (16_385, false)])
  func contextHasALimit(_ row: (bytes: Int, isFine: Bool)) {
    let value = String(repeating: "v", count: row.bytes - 3)
    let draft = OrderDraft(productID: "coins", context: ["key": value])
    let order = try? book.opening(draft, policy: policy, now: start, newNumber: uuid(1))
    #expect((order != nil) == row.isFine)
  }

  // MARK: In flight

  @Test mutating func secondPurchaseOfTheSameProductIsRefusedUntilTheMarkExpires() throws {
    _ = try open()
    #expect(throws: IAPError.purchaseInProgress) { try open(after: 119) }
    #expect(throws: Never.self) { try open(OrderDraft(productID: "pro"), 2, after: 119) }
    #expect(throws: Never.self) { try open(OrderDraft(productID: "coins"), 3, after: 120) }
  }

  @Test mutating func onePurchaseAtAllIsAPolicy() throws {
    let policy = OrderPolicy(concurrency: .oneAtAll)
    _ = try open(policy: policy)
    #expect(throws: IAPError.purchaseInProgress) {
      try open(OrderDraft(productID: "pro"), 2, after: 119, policy: policy)
    }
    #expect(throws: Never.self) {
      try open(OrderDraft(productID: "pro"), 2, after: 120, policy: policy)
    }
  }

  @Test(arguments: [Order.State.pending, .cancelled, .failed, .paid, .delivered])
  func buttonWorksAgainOnceTheSheetHasEnded(_ state: Order.State) throws {
    var tests = self
    let order = try tests.open()
    tests.close(order, as: state, after: 1)
    #expect(throws: Never.self) { try tests.open(OrderDraft(productID: "coins"), 2, after: 2) }
  }

  @Test(arguments: [
    (Order.State.cancelled, true), (.failed, true), (.pending, false), (.scheduled, false),
    (.paid, false), (.delivered, false), (.quarantined, false), (.refused, false),
  ])
  func numberOfAClosedOrderCanBeUsedAgainWhileItIsUnpaid(
    _ row: (state: Order.State, isFine: Bool)
  ) throws {
    var tests = self
    let draft = OrderDraft(productID: "coins", number: "A-1")
    let order = try tests.open(draft)
    tests.close(order, as: row.state, after: 1)
    let again = try? tests.open(draft, 2, after: 2)
    #expect((again != nil) == row.isFine)
    #expect(again.map(\.number) == (row.isFine ? order.number : nil))
    #expect(again.map(\.state) == (row.isFine ? .opened : nil))
  }

  @Test mutating func numberOfAnOrderForSomethingElseIsRefused() throws {
    let order = try open(OrderDraft(productID: "coins", number: "A-1"))
    close(order, as: .cancelled, after: 1)
    let others = [
      OrderDraft(productID: "pro", number: "A-1"),
      OrderDraft(productID: "coins", quantity: 2, number: "A-1"),
    ]
    for other in others {
      #expect(
        reason { _ = try book.opening(other, policy: policy, now: start + 2, newNumber: uuid(2)) }
          == "an order of this number is for something else"
      )
    }
  }

  // MARK: Joining

  @Test mutating func transactionJoinsTheOrderWhoseNumberItCarries() throws {
    _ = try open(OrderDraft(productID: "coins"), 1)
    let second = try open(OrderDraft(productID: "coins"), 2, after: 200)
    var transaction = StoreTransaction.coins("5")
    transaction.appAccountToken = second.accountToken
    #expect(book.match(transaction, policy: policy, now: start) == second)
    transaction.appAccountToken = AppAccountToken(uuid(99))
    #expect(book.match(transaction, policy: policy, now: start) == nil)
  }

  @Test mutating func renewalStillNamesTheOrderOfItsFirstPurchase() throws {
    let order = try open()
    var paid = order
    paid.move(to: .delivered, now: start)
    paid.transactionId = "1"
    book.put(paid)
    var renewal = StoreTransaction.coins("2")
    renewal.appAccountToken = order.accountToken
    #expect(book.match(renewal, policy: policy, now: start) == paid)
    var record = TransactionRecord(
      transaction: renewal,
      state: .received,
      savedAt: start,
      launch: 1
    )
    record.order = order.number
    #expect(book.following(record, policy: policy, now: start) == nil, "it is paid already")
  }

  @Test mutating func userTokenJoinsByProductAndQuantityOpenOrdersFirst() throws {
    let policy = OrderPolicy(userToken: uuid(77))
    let closed = try open(OrderDraft(productID: "coins"), 1, policy: policy)
    close(closed, as: .cancelled, after: 1)
    let open = try open(OrderDraft(productID: "coins"), 2, after: 2, policy: policy)
    let other = try self.open(OrderDraft(productID: "pro"), 3, after: 3, policy: policy)
    var transaction = StoreTransaction.coins("5")
    transaction.appAccountToken = AppAccountToken(uuid(77))
    #expect(book.match(transaction, policy: policy, now: start + 4) == open)
    transaction.productID = "pro"
    #expect(book.match(transaction, policy: policy, now: start + 4) == other)
    transaction.quantity = 2
    #expect(book.match(transaction, policy: policy, now: start + 4) == nil)
  }

  @Test(arguments: [(29.99, true), (30, false)])
  func cancelledOrderIsReopenedByProductAndQuantityForThirtyDays(
    _ row: (days: Double, isFound: Bool)
  ) throws {
    var tests = self
    let order = try tests.open()
    tests.close(order, as: .cancelled, after: 0)
    let found = tests.book.match(
      legacy("1"),
      policy: policy,
      now: start + row.days * 86_400
    )
    #expect(found?.number == (row.isFound ? order.number : nil))
  }

  @Test(arguments: [(29.99, Order.State.paid), (30, nil)])
  func cancelledOrderIsReopenedByItsTokenForThirtyDays(
    _ row: (days: Double, state: Order.State?)
  ) throws {
    var tests = self
    let order = try tests.open()
    tests.close(order, as: .cancelled, after: 0)
    var transaction = StoreTransaction.coins("5")
    transaction.appAccountToken = order.accountToken
    let now = start + row.days * 86_400
    var record = TransactionRecord(
      transaction: transaction,
      state: .received,
      savedAt: now,
      launch: 1
    )
    record.order = tests.book.match(transaction, policy: policy, now: now)?.number
    #expect(record.order == order.number)
    #expect(tests.book.following(record, policy: policy, now: now)?.state == row.state)
  }

  @Test mutating func onlyANewStoreKitOnePurchaseJoinsWithoutAToken() throws {
    let order = try open()
    #expect(book.match(legacy("1"), policy: policy, now: start) == order)
    var renewal = legacy("2")
    renewal.originalTransactionID = "1"
    #expect(book.match(renewal, policy: policy, now: start) == nil)
    var restored = legacy("1")
    restored.storeState = .restored
    #expect(book.match(restored, policy: policy, now: start) == nil)
    var foreign = legacy("1")
    foreign.applicationUsername = "someone else"
    #expect(book.match(foreign, policy: policy, now: start) == nil)
    #expect(book.match(.coins("1"), policy: policy, now: start) == nil, "StoreKit 2 keeps tokens")
  }

  @Test mutating func secondTransactionWithoutATokenTakesTheNextOrder() throws {
    let first = try open(OrderDraft(productID: "coins"), 1)
    let second = try open(OrderDraft(productID: "coins"), 2, after: 200)
    var paid = first
    paid.transactionId = "1"
    paid.move(to: .paid, now: start)
    book.put(paid)
    #expect(book.match(legacy("2"), policy: policy, now: start) == second)
  }

  // MARK: Following

  @Test(arguments: [
    (RecordState.held, nil), (.received, Order.State.paid), (.accepted, .paid),
    (.delivered, .delivered), (.finished, .delivered), (.quarantined, .quarantined),
    (.refused, .refused),
  ])
  func orderGoesWhereItsRecordGoes(_ row: (record: RecordState, order: Order.State?)) throws {
    var tests = self
    let order = try tests.open()
    var record = TransactionRecord(
      transaction: .coins("1"),
      state: row.record,
      savedAt: start,
      launch: 1
    )
    record.order = order.number
    let moved = tests.book.following(record, policy: policy, now: start + 9)
    #expect(moved?.state == row.order)
    #expect(moved?.transactionId == (row.order == nil ? nil : "1"))
    #expect(moved?.updatedAt == (row.order == nil ? nil : start + 9))
  }

  @Test mutating func endOfASheetIsFoundByTokenOrByProduct() throws {
    let order = try open()
    let found = book.matchOpen(token: order.accountToken, product: "coins", quantity: 1)
    #expect(found == order)
    #expect(book.matchOpen(token: nil, product: "coins", quantity: 1) == order)
    #expect(book.matchOpen(token: nil, product: "coins", quantity: 2) == nil)
    #expect(book.matchOpen(token: AppAccountToken(uuid(5)), product: "coins", quantity: 1) == nil)
    close(order, as: .cancelled, after: 1)
    #expect(book.matchOpen(token: nil, product: "coins", quantity: 1) == nil)
  }

  // MARK: Numbers

  /// The value comes from Python's `uuid.uuid5` and from RFC 9562, appendix A.4.
  @Test func nameUUIDIsVersionFive() {
    let dns = UUID(uuidString: "6ba7b810-9dad-11d1-80b4-00c04fd430c8")!
    #expect(
      NameUUID.make("www.example.com", in: dns).uuidString.lowercased()
        == "2ed6657d-e927-568b-95e1-2665a8aea6a2"
    )
  }

  /// Lengths around the digest's block; the values come from Python's `hashlib`.
  @Test(arguments: [
    (0, "da39a3ee5e6b4b0d3255bfef95601890afd80709"),
    (55, "c1c8bbdc22796e28c0e15163d20899b65621d65a"),
    (56, "c2db330f6083854c99d4b5bfb6e8f29f201be699"),
    (63, "03f09f5b158a7a8cdad920bddc29b81c18a551f5"),
    (64, "0098ba824b5c16427bd7a1122a5a442a25ec644d"),
    (119, "ee971065aaa017e0632a8ca6c77bb3bf8b1dfc56"),
    (120, "f34c1488385346a55709ba056ddd08280dd4c6d6"),
  ])
  func digestMatchesAnotherLibrary(_ row: (length: Int, hex: String)) {
    let digest = NameUUID.sha1([UInt8](repeating: 0x61, count: row.length))
    #expect(digest.map { String(format: "%02x", $0) }.joined() == row.hex)
  }
}

import Foundation
import IAPEntitlements
import IAPModel
import ServerStorage
import Testing

@testable import EntitlementServer

@Suite struct FoldedHistoriesTests {
  private let histories = FoldedHistories()
  private let scope = LedgerScope(app: "com.example.app", environment: .production)

  private func item(_ id: String) -> StoredItem {
    var payload = TransactionPayload(
      transactionID: TransactionID(id),
      originalTransactionID: OriginalTransactionID(id),
      bundleID: "com.example.app",
      productID: "com.example.app.lifetime",
      purchaseDate: Date(milliseconds: 1_790_000_000_000)
    )
    payload.type = .nonConsumable
    payload.environment = .production
    return StoredItem(.transaction(payload))
  }

  private func folded(_ items: [StoredItem]) throws -> StoreHistory {
    StoreHistory(try items.map { try $0.fact() }, environment: .only(.production))
  }

  @Test func `what was folded before is what folding gives`() throws {
    let items = [item("1"), item("2")]
    for _ in 0..<2 {
      #expect(try histories.history(of: "mia", scope, items) == folded(items))
    }
    #expect(histories.count == 1)
  }

  @Test func `other facts give another history, more or fewer`() throws {
    for items in [[item("1")], [item("1"), item("2")], [item("2")]] {
      #expect(try histories.history(of: "mia", scope, items) == folded(items))
    }
    #expect(histories.count == 1)
    #expect(try histories.history(of: "mia", scope, []) == folded([]))
    #expect(histories.count == 0)
  }

  @Test func `customers and environments have histories of their own`() throws {
    let sandbox = LedgerScope(app: "com.example.app", environment: .sandbox)
    _ = try histories.history(of: "mia", scope, [item("1")])
    _ = try histories.history(of: "ben", scope, [item("2")])
    #expect(try histories.history(of: "mia", sandbox, [item("1")]).transactions.isEmpty)
    #expect(try histories.history(of: "mia", scope, [item("1")]) == folded([item("1")]))
    #expect(histories.count == 3)
  }

  @Test func `a history of more facts than the limit is not remembered`() throws {
    let most = (1...FoldedHistories.itemsMax).map { item("\($0)") }
    _ = try histories.history(of: "mia", scope, most)
    #expect(histories.count == 1)
    let more = most + [item("1000")]
    #expect(try histories.history(of: "mia", scope, more) == folded(more))
    #expect(histories.count == 0)
  }

  @Test func `one customer more than the limit begins anew`() throws {
    for number in 0..<FoldedHistories.customersMax {
      _ = try histories.history(of: CustomerID("customer-\(number)"), scope, [item("1")])
    }
    #expect(histories.count == FoldedHistories.customersMax)
    _ = try histories.history(of: "mia", scope, [item("1")])
    #expect(histories.count == 1)
  }

  @Test func `an erased customer is forgotten, others are not`() throws {
    _ = try histories.history(of: "mia", scope, [item("1")])
    _ = try histories.history(of: "ben", scope, [item("2")])
    histories.forget("mia")
    #expect(histories.count == 1)
  }

  @Test func `a fact that cannot be read is told and not remembered`() {
    let broken = StoredItem(kind: .transaction, body: Array("{".utf8))
    #expect(throws: StorageError.self) { try histories.history(of: "mia", scope, [broken]) }
    #expect(histories.count == 0)
  }
}

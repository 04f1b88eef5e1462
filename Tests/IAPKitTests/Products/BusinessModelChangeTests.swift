import Foundation
import IAPKit
import Testing

@Suite("A change of the business model")
struct BusinessModelChangeTests {
  private func transaction(
    _ original: String?,
    _ integrity: IAPAppTransaction.Integrity = .verified,
    _ environment: StoreEnvironment? = .production
  ) -> IAPAppTransaction {
    IAPAppTransaction(
      integrity: integrity,
      bundleId: "com.example.demo",
      originalAppVersion: original,
      environment: environment
    )
  }

  @Test(
    "compares versions by their numbers",
    arguments: [
      ("1.9", "1.10", true), ("1.10", "1.9", false), ("2", "2.0", false), ("2.0", "2", false),
      ("2.0.1", "2", false), ("213", "214", true), ("214", "214", false), ("9", "10", true),
    ]
  )
  func versions(row: (original: String, change: String, isEarlier: Bool)) {
    let customer = BusinessModelChange(version: row.change).customer(transaction(row.original))
    #expect(customer == (row.isEarlier ? .earlier : .later))
  }

  @Test("gives nothing away on data that say nothing")
  func unknowns() {
    let change = BusinessModelChange(version: "2.0")
    #expect(change.customer(transaction(nil)) == .unknown(.noVersion))
    #expect(change.customer(transaction("")) == .unknown(.noVersion))
    #expect(change.customer(transaction("1.x")) == .unknown(.noVersion))
    #expect(change.customer(transaction("-1")) == .unknown(.noVersion))
    #expect(change.customer(transaction("1.0", .verified, .sandbox)) == .unknown(.notProduction))
    #expect(change.customer(transaction("1.0", .verified, nil)) == .unknown(.notProduction))
    #expect(
      change.customer(transaction("1.0", .unverified(reason: "r")), acceptsUnchecked: true)
        == .unknown(.notVerified)
    )
    #expect(change.customer(transaction("1.0", .unchecked)) == .unknown(.notVerified))
    #expect(change.customer(transaction("1.0", .unchecked), acceptsUnchecked: true) == .earlier)
  }
}

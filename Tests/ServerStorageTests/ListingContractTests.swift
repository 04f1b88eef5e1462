import Foundation
import IAPModel
import ServerStorage
import Testing

/// Lists that are read page by page.
@Suite struct ListingContractTests {
  @Test(arguments: Backend.allCases)
  func purchasesAreListedInOrderOfIdentifierOnceEach(_ backend: Backend) async throws {
    try await backend.withLedger { ledger in
      // The order is that of the spelling, not of the number.
      for id in ["3", "10", "2", "1"] {
        _ = try await ledger.commit(Make.write(Make.payload(TransactionID(id))))
      }
      var renewal = Make.payload("11", type: .autoRenewable, original: "10")
      renewal.expiresDate = Make.date(100)
      _ = try await ledger.commit(Make.write(renewal))
      let other = LedgerScope(app: "com.example.app", environment: .production)
      var foreign = Make.record(Make.payload("4", environment: .production))
      foreign.scope = other
      _ = try await ledger.commit(LedgerWrite(date: Make.date(100), facts: [foreign]))
      let wanted: [OriginalTransactionID] = ["1", "10", "2", "3"]
      for limit in 1...5 {
        var found: [OriginalTransactionID] = []
        var page: [LedgerSubject]
        repeat {
          let after = found.last
          page = try await ledger.read { reader throws(StorageError) in
            try reader.subjects(in: Make.scope, after: after, limit: limit)
          }
          #expect(page.count <= limit)
          #expect(page.allSatisfy { $0.scope == Make.scope })
          found += page.map(\.original)
        } while page.count == limit
        #expect(found == wanted, "pages of \(limit)")
      }
      let (none, foreigners, unknown) = try await ledger.read { reader throws(StorageError) in
        (
          try reader.subjects(in: Make.scope, after: nil, limit: 0),
          try reader.subjects(in: other, after: nil, limit: 10),
          try reader.subjects(
            in: LedgerScope(app: "com.example.unknown", environment: .sandbox),
            after: nil,
            limit: 10
          )
        )
      }
      #expect(none == [])
      #expect(foreigners.map(\.original) == ["4"])
      #expect(unknown == [])
    }
  }

  @Test(arguments: Backend.allCases)
  func ordersAreListedInOrderOfNumberOnceEach(_ backend: Backend) async throws {
    try await backend.withLedger { ledger in
      let numbers = [7, 1, 12, 3].compactMap {
        OrderNumber("00000000-0000-4000-8000-0000000000" + ($0 < 10 ? "0\($0)" : "\($0)"))
      }
      for (index, number) in numbers.enumerated() {
        var write = LedgerWrite(date: Make.date(100))
        write.orders = [
          OrderRecord(
            number: number,
            app: index == 1 ? "com.example.other" : "com.example.app",
            customer: index == 2 ? nil : "mia",
            productID: "coins",
            quantity: index + 1,
            context: ["n": .integer(Int64(index))],
            createdDate: Make.date(Double(index))
          )
        ]
        _ = try await ledger.commit(write)
      }
      for limit in 1...4 {
        var found: [OrderRecord] = []
        var page: [OrderRecord]
        repeat {
          let after = found.last?.number
          page = try await ledger.read { reader throws(StorageError) in
            try reader.orders(app: "com.example.app", after: after, limit: limit)
          }
          found += page
        } while page.count == limit
        #expect(found.map(\.quantity) == [4, 1, 3], "pages of \(limit)")
        #expect(found.map(\.customer) == ["mia", "mia", nil])
        #expect(found.map(\.context) == [["n": 3], ["n": 0], ["n": 2]])
      }
      let none = try await ledger.read { reader throws(StorageError) in
        try reader.orders(app: "com.example.app", after: nil, limit: 0)
      }
      #expect(none == [])
    }
  }
}

import Foundation
import IAPEntitlements
import IAPModel
import ServerStorage
import Testing

extension Make {
  static func order(
    _ number: UInt8,
    customer: CustomerID? = nil,
    context: JSONObject = [:]
  ) -> OrderRecord {
    OrderRecord(
      number: self.number(number),
      app: "com.example.app",
      customer: customer,
      productID: "coins",
      context: context,
      createdDate: date(1)
    )
  }

  static func number(_ number: UInt8) -> OrderNumber {
    OrderNumber(UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, number)))
  }

  static func presented(_ original: OriginalTransactionID, by customer: CustomerID) -> LedgerWrite {
    var write = LedgerWrite(date: date(200))
    write.ownership = [
      OwnershipRequest(subject: subject(original), customer: customer, date: date(200))
    ]
    return write
  }
}

@Suite struct OwnershipContractTests {
  @Test(arguments: Backend.allCases)
  func firstPresenterOwnsAndTheSecondIsOneVisibleConflict(_ backend: Backend) async throws {
    try await backend.withLedger { ledger in
      _ = try await ledger.commit(Make.write(Make.payload("1")))
      let owner = OwnerRecord(customer: "ann", ground: .firstPresented, date: Make.date(200))
      for customer in ["ann", "bob", "bob", "ann"] as [CustomerID] {
        let outcome = try await ledger.commit(Make.presented("1", by: customer))
        #expect(outcome.owners == [owner])
      }
      let (conflicts, subjects) = try await ledger.read { reader throws(StorageError) in
        (
          try reader.conflicts(of: Make.subject("1")),
          try reader.subjects(ownedBy: "ann", app: "com.example.app")
        )
      }
      #expect(
        conflicts
          == [ConflictRecord(subject: Make.subject("1"), customer: "bob", date: Make.date(200))]
      )
      #expect(subjects == [Make.subject("1")])
    }
  }

  @Test(arguments: Backend.allCases)
  func orderOfTheTokenDecidesWhoeverPresentsFirst(_ backend: Backend) async throws {
    let fact = Make.write(Make.payload("1", token: Make.number(1).accountToken))
    var order = LedgerWrite(date: Make.date(50))
    order.orders = [Make.order(1, customer: "ann", context: ["level": 3])]
    let bob = Make.presented("1", by: "bob")
    for writes in [
      [fact, order, bob], [fact, bob, order], [order, fact, bob], [bob, order, fact],
    ] {
      try await backend.withLedger { ledger in
        for write in writes { _ = try await ledger.commit(write) }
        let (owner, conflicts, orders) = try await ledger.read { reader throws(StorageError) in
          (
            try reader.owner(of: Make.subject("1")),
            try reader.conflicts(of: Make.subject("1")),
            try reader.orders(of: "ann", app: "com.example.app")
          )
        }
        #expect(owner?.customer == "ann")
        #expect(owner?.ground == .accountToken)
        #expect(conflicts.map(\.customer) == ["bob"])
        #expect(orders == [Make.order(1, customer: "ann", context: ["level": 3])])
      }
    }
  }

  @Test(arguments: Backend.allCases)
  func tokenOfACustomerDecidesToo(_ backend: Backend) async throws {
    try await backend.withLedger { ledger in
      let token = Make.number(9).accountToken
      _ = try await ledger.commit(Make.write(Make.payload("1", token: token)))
      var write = LedgerWrite(date: Make.date(60))
      write.aliases = [
        CustomerAlias(app: "com.example.app", token: token, customer: "ann"),
        CustomerAlias(app: "com.example.app", token: token, customer: "late"),
      ]
      _ = try await ledger.commit(write)
      let owner = try await ledger.read { reader throws(StorageError) in
        try reader.owner(of: Make.subject("1"))
      }
      #expect(owner == OwnerRecord(customer: "ann", ground: .accountToken, date: Make.date(60)))
    }
  }

  @Test(arguments: Backend.allCases)
  func orderIsOpenedOnceAndFoundWithItsContext(_ backend: Backend) async throws {
    try await backend.withLedger { ledger in
      var write = LedgerWrite(date: Make.date(0))
      write.orders = [Make.order(1, context: ["a": [1, "zwei", .null]]), Make.order(2)]
      #expect(try await ledger.commit(write).ordersOpened == [true, true])
      write.orders[0].quantity = 7
      #expect(try await ledger.commit(write).ordersOpened == [false, false])
      let order = try await ledger.read { reader throws(StorageError) in
        try reader.order(Make.number(1), app: "com.example.app")
      }
      #expect(order == Make.order(1, context: ["a": [1, "zwei", .null]]))
      let other = try await ledger.read { reader throws(StorageError) in
        try reader.order(Make.number(1), app: "com.example.other")
      }
      #expect(other == nil)
    }
  }

  @Test(arguments: Backend.allCases)
  func notesAreKeptInOrderAndReadInPages(_ backend: Backend) async throws {
    try await backend.withLedger { ledger in
      var write = LedgerWrite(date: Make.date(0))
      write.audit = (1...3).map { index in
        AuditRecord(
          app: index == 2 ? nil : "com.example.app",
          action: "test.\(index)",
          details: ["index": .integer(Int64(index))],
          date: Make.date(TimeInterval(index))
        )
      }
      _ = try await ledger.commit(write)
      let pages = try await ledger.read { reader throws(StorageError) in
        [
          try reader.audit(after: 0, limit: 2), try reader.audit(after: 2, limit: 2),
          try reader.audit(after: 3, limit: 2),
        ]
      }
      #expect(pages.map { $0.map(\.sequence) } == [[1, 2], [3], []])
      var expected = write.audit
      for index in expected.indices { expected[index].sequence = Int64(index + 1) }
      #expect(pages.flatMap { $0 } == expected)
    }
  }
}

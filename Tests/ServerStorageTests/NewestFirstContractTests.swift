import Foundation
import IAPModel
import ServerStorage
import Testing

@Suite struct NewestFirstContractTests {
  private static let app: BundleID = "com.example.app"

  private func fill(_ ledger: any Ledger) async throws {
    for number in 1...5 {
      var write = LedgerWrite(date: Make.date(TimeInterval(number)))
      write.documents = [
        DocumentWrite(
          DocumentKey(.review, app: Self.app, name: "\(number)"),
          shelf: number.isMultiple(of: 2) ? "even" : "odd",
          body: [:],
          condition: .always
        )
      ]
      write.audit = [
        AuditRecord(app: Self.app, action: "a\(number)", date: write.date)
      ]
      _ = try await ledger.commit(write)
    }
  }

  @Test(arguments: Backend.allCases)
  func documentsComeFromTheirEnd(backend: Backend) async throws {
    try await backend.withLedger { ledger in
      try await fill(ledger)
      func list(_ shelf: String?, _ before: Int64, _ limit: Int) async throws -> [String] {
        try await ledger.read { reader throws(StorageError) in
          try reader.documents(
            .review,
            app: Self.app,
            shelf: shelf,
            before: before,
            limit: limit
          )
        }.map(\.key.name)
      }
      #expect(try await list(nil, .max, 9) == ["5", "4", "3", "2", "1"])
      #expect(try await list(nil, .max, 2) == ["5", "4"])
      #expect(try await list("odd", .max, 2) == ["5", "3"])
      #expect(try await list("none", .max, 2) == [])
      #expect(try await list(nil, 0, 9) == [])
      #expect(try await list(nil, .max, 0) == [])
      let third = try await ledger.read { reader throws(StorageError) in
        try reader.document(DocumentKey(.review, app: Self.app, name: "3"))?.sequence ?? 0
      }
      #expect(try await list(nil, third, 9) == ["2", "1"])
      #expect(try await list("odd", third, 9) == ["1"])
    }
  }

  @Test(arguments: Backend.allCases)
  func notesComeFromTheirEnd(backend: Backend) async throws {
    try await backend.withLedger { ledger in
      try await fill(ledger)
      func list(_ before: Int64, _ limit: Int) async throws -> [String] {
        try await ledger.read { reader throws(StorageError) in
          try reader.audit(before: before, limit: limit)
        }.map(\.action)
      }
      #expect(try await list(.max, 9) == ["a5", "a4", "a3", "a2", "a1"])
      #expect(try await list(.max, 2) == ["a5", "a4"])
      #expect(try await list(0, 9) == [])
      let third = try await ledger.read { reader throws(StorageError) in
        try reader.audit(after: 0, limit: 9).first { $0.action == "a3" }?.sequence ?? 0
      }
      #expect(try await list(third, 9) == ["a2", "a1"])
    }
  }
}

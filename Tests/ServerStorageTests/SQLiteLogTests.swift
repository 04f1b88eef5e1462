import Foundation
import IAPModel
import SQLiteStorage
import ServerStorage
import Synchronization
import Testing

/// Logs of a SQLite ledger that are forgotten after a while, and slow statements.
@Suite struct SQLiteLogTests {
  private func withPath(_ body: (String) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("iap-logs-" + UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try await body(folder.path + "/ledger.sqlite")
  }

  private func note(_ number: Int, at date: Date) -> LedgerWrite {
    var write = LedgerWrite(date: date)
    write.audit = [
      AuditRecord(app: nil, action: "test", details: ["n": .integer(Int64(number))], date: date)
    ]
    return write
  }

  private func notes(_ ledger: any Ledger) async throws -> [Int64] {
    try await ledger.read { reader throws(StorageError) in
      try reader.audit(after: 0, limit: 1_000).compactMap { $0.details["n"]?.integerValue }
    }
  }

  @Test func whatIsOldEnoughIsForgottenAndNumbersGoOn() async throws {
    try await withPath { path in
      let ledger = try SQLiteLedger(path: path)
      let now = Make.date(400 * 86_400)
      let end = try #require(LogRetention.end(90, at: now))
      // One older by a unit, one of the very instant.
      let dates = [Make.date(0), end.addingTimeInterval(-0.001), end, now]
      for (number, date) in dates.enumerated() {
        _ = try await ledger.commit(note(number, at: date))
      }
      var retention = LogRetention()
      #expect(try await ledger.keepLogs(retention, at: now).isNothing)
      #expect(try await notes(ledger) == [0, 1, 2, 3])
      retention.auditDays = 90
      #expect(try await ledger.keepLogs(retention, at: now).rowsDropped == 2)
      #expect(try await notes(ledger) == [2, 3])
      // The newest stays, however old it is: numbers go on from it.
      let later = now.addingTimeInterval(1_000 * 86_400)
      #expect(try await ledger.keepLogs(retention, at: later).rowsDropped == 1)
      _ = try await ledger.commit(note(4, at: later))
      let sequences = try await ledger.read { reader throws(StorageError) in
        try reader.audit(after: 0, limit: 10).map(\.sequence)
      }
      #expect(sequences == [4, 5])
      await ledger.close()
    }
  }

  @Test func slowStatementsAreToldWithoutWhatTheyCarry() async throws {
    try await withPath { path in
      let notices = Mutex<[LedgerNotice]>([])
      var options = SQLiteLedger.Options()
      options.slowMillisecondsMin = 0
      let ledger = try SQLiteLedger(path: path, options: options) { notice in
        notices.withLock { $0.append(notice) }
      }
      _ = try await ledger.commit(Make.write(Make.payload("770077"), at: 1))
      _ = try await ledger.counts()
      await ledger.close()
      let told = notices.withLock { $0 }
      #expect(Set(told.map(\.kind)) == [.slowStatement])
      #expect(told.contains { $0.details.hasPrefix("INSERT INTO facts (scope, key") })
      #expect(told.contains { $0.details.hasPrefix("SELECT (SELECT max(id) FROM facts)") })
      #expect(told.allSatisfy { !$0.details.contains("770077") && $0.details.count <= 300 })
    }
  }
}

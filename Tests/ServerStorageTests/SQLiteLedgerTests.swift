import Dispatch
import Foundation
import IAPEntitlements
import IAPModel
import SQLiteAdapter
import ServerStorage
import Testing

@testable import SQLiteStorage

@Suite struct SQLiteLedgerTests {
  private func payloads(_ range: ClosedRange<Int>) -> [TransactionPayload] {
    range.map { Make.payload(TransactionID("\($0)")) }
  }

  private func counts(_ path: String) async throws -> LedgerCounts {
    let ledger = try SQLiteLedger(path: path)
    let counts = try await ledger.counts()
    await ledger.close()
    return counts
  }

  @Test func everythingSurvivesAReopening() async throws {
    try await withTemporaryFolder { folder in
      let path = folder + "/ledger.sqlite"
      var write = Make.write(Make.payload("1", token: Make.number(1).accountToken))
      write.orders = [Make.order(1, customer: "ann", context: ["a": 1])]
      write.claims = [
        ClaimRequest(
          scope: Make.scope,
          unit: "tx:1",
          installation: "phone",
          date: Make.date(0)
        )
      ]
      write.audit = [AuditRecord(app: nil, action: "test", date: Make.date(0))]
      let first = try SQLiteLedger(path: path)
      _ = try await first.commit(write)
      let before = try await first.counts()
      let history = try await first.history(of: Make.subject("1"))
      await first.close()

      let second = try SQLiteLedger(path: path)
      #expect(try await second.counts() == before)
      #expect(try await second.history(of: Make.subject("1")) == history)
      let again = try await second.commit(write)
      #expect(again.facts == [.known])
      #expect(again.newEntries == [])
      #expect(again.ordersOpened == [false])
      #expect(again.claims.map(\.installation) == ["phone"])
      await second.close()
    }
  }

  /// What is on the disk at any instant opens again, with every write that was answered and with
  /// none in part: each write here makes one fact, one entry and one outbox row.
  @Test func copyOfTheFilesAtAnyInstantHoldsWholeWritesOnly() async throws {
    try await withTemporaryFolder { folder in
      let path = folder + "/ledger.sqlite"
      let ledger = try SQLiteLedger(path: path)
      for payload in payloads(1...20) { _ = try await ledger.commit(Make.write(payload)) }
      let database = try Data(contentsOf: URL(fileURLWithPath: path))
      let log = try Data(contentsOf: URL(fileURLWithPath: path + "-wal"))
      var last = 0
      for step in 0...40 {
        let copy = folder + "/copy.sqlite"
        for ending in ["", "-wal", "-shm"] {
          try? FileManager.default.removeItem(atPath: copy + ending)
        }
        try database.write(to: URL(fileURLWithPath: copy))
        try log.prefix(log.count * step / 40).write(to: URL(fileURLWithPath: copy + "-wal"))
        // A log that is cut before the schema was committed leaves an empty database.
        let found = try await counts(copy)
        #expect(found.facts == found.entries && found.facts == found.outbox, "step \(step)")
        #expect(found.facts >= last, "step \(step)")
        last = found.facts
      }
      #expect(last == 20)
      await ledger.close()
    }
  }

  @Test func claimsOfTheFirstVersionAreKeptAndCanBeAcknowledged() async throws {
    try await withTemporaryFolder { folder in
      let path = folder + "/ledger.sqlite"
      do {
        let connection = try SQLiteConnection(
          path: path,
          mode: .readWrite,
          busyTimeoutMilliseconds: 100
        )
        try SQLiteSchema.migrate(connection, steps: Array(SQLiteSchema.migrations.prefix(1)))
        try connection.run(
          "INSERT INTO scopes (id, app, environment) VALUES (1, 'com.example.app', 'Sandbox')"
        )
        try connection.run(
          """
          INSERT INTO claims (scope, unit, installation, date_ms)
          VALUES (1, 'tx:1', 'phone', 1700000000000)
          """
        )
      }
      let ledger = try SQLiteLedger(path: path)
      let claim = try await ledger.read { reader throws(StorageError) in
        try reader.claim(to: "tx:1", in: Make.scope)
      }
      #expect(claim == ClaimRecord(installation: "phone", date: Make.date(0)))
      let outcome = try await ledger.commit(Make.claim("phone", at: 5, acknowledges: true))
      #expect(outcome.claims.map(\.acknowledgedDate) == [Make.date(5)])
      #expect(try await ledger.counts().claims == 1)
      await ledger.close()
    }
  }

  @Test func newerSchemaIsRefusedAndLeftAsItIs() async throws {
    try await withTemporaryFolder { folder in
      let path = folder + "/ledger.sqlite"
      let ledger = try SQLiteLedger(path: path)
      _ = try await ledger.commit(Make.write(Make.payload("1")))
      await ledger.close()
      let connection = try SQLiteConnection(
        path: path,
        mode: .readWrite,
        busyTimeoutMilliseconds: 100
      )
      try connection.run("INSERT INTO schema_version (version, name) VALUES (99, 'future')")
      try connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
      let before = try Data(contentsOf: URL(fileURLWithPath: path))
      #expect(throws: StorageError(.newerSchema, "")) { try SQLiteLedger(path: path) }
      #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
    }
  }

  @Test func fileOfSomethingElseIsRefusedAndLeftAsItIs() async throws {
    try await withTemporaryFolder { folder in
      let foreign = folder + "/foreign.sqlite"
      let connection = try SQLiteConnection(
        path: foreign,
        mode: .readWrite,
        busyTimeoutMilliseconds: 100
      )
      try connection.execute("CREATE TABLE notes (text TEXT)")
      let text = folder + "/text"
      try Data("this is no database at all, but a letter".utf8).write(
        to: URL(fileURLWithPath: text)
      )
      for path in [foreign, text] {
        let before = try Data(contentsOf: URL(fileURLWithPath: path))
        #expect(throws: StorageError(.corrupt, "")) { try SQLiteLedger(path: path) }
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
      }
    }
  }

  @Test func whyADatabaseCannotBeUsedIsSaidInWords() async throws {
    try await withTemporaryFolder { folder in
      let text = folder + "/text"
      try Data("this is no database at all, but a letter".utf8).write(
        to: URL(fileURLWithPath: text)
      )
      for (path, words) in [
        (text, "file is not a database"), (folder + "/none/x", "unable to open database file"),
      ] {
        let error = #expect(throws: StorageError.self) { try SQLiteLedger(path: path) }
        #expect(error?.reason.contains(words) == true)
      }
    }
  }

  @Test func damagedPagesAreATypedError() async throws {
    try await withTemporaryFolder { folder in
      let path = folder + "/ledger.sqlite"
      let ledger = try SQLiteLedger(path: path)
      for payload in payloads(1...50) { _ = try await ledger.commit(Make.write(payload)) }
      await ledger.close()
      var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
      for index in stride(from: 4096, to: bytes.count, by: 7) { bytes[index] = 0xA5 }
      try bytes.write(to: URL(fileURLWithPath: path))
      #expect(throws: StorageError(.corrupt, "")) { try SQLiteLedger(path: path) }
    }
  }

  @Test func fullDiskFailsWholeWritesLosesNothingAndWorksAgainWithSpace() async throws {
    try await withTemporaryFolder { folder in
      let path = folder + "/ledger.sqlite"
      var options = SQLiteLedger.Options()
      options.pageCountMax = 60
      let ledger = try SQLiteLedger(path: path, options: options)
      var answered = 0
      var failure: StorageError?
      for payload in payloads(1...200) where failure == nil {
        var write = Make.write(payload)
        write.facts[0].bytes =
          Array("secret-\(payload.transactionID)".utf8)
          + [UInt8](repeating: 9, count: 2_000)
        do throws(StorageError) {
          _ = try await ledger.commit(write)
          answered += 1
        } catch {
          failure = error
        }
      }
      #expect(failure == StorageError(.full, ""))
      #expect(failure?.isRetryable == true)
      #expect(failure?.description.contains("secret") == false)
      #expect(answered > 0)
      let counts = try await ledger.counts()
      #expect(counts.facts == answered)
      #expect(counts.entries == answered)
      try ledger.setPageCountMax(10_000)
      let next = payloads(answered + 1...answered + 1)[0]
      #expect(try await ledger.commit(Make.write(next)).facts == [.inserted])
      await ledger.close()
      #expect(try await self.counts(path).facts == answered + 1)
    }
  }

  @Test func onFullDiskManyWritesAtOnceAreEachWholeOrAbsent() async throws {
    try await withTemporaryFolder { folder in
      var options = SQLiteLedger.Options()
      options.pageCountMax = 60
      let ledger = try SQLiteLedger(path: folder + "/ledger.sqlite", options: options)
      let answered = await withTaskGroup(of: Bool.self) { group in
        for index in 1...100 {
          group.addTask {
            var write = Make.write(Make.payload(TransactionID("\(index)")))
            write.facts[0].bytes = [UInt8](repeating: 9, count: 3_000)
            return (try? await ledger.commit(write)) != nil
          }
        }
        return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
      }
      let counts = try await ledger.counts()
      #expect(answered < 100)
      #expect(counts.facts == answered)
      #expect(counts.entries == answered)
      #expect(counts.outbox == answered)
      await ledger.close()
    }
  }

  @Test func writeThatCannotBeWorkedInFailsAlone() async throws {
    try await withTemporaryFolder { folder in
      let ledger = try SQLiteLedger(path: folder + "/ledger.sqlite")
      var damage = LedgerWrite(date: Make.date(0))
      damage.documents = [
        DocumentWrite(
          DocumentKey(.eventWatch, app: Make.scope.app, name: "\(Make.scope.environment):13"),
          body: [:],
          condition: .always
        )
      ]
      _ = try await ledger.commit(damage)
      // As many as may be gathered into one batch, behind whatever comes first.
      let failures = await withTaskGroup(of: (Int, StorageError?).self) { group in
        for index in 1...40 {
          group.addTask {
            let payload = Make.payload(TransactionID("\(index)"), type: .nonConsumable)
            do throws(StorageError) {
              _ = try await ledger.commit(Make.write(payload))
              return (index, nil)
            } catch {
              return (index, error)
            }
          }
        }
        return await group.reduce(into: [Int: StorageError]()) { $0[$1.0] = $1.1 }
      }
      #expect(failures == [13: StorageError(.corrupt, "")])
      let counts = try await ledger.counts()
      #expect(counts.facts == 39)
      #expect(counts.entries == 39)
      #expect(counts.outbox == 39)
      await ledger.close()
    }
  }

  @Test func folderThatMayNotBeWrittenIsATypedError() throws {
    // Not even the superuser can make a file there.
    var found: StorageError?
    do throws(StorageError) {
      _ = try SQLiteLedger(path: "/proc/ledger.sqlite")
    } catch {
      found = error
    }
    #expect(found?.isRetryable == true)
    #expect(["readOnly", "unavailable"].contains(found?.code.rawValue))
    #expect(throws: StorageError(.unavailable, "")) {
      try SQLiteLedger(path: "/no/such/folder/ledger.sqlite")
    }
  }

  @Test func lockOfAnotherProcessIsBusyAndPasses() async throws {
    try await withTemporaryFolder { folder in
      let path = folder + "/ledger.sqlite"
      var options = SQLiteLedger.Options()
      options.busyTimeoutMilliseconds = 20
      let ledger = try SQLiteLedger(path: path, options: options)
      let other = try SQLiteConnection(path: path, mode: .readWrite, busyTimeoutMilliseconds: 20)
      try other.execute("BEGIN IMMEDIATE")
      await #expect(throws: StorageError(.busy, "")) {
        try await ledger.commit(Make.write(Make.payload("1")))
      }
      try other.execute("ROLLBACK")
      #expect(try await ledger.commit(Make.write(Make.payload("1"))).facts == [.inserted])
      await ledger.close()
    }
  }

  @Test func readsThatStandStillStopNeitherWritesNorOtherTasks() async throws {
    try await withTemporaryFolder { folder in
      let ledger = try SQLiteLedger(path: folder + "/ledger.sqlite")
      let gate = DispatchSemaphore(value: 0)
      // More of them than there are readers, and than the shared pool has threads.
      let reads = (0..<16).map { _ in
        Task {
          try await ledger.read { reader throws(StorageError) in
            gate.wait()
            return try reader.counts().facts
          }
        }
      }
      #expect(await Task { 40 + 2 }.value == 42)
      #expect(try await ledger.commit(Make.write(Make.payload("1"))).facts == [.inserted])
      for _ in reads { gate.signal() }
      for read in reads { #expect(try await read.value <= 1) }
      await ledger.close()
    }
  }

  @Test func fileIsForTheServerAlone() async throws {
    try await withTemporaryFolder { folder in
      let path = folder + "/ledger.sqlite"
      let ledger = try SQLiteLedger(path: path)
      _ = try await ledger.commit(Make.write(Make.payload("1")))
      for ending in ["", "-wal"] {
        let attributes = try FileManager.default.attributesOfItem(atPath: path + ending)
        #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
      }
      await ledger.close()
    }
  }

  @Test func everyCommitIsFlushed() async throws {
    try await withTemporaryFolder { folder in
      let ledger = try SQLiteLedger(path: folder + "/ledger.sqlite")
      #expect(try ledger.pragma("synchronous") == "2")
      #expect(try ledger.pragma("journal_mode") == "wal")
      #expect(try ledger.pragma("foreign_keys") == "1")
      await ledger.close()
    }
  }
}

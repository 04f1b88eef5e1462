import Foundation
import IAPModel
import PostgresAdapter
import ServerStorage
import Testing

@testable import PostgresStorage

/// Logs that are split by month: parts made ahead, parts dropped, and the step that splits them.
@Suite(.enabled(if: PostgresTestServer.shared != nil, PostgresTestServer.absence))
struct PostgresLogTests {
  private let server: PostgresTestServer
  private let schema: String
  private static let day: Int64 = 86_400_000
  private static let before = Array(PostgresSchema.steps.prefix(2))

  init() throws {
    server = try #require(PostgresTestServer.shared)
    schema = server.newSchema()
  }

  private func ledger(_ steps: [PostgresSchema.Step]? = nil) throws -> PostgresLedger {
    let address = server.address
    var options = PostgresLedger.Options()
    options.schema = schema
    options.readersMax = 2
    return try PostgresLedger({ address }, options: options, steps: steps ?? PostgresSchema.steps)
  }

  private func note(_ number: Int, at date: Date) -> LedgerWrite {
    var write = LedgerWrite(date: date)
    write.audit = [
      AuditRecord(app: nil, action: "test", details: ["n": .integer(Int64(number))], date: date)
    ]
    return write
  }

  private func notes(_ ledger: PostgresLedger) async throws -> [Int64] {
    try await ledger.read { reader throws(StorageError) in
      try reader.audit(after: 0, limit: 1_000).compactMap { $0.details["n"]?.integerValue }
    }
  }

  private func parts(_ table: String = "audit") throws -> Set<String> {
    Set(
      try server.sql(
        """
        SELECT c.relname::text FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
        WHERE i.inhparent = to_regclass('\(table)')
        """,
        schema: schema
      ).compactMap { $0.first ?? nil }
    )
  }

  private func rows(_ part: String) throws -> Int {
    try server.number("SELECT count(*) FROM \(part)", schema: schema)
  }

  @Test func monthsBeginAndEndWhereTheCalendarSays() {
    let march = LogMonth(of: 1_709_251_200_000)  // 2024-03-01T00:00:00Z
    #expect(march.name == "2024_03")
    #expect(march.start == 1_709_251_200_000)
    #expect(march.end == 1_711_929_600_000)
    #expect(LogMonth(of: march.start - 1).name == "2024_02")
    #expect(
      LogMonth(of: march.start - 1).end - LogMonth(of: march.start - 1).start == 29 * Self.day
    )
    #expect(LogMonth(of: march.end) == march.next)
    #expect(LogMonth(of: -1).name == "1969_12")
    #expect(LogMonth(of: LogMonth(of: 1_735_689_599_999).end).name == "2025_01")
  }

  @Test func aNewLedgerHasPartsForThisMonthAndTheNext() async throws {
    let ledger = try ledger()
    let now = LogMonth(of: Date().milliseconds)
    for table in PostgresLogs.tables {
      let names = [now.name, now.next.name, "other"].map { "\(table)_\($0)" }
      #expect(try parts(table) == Set(names))
    }
    _ = try await ledger.commit(note(1, at: Date(milliseconds: now.start)))
    _ = try await ledger.commit(note(2, at: Date(milliseconds: now.end - 1)))
    _ = try await ledger.commit(note(3, at: Date(milliseconds: now.end)))
    #expect(try rows("audit_\(now.name)") == 2)
    #expect(try rows("audit_\(now.next.name)") == 1)
    #expect(try await notes(ledger) == [1, 2, 3])
    await ledger.close()
  }

  @Test func rowsOfNoPartMoveWhenTheirMonthGetsOne() async throws {
    let ledger = try ledger()
    let far = Date(timeIntervalSince1970: 4_102_444_800)  // 2100-01-01T00:00:00Z
    for number in 1...3 { _ = try await ledger.commit(note(number, at: far)) }
    #expect(try rows("audit_other") == 3)
    let done = try await ledger.keepLogs(LogRetention(), at: far)
    #expect(done.partsMade == 2 * (1 + PostgresLogs.monthsAhead))
    #expect(try rows("audit_other") == 0)
    #expect(try rows("audit_2100_01") == 3)
    #expect(try await ledger.keepLogs(LogRetention(), at: far).isNothing)
    _ = try await ledger.commit(note(4, at: far))
    #expect(try await notes(ledger) == [1, 2, 3, 4])
    await ledger.close()
  }

  @Test func aMonthIsDroppedWhenAllOfItIsOldEnoughAndNotADayBefore() async throws {
    let ledger = try ledger()
    let month = LogMonth(of: Make.date(0).milliseconds)
    _ = try await ledger.keepLogs(LogRetention(), at: Date(milliseconds: month.start))
    _ = try await ledger.commit(note(1, at: Date(milliseconds: month.start)))
    _ = try await ledger.commit(note(2, at: Date(milliseconds: month.end - 1)))
    _ = try await ledger.commit(note(3, at: Date(milliseconds: month.end)))
    var retention = LogRetention()
    retention.auditDays = 60
    let due = month.end + 60 * Self.day
    let early = try await ledger.keepLogs(retention, at: Date(milliseconds: due - 1))
    #expect(early.partsDropped == [])
    #expect(try await notes(ledger) == [1, 2, 3])
    let done = try await ledger.keepLogs(retention, at: Date(milliseconds: due))
    #expect(done.partsDropped == ["audit_\(month.name)"])
    #expect(try await notes(ledger) == [3])
    // The outbox is kept for ever, and numbers go on.
    #expect(try parts("outbox").contains("outbox_\(month.name)"))
    _ = try await ledger.commit(note(4, at: Date(milliseconds: due)))
    let sequences = try await ledger.read { reader throws(StorageError) in
      try reader.audit(after: 0, limit: 10).map(\.sequence)
    }
    #expect(sequences == [3, 4])
    await ledger.close()
  }

  @Test func serversThatLookAfterTheLogsAtOnceUnderLoadMakeEachPartOnce() async throws {
    let ledgers = try (0..<4).map { _ in try ledger() }
    let far = Date(timeIntervalSince1970: 4_102_444_800)
    try await withThrowingTaskGroup(of: Int.self) { group in
      for (index, ledger) in ledgers.enumerated() {
        group.addTask {
          for number in 0..<10 { _ = try await ledger.commit(note(index * 100 + number, at: far)) }
          return 0
        }
        group.addTask { try await ledger.keepLogs(LogRetention(), at: far).partsMade }
      }
      let made = try await group.reduce(0, +)
      #expect(made == 2 * (1 + PostgresLogs.monthsAhead))
    }
    #expect(try await notes(ledgers[0]).count == 40)
    for ledger in ledgers { await ledger.close() }
  }

  @Test func logsThatWereSplitBySequenceGoOnUnderTheirMonths() async throws {
    let older = try ledger(Self.before)
    _ = try await older.commit(Make.order(1, customer: "ann"))
    _ = try await older.commit(Make.purchase(1))
    _ = try await older.commit(note(1, at: Date()))
    // A clock that was far ahead once.
    let far = Date(timeIntervalSince1970: 4_102_444_800)
    _ = try await older.commit(note(2, at: far))
    let newer = try ledger()
    #expect(try server.number("SELECT max(version) FROM schema_version", schema: schema) == 3)
    #expect(try rows("audit_before") == 1)
    #expect(try rows("audit_other") == 1)
    // Side by side: whichever writes, whatever the date, and each sees all of it in order.
    _ = try await older.commit(note(3, at: Date()))
    _ = try await newer.commit(note(4, at: Make.date(0)))
    _ = try await older.commit(Make.purchase(2))
    _ = try await newer.commit(Make.purchase(3))
    let restarted = try ledger(Self.before)
    for ledger in [older, newer, restarted] {
      #expect(try await notes(ledger) == [1, 2, 3, 4])
      let told = try await ledger.read { reader throws(StorageError) in
        try reader.outbox(after: 0, limit: 10).map(\.sequence)
      }
      #expect(told == [1, 2, 3])
    }
    // The statement with which older software makes the next parts finds them.
    for part in 1...3 {
      try server.sql(PostgresSchema.logPartition("audit", Int64(part)), schema: schema)
    }
    // Next month there are parts, and what was there before goes when it is old.
    let edge = LogMonth(of: Date().milliseconds).end
    let done = try await newer.keepLogs(LogRetention(), at: Date(milliseconds: edge))
    #expect(done.partsMade > 0)
    var retention = LogRetention()
    retention.auditDays = LogRetention.daysMin
    let due = Date(milliseconds: edge + Int64(LogRetention.daysMin) * Self.day)
    #expect(try await newer.keepLogs(retention, at: due).partsDropped.contains("audit_before"))
    #expect(try await notes(newer) == [2])
    for ledger in [older, newer, restarted] { await ledger.close() }
  }
}

import AppStoreSimulator
import Foundation
import HTTPValues
import IAPModel
import PostgresStorage
import SQLiteStorage
import ServerStorage
import Testing

/// `iap restore --until`: a ledger as it was at an instant, between all kinds of places.
@Suite(.serialized) struct RestoreUntilTests {
  private static let scope = LedgerScope(app: DemoCatalog.bundleID, environment: .sandbox)

  private func dump(_ ledger: any Ledger) async throws -> LedgerDump {
    let dump = try await ledger.dump(of: [Self.scope])
    await ledger.close()
    return dump
  }

  private func run(
    _ words: [String],
    _ environment: [String: String] = [:]
  ) async throws
    -> CommandProcess.Outcome
  {
    try await CommandProcess.run(words, environment: environment)
  }

  /// A served ledger with purchases, a backup in the middle, and the instant of its last fact.
  private func live(_ served: ServedStore, _ place: String) async throws -> (String, Int64) {
    let server = try await ServedProcess(served.words(database: place))
    let purchases = try served.purchases(12)
    for proof in purchases.prefix(6) { #expect(await server.post(proof)?.status == 200) }
    let stopped = served.folder.path + "/stopped.sqlite"
    let backup = try await run(["backup", "--database", place, "--to", stopped])
    #expect(backup.status == 0, "\(backup.errors)")
    for proof in purchases.dropFirst(6) { #expect(await server.post(proof)?.status == 200) }
    server.process.signal(SIGTERM)
    #expect(await server.process.exit() == 0)
    let span = try #require(try SQLitePast.span(of: stopped))
    return (stopped, span.upperBound.milliseconds)
  }

  @Test func aFileIsRestoredAsItWasAndEveryOtherInstantIsAnswered() async throws {
    let served = try ServedStore()
    defer { served.remove() }
    let (stopped, until) = try await live(served, served.ledgerPath)
    let past = served.folder.path + "/past.sqlite"
    let call = ["restore", "--from", served.ledgerPath, "--database", past]
    let made = try await run(call + ["--until", "\(until)", "--json"])
    #expect(made.status == 0, "\(made.errors)")
    let json = try JSONParser.parseObject(Array(made.output.utf8), limits: .document)
    #expect(json["until"] == .integer(until))
    #expect(json["facts"] == 6)
    #expect(json["factsLeft"] == 6)
    #expect(json["entriesUnrecorded"] == 0)
    let (there, here) = (
      try await dump(SQLiteLedger(path: stopped)), try await dump(SQLiteLedger(path: past))
    )
    #expect(there.lines == here.lines)
    // It is a ledger: it is served, and takes what it lost.
    let server = try await ServedProcess(served.words(database: past))
    #expect(await server.metric("iap_ledger_entries") == 6)
    server.process.signal(SIGTERM)
    let status = await server.process.exit()
    #expect(status == 0, "\(server.process.errors)")
    // Nothing that is there is written over.
    #expect(try await run(call + ["--until", "\(until)"]).status == 1)
    let other = ["restore", "--from", served.ledgerPath, "--database", past + ".other"]
    for (text, status, words) in [
      ("yesterday", 2, "a date such as"), ("2026-02-30T00:00:00Z", 2, "a date such as"),
      ("9000-01-01T00:00:00Z", 2, "in the future"), ("", 2, "a date such as"),
      ("2020-01-01T00:00:00Z", 1, "the first fact came at"),
    ] {
      let outcome = try await run(other + ["--until", text])
      #expect(outcome.status == Int32(status), "\(text): \(outcome.errors)")
      #expect(outcome.errors.contains(words), "\(text): \(outcome.errors)")
      #expect(!FileManager.default.fileExists(atPath: past + ".other"))
    }
    let chinese = try await run(
      other + ["--until", "2020-01-01T00:00:00Z"],
      ["LANG": "zh_CN.UTF-8"]
    )
    #expect(chinese.errors.contains("该时刻尚无任何事实"))
    let leftovers = try FileManager.default.contentsOfDirectory(atPath: served.folder.path)
      .filter { $0.contains(".past") || $0.contains("unfinished") }
    #expect(leftovers == [])
  }

  @Test(.enabled(if: PostgresServer.isWanted, PostgresServer.absence))
  func aDatabaseIsRestoredIntoAnotherAsItWas() async throws {
    try await PostgresServer.with { source in
      try await PostgresServer.with { target in
        let served = try ServedStore()
        defer { served.remove() }
        let (stopped, until) = try await live(served, source.address)
        let file = served.folder.path + "/past.sqlite"
        for place in [target.address, file] {
          let made = try await run([
            "restore", "--from", source.address, "--database", place, "--until", "\(until)",
          ])
          #expect(made.status == 0, "\(made.errors)")
          #expect(made.output.contains("6 fact(s) up to"))
        }
        let lines = try await dump(SQLiteLedger(path: stopped)).lines
        #expect(try await dump(SQLiteLedger(path: file)).lines == lines)
        #expect(try await dump(PostgresLedger(target.address)).lines == lines)
      }
    }
  }
}

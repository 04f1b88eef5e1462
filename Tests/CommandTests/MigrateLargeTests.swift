import AppStoreSimulator
import Foundation
import HTTPClient
import HTTPValues
import IAPEntitlements
import IAPModel
import PostgresStorage
import SQLiteStorage
import ServerStorage
import Synchronization
import Testing

/// A ledger that is large moves while notifications keep arriving.
///
/// `IAP_MIGRATE_LEDGER` names a SQLite ledger that is copied and moved in place of a small one.
@Suite(.serialized, .enabled(if: PostgresServer.isWanted, PostgresServer.absence))
struct MigrateLargeTests {
  private static let facts = 1_500

  private final class Record: Sendable {
    private let proofs = Mutex<[Proof]>([])
    private let over = Atomic<Bool>(false)
    private let gone = Atomic<Int>(0)
    var acknowledged: [Proof] { proofs.withLock { $0 } }
    var isOver: Bool { over.load(ordering: .relaxed) }
    func note(_ proof: Proof) { proofs.withLock { $0.append(proof) } }
    var removed: Int { gone.load(ordering: .relaxed) }
    func remove() { gone.add(1, ordering: .relaxed) }
    func end() { over.store(true, ordering: .relaxed) }
  }

  /// A purchase of another app: it is moved and never looked at again.
  private func purchase(_ number: Int) -> FactRecord {
    let date = Date(milliseconds: 1_700_000_000_000 + Int64(number))
    var payload = TransactionPayload(
      transactionID: TransactionID("\(number)"),
      originalTransactionID: OriginalTransactionID("\(number)"),
      bundleID: "com.example.large",
      productID: "coins",
      purchaseDate: date
    )
    payload.type = .consumable
    payload.environment = .sandbox
    payload.signedDate = date
    payload.quantity = 1
    return FactRecord(
      key: .transaction(payload),
      scope: LedgerScope(app: "com.example.large", environment: .sandbox),
      bytes: payload.object.serialized,
      signedDate: date,
      receivedDate: date,
      facts: [.transaction(payload)]
    )
  }

  private func prepare(_ path: String) async throws {
    if let given = ProcessInfo.processInfo.environment["IAP_MIGRATE_LEDGER"] {
      try FileManager.default.copyItem(atPath: given, toPath: path)
      return
    }
    let ledger = try SQLiteLedger(path: path)
    for start in stride(from: 0, to: Self.facts, by: 100) {
      let facts = (start..<(start + 100)).map { purchase($0) }
      _ = try await ledger.commit(LedgerWrite(date: facts[0].receivedDate, facts: facts))
    }
    await ledger.close()
  }

  private func endpoints(_ server: ServedProcess) async throws -> [String] {
    let response = try #require(await server.get("/v1/webhooks"))
    let object = try JSONParser.parseObject(response.body, limits: .document)
    return (object["webhooks"]?.arrayValue ?? []).compactMap {
      $0.objectValue?["id"]?.stringValue
    }
  }

  /// Makes endpoints, which are taken away while the ledger moves.
  private func addEndpoints(_ server: ServedProcess) async throws {
    for number in 0..<12 {
      let body: JSONObject = ["url": .string("https://hooks.example.com/\(number)")]
      #expect(await server.post(Proof(path: "/v1/webhooks", body: body.serialized))?.status == 200)
    }
  }

  private func remove(_ endpoint: String, _ server: ServedProcess) async -> Bool {
    let request = HTTPOutgoingRequest(
      method: .delete,
      url: server.url + "/v1/webhooks/" + endpoint
    )
    return (try? await HTTPClient().send(request))?.isSuccess == true
  }

  private func dump(_ ledger: any Ledger) async throws -> LedgerDump {
    try await ledger.dump(of: [LedgerScope(app: DemoCatalog.bundleID, environment: .sandbox)])
  }

  @Test func nothingIsMissingThatArrivedWhileALargeLedgerMoved() async throws {
    try await PostgresServer.with { database in
      let served = try ServedStore()
      defer { served.remove() }
      try await prepare(served.ledgerPath)
      let old = try await ServedProcess(served.words)
      let before = try #require(await old.metric("iap_ledger_facts"))
      try await addEndpoints(old)
      let hooks = try await endpoints(old)
      let record = Record()
      let start = Date()
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask {
          while !record.isOver {
            let removed = record.removed
            if removed < hooks.count, await remove(hooks[removed], old) { record.remove() }
            let proofs = try await served.purchases(1) + served.notifications()
            for proof in proofs {
              if await old.post(proof)?.status == 200 { record.note(proof) }
            }
          }
        }
        group.addTask {
          defer { record.end() }
          let moved = try await CommandProcess.run(
            ["migrate", "--from", "sqlite:" + served.ledgerPath, "--to", database.address]
          )
          #expect(moved.status == 0, "\(moved.output) \(moved.errors)")
          print("migrate: " + moved.output.split(separator: "\n").suffix(4).joined(separator: "; "))
        }
        try await group.waitForAll()
      }
      let seconds = Int(Date().timeIntervalSince(start))
      old.process.signal(SIGTERM)
      #expect(await old.process.exit() == 0)
      let acknowledged = record.acknowledged
      print("migrate: \(before) facts and \(acknowledged.count) that arrived, \(seconds) s")
      let new = try await ServedProcess(served.words(database: database.address))
      #expect(await new.metric("iap_ledger_facts") ?? 0 >= before + acknowledged.count)
      // What was taken away while it moved is in neither place.
      #expect(hooks.count == 12)
      let left = try await endpoints(new)
      #expect(left == Array(hooks.dropFirst(record.removed)))
      let ledger = try PostgresLedger(database.address)
      let moved = try await dump(ledger)
      // What was acknowledged is there: the same again changes nothing.
      for proof in acknowledged { #expect(await new.post(proof)?.status == 200) }
      let isSame = try await dump(ledger) == moved
      #expect(isSame)
      await ledger.close()
      new.process.signal(SIGTERM)
      #expect(await new.process.exit() == 0)
    }
  }
}

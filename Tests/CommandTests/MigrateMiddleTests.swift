import AppStoreSimulator
import Foundation
import HTTPClient
import HTTPValues
import IAPModel
import Testing

/// What happens in the middle of a move, with the copy held still there.
@Suite(.serialized, .enabled(if: PostgresServer.isWanted, PostgresServer.absence))
struct MigrateMiddleTests {
  private static let client = HTTPClient()

  private func send(_ method: HTTPMethod, _ server: ServedProcess, _ path: String) async -> Int? {
    let request = HTTPOutgoingRequest(method: method, url: server.url + path)
    return (try? await Self.client.send(request))?.status
  }

  /// Purchases of a customer.
  private func purchases(_ served: ServedStore, of customer: String) throws -> [Proof] {
    try served.purchases(5).map { proof in
      var body = try JSONParser.parseObject(proof.body)
      body["account"] = .string(customer)
      body["installation"] = "one"
      return Proof(path: proof.path, body: body.serialized)
    }
  }

  private func makeTables(_ database: PostgresServer) async throws {
    let made = try await CommandProcess.run(["keys", "list", "--database", database.address])
    #expect(made.status == 0)
  }

  private func words(_ served: ServedStore, _ database: PostgresServer) -> [String] {
    ["migrate", "--from", "sqlite:" + served.ledgerPath, "--to", database.address]
  }

  @Test func aMoveThatWasKilledHalfWayIsMadeAgain() async throws {
    try await PostgresServer.with { database in
      let served = try ServedStore()
      defer { served.remove() }
      let old = try await ServedProcess(served.words)
      let first = try purchases(served, of: "mia")
      for proof in first { #expect(await old.post(proof)?.status == 200) }
      try await makeTables(database)
      let indices = try database.indices()
      let copy = try HeldCopy(database)
      let killed = try CommandProcess(words(served, database))
      try copy.arrival()
      killed.signal(SIGKILL)
      _ = await killed.exit()
      try copy.release()
      // Half a ledger is served by nobody.
      let refused = try await CommandProcess.run(["keys", "list", "--database", database.address])
      #expect(refused.status != 0)
      #expect(refused.errors.contains("is being copied"))
      let later = try purchases(served, of: "zoe")
      for proof in later { #expect(await old.post(proof)?.status == 200) }
      let again = try await CommandProcess.run(words(served, database))
      #expect(again.status == 0, "\(again.output) \(again.errors)")
      #expect(try database.indices() == indices)
      old.process.signal(SIGTERM)
      let new = try await ServedProcess(served.words(database: database.address))
      #expect(await new.metric("iap_ledger_entries") == 10)
      for proof in first + later { #expect(await new.post(proof)?.status == 200) }
      #expect(await new.metric("iap_ledger_entries") == 10)
      new.process.signal(SIGTERM)
      #expect(await new.process.exit() == 0)
    }
  }

  @Test func whatChangesWhileRowsAreCopiedIsAsItWasLast() async throws {
    try await PostgresServer.with { database in
      let served = try ServedStore()
      defer { served.remove() }
      let old = try await ServedProcess(served.words)
      let gone = try purchases(served, of: "mia")
      let kept = try purchases(served, of: "zoe")
      // The last one's rows have the largest numbers, which are given again when they are removed.
      for proof in kept + gone { #expect(await old.post(proof)?.status == 200) }
      try await makeTables(database)
      let copy = try HeldCopy(database)
      let moving = try CommandProcess(words(served, database))
      try copy.arrival()
      #expect(await send(.delete, old, "/v1/customers/mia") == 200)
      let later = try purchases(served, of: "ada")
      for proof in later { #expect(await old.post(proof)?.status == 200) }
      try copy.release()
      // It compares every row of both places before it says so.
      #expect(await moving.exit() == 0, "\(moving.errors)")
      old.process.signal(SIGTERM)
      let new = try await ServedProcess(served.words(database: database.address))
      #expect(await new.metric("iap_ledger_entries") == 15)
      for (customer, count) in [("mia", 0), ("zoe", 5), ("ada", 5)] {
        let path = "/v1/customers/\(customer)?environment=Sandbox"
        let response = try #require(await new.get(path))
        let object = try? JSONParser.parseObject(response.body)
        #expect((object?["purchases"]?.arrayValue ?? []).count == count, "\(customer)")
      }
      new.process.signal(SIGTERM)
      #expect(await new.process.exit() == 0)
    }
  }
}

extension PostgresServer {
  /// Every index of the ledger, as the statement that makes it.
  fileprivate func indices() throws -> String {
    let input = Pipe()
    let output = Pipe()
    let process = session(reading: input)
    process.standardOutput = output
    try process.run()
    let words = """
      SELECT indexdef FROM pg_indexes WHERE schemaname = 'iap' ORDER BY 1;
      SELECT conrelid::regclass, conname, pg_get_constraintdef(oid) FROM pg_constraint
      WHERE connamespace = 'iap'::regnamespace ORDER BY 1, 2;

      """
    try input.fileHandleForWriting.write(contentsOf: Data(words.utf8))
    try input.fileHandleForWriting.close()
    let bytes = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return String(decoding: bytes, as: UTF8.self)
  }
}

import AppStoreSimulator
import Foundation
import HTTPClient
import HTTPValues
import IAPModel
import Testing

/// What a server answers when its PostgreSQL is in trouble.
@Suite(.serialized, .enabled(if: PostgresServer.isWanted, PostgresServer.absence))
struct ServePostgresTroubleTests {
  private func object(_ response: HTTPResponse?) throws -> JSONObject {
    try JSONParser.parseObject(try #require(response).body, limits: .document)
  }

  private func message(_ response: HTTPResponse?) throws -> String {
    try object(response)["error"]?.objectValue?["message"]?.stringValue ?? ""
  }

  @Test func aDatabaseThatIsDownAtTheStartEndsTheServerWithoutWaiting() async throws {
    try await PostgresServer.with { database in
      let served = try ServedStore()
      defer { served.remove() }
      try database.kill()
      let outcome = try await CommandProcess.run(served.words(database: database.address))
      #expect(outcome.status == 1)
      #expect(outcome.output.isEmpty)
      #expect(outcome.errors.contains("(unavailable)"))
      // Whoever supervises the server starts it again.
      try database.start()
      let server = try await ServedProcess(served.words(database: database.address))
      #expect(await server.get("/readyz")?.status == 200)
      server.process.signal(SIGTERM)
      #expect(await server.process.exit() == 0)
    }
  }

  @Test func aDatabaseThatIsLostIsWaitedForWithoutAStart() async throws {
    try await PostgresServer.with { database in
      let served = try ServedStore()
      defer { served.remove() }
      let purchases = try served.purchases(3)
      let server = try await ServedProcess(served.words(database: database.address))
      #expect(await server.post(purchases[0])?.status == 200)
      try database.kill()
      let refused = try #require(await server.post(purchases[1]))
      #expect(refused.status == 503)
      #expect(refused.headers["Retry-After"] == "1")
      #expect(await server.get("/healthz")?.status == 503)
      let unready = await server.get("/readyz")
      #expect(unready?.status == 503)
      #expect(try message(unready).contains("unavailable"))
      try database.start()
      for proof in purchases { #expect(await server.post(proof)?.status == 200) }
      #expect(await server.get("/readyz")?.status == 200)
      #expect(await server.metric("iap_ledger_entries") == 3)
      server.process.signal(SIGTERM)
      #expect(await server.process.exit() == 0)
      #expect(server.process.errors.contains("database event=reconnected"))
    }
  }

  @Test func aDatabaseThatMustNotBeWrittenIsRead() async throws {
    try await PostgresServer.with { database in
      let served = try ServedStore()
      defer { served.remove() }
      let purchases = try served.purchases(2)
      let server = try await ServedProcess(served.words(database: database.address))
      #expect(await server.post(purchases[0])?.status == 200)
      try database.sql(
        "ALTER SYSTEM SET default_transaction_read_only = on",
        "SELECT pg_reload_conf()"
      )
      var answer = await server.get("/readyz")
      while answer?.status == 200 { answer = await server.get("/readyz") }
      #expect(answer?.status == 503)
      #expect(try message(answer).contains("readOnly"))
      #expect(await server.post(purchases[1])?.status == 503)
      #expect(await server.get("/healthz")?.status == 200)
      #expect(await server.metric("iap_ledger_entries") == 1)
      try database.sql(
        "SET default_transaction_read_only = off",
        "ALTER SYSTEM RESET default_transaction_read_only",
        "SELECT pg_reload_conf()"
      )
      var status: Int?
      while status != 200 { status = await server.post(purchases[1])?.status }
      #expect(await server.metric("iap_ledger_entries") == 2)
      server.process.signal(SIGTERM)
      #expect(await server.process.exit() == 0)
    }
  }

  @Test func aPasswordInAFileIsReadAgainWhenItIsRotatedUnderLoad() async throws {
    try await PostgresServer.with { database in
      let served = try ServedStore()
      defer { served.remove() }
      try database.demandPassword(of: "rotating", "first-secret")
      let file = served.folder.appendingPathComponent("address")
      func write(_ password: String) throws {
        let address = database.address.replacingOccurrences(
          of: "postgres://iap@",
          with: "postgres://rotating:\(password)@"
        )
        try Data((address + "\n").utf8).write(to: file, options: .atomic)
      }
      try write("first-secret")
      let words =
        served.words.filter { $0 != "--database" && !$0.hasSuffix("ledger.sqlite") }
        + ["--database-file", file.path]
      let server = try await ServedProcess(words)
      let purchases = try served.purchases(60)
      try await withThrowingTaskGroup(of: Void.self) { group in
        for part in 0..<6 {
          group.addTask {
            for index in stride(from: part, to: purchases.count, by: 6) {
              var status: Int?
              while status != 200 { status = await server.post(purchases[index])?.status }
            }
          }
        }
        while await server.metric("iap_ledger_entries") ?? 0 < 10 { await Task.yield() }
        try database.sql(
          "ALTER ROLE rotating PASSWORD 'second-secret'",
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'rotating'"
        )
        // Until the file says the new one, requests are refused and nothing is lost.
        while await server.get("/readyz")?.status != 503 { await Task.yield() }
        try write("second-secret")
        try await group.waitForAll()
      }
      #expect(await server.metric("iap_ledger_entries") == purchases.count)
      server.process.signal(SIGTERM)
      #expect(await server.process.exit() == 0)
      #expect(!server.process.errors.contains("secret"))
      #expect(!server.process.errors.contains("rotating"))
    }
  }
}

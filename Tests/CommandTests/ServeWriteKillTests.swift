import AppStoreSimulator
import Foundation
import HTTPClient
import HTTPValues
import IAPModel
import Synchronization
import Testing

#if canImport(Glibc)
import Glibc
#endif

/// A write that has to be there, once, after it was answered with success.
private struct Write: Hashable, Sendable {
  let path: String
  let name: String
  let body: [UInt8]

  init(_ path: String, _ name: String, _ body: JSONObject) {
    self.path = path
    self.name = name
    self.body = body.serialized
  }
}

@Suite("iap serve under writes", .serialized)
struct ServeWriteKillTests {
  private static let client = HTTPClient()

  private func send(_ server: ServedProcess, _ write: Write) async -> HTTPResponse? {
    try? await Self.client.send(
      HTTPOutgoingRequest(
        method: .post,
        url: server.url + write.path,
        headers: ["Content-Type": "application/json", "Idempotency-Key": write.name],
        body: write.body
      )
    )
  }

  /// Orders, cases, aliases and debits, each under its own name.
  private func writes() -> [Write] {
    (0..<60).flatMap { number -> [Write] in
      let name = "\(number)"
      return [
        Write(
          "/v1/orders",
          "order-" + name,
          ["productId": "p", "account": "mia", "context": ["n": .string(name)]]
        ),
        Write(
          "/v1/reviews",
          "review-" + name,
          [
            "transactionId": .string(name), "productId": "p", "reason": "rejected",
            "attempts": 5,
          ]
        ),
        Write("/v1/customers/mia/aliases", "alias-" + name, ["alias": .string("a" + name)]),
        Write(
          "/v1/customers/mia/debits?environment=Sandbox",
          "debit-" + name,
          ["balance": "coins", "amount": 1]
        ),
      ]
    }
  }

  /// Gives the customer something to spend.
  private func prepare(_ served: ServedStore, _ server: ServedProcess) async throws {
    let catalog: JSONObject = [
      "products": [
        [
          "id": .string(DemoCatalog.coins.rawValue), "type": "Consumable",
          "credits": ["coins": 1000],
        ]
      ]
    ]
    let put = try await Self.client.send(
      HTTPOutgoingRequest(
        method: .put,
        url: server.url + "/v1/catalog",
        headers: ["Content-Type": "application/json"],
        body: catalog.serialized
      )
    )
    #expect(put.status == 200)
    let proof = try #require(try served.purchases(1).first)
    var body = try JSONParser.parseObject(proof.body)
    body["account"] = "mia"
    let verified = await server.post(Proof(path: proof.path, body: body.serialized))
    #expect(verified?.status == 200)
  }

  private func load(
    _ server: ServedProcess,
    _ writes: [Write],
    killAfter successes: Int,
    _ answers: borrowing Mutex<[Write: JSONObject]>
  ) async throws {
    let count = Mutex(0)
    for start in stride(from: 0, to: writes.count, by: 16) {
      let part = writes[start..<min(start + 16, writes.count)]
      let found = await withTaskGroup(of: (Write, HTTPResponse?).self) { group in
        for write in part { group.addTask { (write, await send(server, write)) } }
        var found: [(Write, HTTPResponse?)] = []
        for await answer in group {
          found.append(answer)
          guard answer.1?.status == 200 else { continue }
          let isLast = count.withLock { count in
            count += 1
            return count == successes
          }
          if isLast { server.process.signal(SIGKILL) }
        }
        return found
      }
      for (write, response) in found {
        guard let response, response.status == 200 else { continue }
        var body = try JSONParser.parseObject(response.body)
        body["request_id"] = nil
        let before = answers.withLock { answers in
          defer { if answers[write] == nil { answers[write] = body } }
          return answers[write]
        }
        // What was answered once is answered the same in every later life.
        #expect(before == nil || before == body, "\(write.path) \(write.name)")
      }
      if count.withLock({ $0 >= successes }) { break }
    }
    server.process.signal(SIGKILL)
    _ = await server.process.exit()
  }

  @Test func whatWasAnsweredIsThereOnceAfterEveryKill() async throws {
    let served = try ServedStore()
    defer { served.remove() }
    let first = try await ServedProcess(served.words)
    try await prepare(served, first)
    first.process.signal(SIGTERM)
    #expect(await first.process.exit() == 0)
    let writes = writes()
    let answers = Mutex<[Write: JSONObject]>([:])
    for (round, successes) in [1, 9, 30, 70, 120].enumerated() {
      let server = try await ServedProcess(served.words)
      let start = round * 37
      let rotated = Array(writes[start...] + writes[..<start])
      try await load(server, rotated, killAfter: successes, answers)
    }
    let server = try await ServedProcess(served.words)
    let known = answers.withLock { $0 }
    #expect(known.count >= 120)
    for write in writes {
      let response = try #require(await send(server, write))
      #expect(response.status == 200)
      var body = try JSONParser.parseObject(response.body)
      body["request_id"] = nil
      if let before = known[write] { #expect(before == body, "\(write.path) \(write.name)") }
    }
    // Everything was sent at last, and nothing stands twice.
    #expect(await server.metric("iap_ledger_orders") == 60)
    #expect(await server.metric("iap_ledger_entries") == 1)
    let reviews = try #require(await server.get("/v1/reviews?limit=1000"))
    let listed = try JSONParser.parseObject(reviews.body, limits: .document)
    #expect(listed["reviews"]?.arrayValue?.count == 60)
    let shown = try #require(await server.get("/v1/customers/mia/balances?environment=Sandbox"))
    #expect(try JSONParser.parseObject(shown.body)["balances"] == ["coins": 940])
    server.process.signal(SIGTERM)
    #expect(await server.process.exit() == 0)
  }
}

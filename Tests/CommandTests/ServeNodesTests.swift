import AppStoreSimulator
import Foundation
import HTTPClient
import HTTPValues
import IAPModel
import Testing

/// Two servers on one PostgreSQL: what one has written or withdrawn, on the other.
@Suite(.serialized, .enabled(if: PostgresServer.isWanted, PostgresServer.absence))
struct ServeNodesTests {
  private static let client = HTTPClient()

  private func withNodes(
    keys: Bool = false,
    _ body: (PostgresServer, ServedStore, [ServedProcess]) async throws -> Void
  ) async throws {
    try await PostgresServer.with { database in
      let served = try ServedStore()
      defer { served.remove() }
      let words = served.words(database: database.address)
        .filter { !keys || $0 != "--insecure-no-keys" }
      let nodes = [try await ServedProcess(words), try await ServedProcess(words)]
      try await body(database, served, nodes)
      for node in nodes {
        node.process.signal(SIGTERM)
        #expect(await node.process.exit() == 0)
      }
    }
  }

  private func send(
    _ node: ServedProcess,
    _ method: HTTPMethod,
    _ path: String,
    _ body: JSONObject? = nil,
    headers: HTTPHeaders = [:]
  ) async throws -> HTTPResponse {
    var headers = headers
    if body != nil { headers["Content-Type"] = "application/json" }
    return try await Self.client.send(
      HTTPOutgoingRequest(
        method: method,
        url: node.url + path,
        headers: headers,
        body: body?.serialized ?? []
      )
    )
  }

  @Test func aKeyThatOneNodeWithdrewIsRefusedByTheOtherWithinFiveSeconds() async throws {
    try await withNodes(keys: true) { database, _, nodes in
      func keys(_ words: String...) async throws -> String {
        let outcome = try await CommandProcess.run(
          ["keys"] + words + ["--database", database.address]
        )
        #expect(outcome.status == 0)
        return outcome.output
      }
      let app = DemoCatalog.bundleID.rawValue
      let key = try await keys("create", "--app", app, "--kind", "secret", "--label", "shop")
      let headers: HTTPHeaders = ["Authorization": "Bearer \(key)"]
      func status(_ node: ServedProcess) async throws -> Int {
        try await send(node, .get, "/metrics", headers: headers).status
      }
      for node in nodes { #expect(try await status(node) == 200) }
      _ = try await keys("revoke", String(key.split(separator: "_")[2]))
      let start = Date()
      for node in nodes {
        // Asked all the time, so that remembering it cannot be prolonged by being asked.
        while try await status(node) == 200 { #expect(Date().timeIntervalSince(start) < 7) }
      }
      let seconds = Date().timeIntervalSince(start)
      // The bound of KeyRing.memory, and a second for two slow answers.
      #expect(seconds < 6, "a withdrawn key was taken for \(seconds) s")
    }
  }

  @Test func whatOneNodeWroteTheOtherShowsAtOnce() async throws {
    try await withNodes { _, served, nodes in
      for (number, proof) in try served.purchases(20).enumerated() {
        var body = try JSONParser.parseObject(proof.body)
        body["account"] = .string("c\(number)")
        body["installation"] = "one"
        let (writer, reader) = (nodes[number % 2], nodes[(number + 1) % 2])
        #expect(try await send(writer, .post, "/v1/verify", body).status == 200)
        let path = "/v1/customers/c\(number)?environment=Sandbox"
        let found = try await send(reader, .get, path)
        #expect(found.status == 200)
        #expect(await reader.metric("iap_ledger_entries") == number + 1)
      }
    }
  }

  @Test func aVersionThatOneNodeReplacedIsRefusedByTheOther() async throws {
    try await withNodes { _, _, nodes in
      let catalog = "/v1/catalog"
      func product(_ name: String) -> JSONObject {
        ["products": [["id": .string(name), "type": "Consumable", "credits": ["coins": 1]]]]
      }
      var tag = try #require(try await send(nodes[0], .put, catalog, product("a")).headers["ETag"])
      #expect(try await send(nodes[1], .get, catalog).headers["ETag"] == tag)
      for number in 0..<6 {
        let (writer, other) = (nodes[number % 2], nodes[(number + 1) % 2])
        let body = product("p\(number)")
        let headers: HTTPHeaders = ["If-Match": tag]
        let written = try await send(writer, .put, catalog, body, headers: headers)
        #expect(written.status == 200)
        // Who has seen the older one may not write over the newer, whichever node is asked.
        let late = try await send(other, .put, catalog, product("late"), headers: headers)
        #expect(late.status == 412)
        tag = try #require(written.headers["ETag"])
        let read = try await send(other, .get, catalog)
        #expect(read.headers["ETag"] == tag)
        let text = String(decoding: read.body, as: UTF8.self)
        #expect(text.contains("p\(number)"))
      }
    }
  }

  @Test func nodesCountEachOther() async throws {
    try await withNodes { _, _, nodes in
      for node in nodes {
        while await node.metric("iap_servers") != 2 { await Task.yield() }
      }
      #expect(await nodes[0].metric("iap_server_clock_apart_seconds") == 0)
    }
  }
}

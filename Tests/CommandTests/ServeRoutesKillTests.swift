import AppStoreSimulator
import Foundation
import HTTPClient
import HTTPValues
import IAPModel
import IAPSignatures
import MicroHTTP
import Synchronization
import Testing

#if canImport(Glibc)
import Glibc
#endif

/// One request to a route that writes.
private struct RouteCall: Hashable, Sendable {
  /// The route, as the server's own document names it: `POST /v1/orders`.
  let route: String
  let method: HTTPMethod
  let target: String
  let name: String
  let body: [UInt8]
  var token: String?
  /// The version that is to be replaced.
  var tag: String?

  init(
    _ method: HTTPMethod,
    _ route: String,
    _ name: String,
    _ body: JSONObject = [:],
    id: String? = nil,
    query: String = "",
    token: String? = nil,
    tag: String? = nil
  ) {
    self.route = "\(method.rawValue) \(route)"
    self.method = method
    self.name = "\(route) \(method.rawValue) \(name)"
    self.body = body.serialized
    self.token = token
    self.tag = tag
    target = route.replacingOccurrences(of: "{id}", with: id ?? "") + query
  }
}

/// Every route that writes, killed under load: what was answered with success is there, once, and
/// is answered the same in every later life.
@Suite("iap serve, every writing route, killed", .serialized)
struct ServeRoutesKillTests {
  private static let client = HTTPClient()
  /// How many requests of each route.
  private static let count = 12
  /// How many of those that concern webhooks: an app has few endpoints.
  private static let webhooks = 6

  /// Routes whose second answer tells of the second time: only that they succeed is compared.
  private static let changing: Set<String> = [
    "DELETE /v1/customers/{id}", "POST /v1/notifications/apple", "PUT /v1/catalog",
    "DELETE /v1/webhooks/{id}", "POST /v1/webhooks/{id}/secret",
    "POST /v1/webhooks/{id}/replay",
  ]

  private func send(_ server: ServedProcess, _ call: RouteCall) async -> HTTPResponse? {
    var headers: HTTPHeaders = ["Content-Type": "application/json", "Idempotency-Key": call.name]
    if let token = call.token { headers["Customer-Token"] = token }
    if let tag = call.tag { headers["If-Match"] = tag }
    return try? await Self.client.send(
      HTTPOutgoingRequest(
        method: call.method,
        url: server.url + call.target,
        headers: headers,
        body: call.body
      )
    )
  }

  private func object(_ response: HTTPResponse?) throws -> JSONObject {
    let response = try #require(response)
    return try JSONParser.parseObject(response.body, limits: .document)
  }

  /// The routes that write, by the server's own document.
  private func writingRoutes(_ server: ServedProcess) async throws -> Set<String> {
    let document = try object(await server.get("/openapi.json"))
    var routes: Set<String> = []
    for path in document["paths"]?.objectValue?.members ?? [] {
      for method in path.value.objectValue?.members ?? [] where method.name != "get" {
        routes.insert("\(method.name.uppercased()) \(path.name)")
      }
    }
    return routes
  }

  /// Hands out indexes to many tasks, and counts what succeeded.
  private final class Progress: Sendable {
    private let next = Mutex(0)
    private let successes = Mutex(0)
    private let count: Int

    init(_ count: Int) { self.count = count }

    func take() -> Int? {
      next.withLock { next in
        defer { next += 1 }
        return next < count ? next : nil
      }
    }

    func succeed() -> Int {
      successes.withLock { successes in
        successes += 1
        return successes
      }
    }
  }

  /// What the requests need, made before the first kill.
  private struct Ground {
    var token = ""
    var tag = ""
    var reviews: [String] = []
    var audits: [String] = []
    var webhooks: [String] = []
    var purchases: [Proof] = []
    var notifications: [Proof] = []
    var receipt = ""
    var report = ""
  }

  private func prepare(_ served: ServedStore, _ server: ServedProcess) async throws -> Ground {
    var ground = Ground()
    let credit: JSONObject = [
      "products": [
        [
          "id": .string(DemoCatalog.coins.rawValue), "type": "Consumable",
          "credits": ["coins": 1000],
        ]
      ]
    ]
    let catalog = await send(server, RouteCall(.put, "/v1/catalog", "ground", credit))
    ground.tag = try #require(catalog?.headers["ETag"])
    for proof in try served.purchases(1) {
      var body = try JSONParser.parseObject(proof.body)
      body["account"] = "mia"
      let answer = try object(await send(server, RouteCall(.post, "/v1/verify", "ground", body)))
      ground.token = try #require(answer["customerToken"]?.stringValue)
    }
    let text = served.store.report(.summarySales, from: served.store.now, to: served.store.now)
    ground.report = Base64.encode(Array(text.utf8), .standard)
    let audit: JSONObject = ["files": [], "complete": false]
    for number in 0..<Self.count {
      let review: JSONObject = [
        "transactionId": .string("g\(number)"), "productId": "p", "reason": "rejected",
        "attempts": 5,
      ]
      ground.reviews.append(try await made(server, "/v1/reviews", number, review))
      ground.audits.append(try await made(server, "/v1/audits", number, audit))
    }
    for number in 0..<Self.webhooks + 3 {
      let url: JSONObject = ["url": .string("https://hooks.example.com/ground/\(number)")]
      ground.webhooks.append(try await made(server, "/v1/webhooks", number, url))
    }
    ground.purchases = try served.purchases(Self.count)
    ground.notifications = Array(try await served.notifications().suffix(Self.count))
    let receipt = try #require(try served.store.receipt(on: "phone"))
    ground.receipt = Base64.encode(receipt, .standard)
    return ground
  }

  /// The id of what a request makes.
  private func made(
    _ server: ServedProcess,
    _ route: String,
    _ number: Int,
    _ body: JSONObject
  ) async throws -> String {
    let call = RouteCall(.post, route, "ground-\(number)", body)
    return try #require(try object(await send(server, call))["id"]?.stringValue)
  }

  /// The requests of every route.
  private func calls(_ ground: Ground) throws -> [RouteCall] {
    try (0..<Self.count).flatMap { number -> [RouteCall] in
      var list = customerCalls(ground, number) + storeCalls(ground, number)
      if number < Self.webhooks { list += webhookCalls(ground, number) }
      for proof in [ground.purchases[number], ground.notifications[number]] {
        let body = try JSONParser.parseObject(proof.body, limits: .document)
        list.append(RouteCall(.post, proof.path, "\(number)", body))
      }
      return list
    }
  }

  private static let sandbox = "?environment=Sandbox"

  private func customerCalls(_ ground: Ground, _ number: Int) -> [RouteCall] {
    let name = "\(number)"
    let debit: JSONObject = ["balance": "coins", "amount": 1]
    let order: JSONObject = ["productId": "p", "account": "mia"]
    let review: JSONObject = [
      "transactionId": .string(name), "productId": "p", "reason": "rejected", "attempts": 5,
    ]
    let customers = "/v1/customers/{id}"
    return [
      RouteCall(.post, "/v1/orders", name, order),
      RouteCall(.post, "/v1/reviews", name, review),
      RouteCall(
        .post,
        "/v1/reviews/{id}/resolve",
        name,
        ["action": "refuse"],
        id: ground.reviews[number]
      ),
      RouteCall(.post, customers + "/aliases", name, ["alias": .string("a" + name)], id: "zoe"),
      RouteCall(.post, customers + "/tokens", name, id: "ada" + name, query: Self.sandbox),
      RouteCall(.delete, customers + "/tokens", name, id: "eve" + name),
      RouteCall(.delete, customers, name, id: "gone" + name),
      RouteCall(.post, customers + "/debits", name, debit, id: "mia", query: Self.sandbox),
      RouteCall(.post, "/v1/customers/me/debits", name, debit, token: ground.token),
    ]
  }

  private func storeCalls(_ ground: Ground, _ number: Int) -> [RouteCall] {
    let name = "\(number)"
    let file: JSONValue = ["name": "a.txt", "content": .string(ground.report)]
    let files: JSONObject = ["files": [file], "complete": false]
    let receipt: JSONObject = ["receipt-data": .string(ground.receipt)]
    let offer: JSONObject = [
      "format": "promotionalJWS", "offerId": "spring",
      "productId": .string(DemoCatalog.monthly.rawValue),
    ]
    return [
      RouteCall(.put, "/v1/catalog", name, ["products": []], tag: ground.tag),
      RouteCall(.post, "/v1/offers/signature", name, offer),
      RouteCall(.post, "/v1/reconciliations", name, query: Self.sandbox),
      RouteCall(
        .post,
        "/v1/notifications/replays",
        name,
        ["dryRun": true],
        query: Self.sandbox
      ),
      RouteCall(.post, "/v1/audits", name, files),
      RouteCall(.post, "/v1/audits/{id}/files", name, files, id: ground.audits[number]),
      RouteCall(.post, "/sandbox/verifyReceipt", name, receipt),
      RouteCall(.post, "/verifyReceipt", name, receipt),
    ]
  }

  private func webhookCalls(_ ground: Ground, _ number: Int) -> [RouteCall] {
    let name = "\(number)"
    let url: JSONObject = ["url": .string("https://hooks.example.com/" + name)]
    let (changed, rotated, replayed) = (Self.webhooks, Self.webhooks + 1, Self.webhooks + 2)
    let one = "/v1/webhooks/{id}"
    return [
      RouteCall(.post, "/v1/webhooks", name, url),
      RouteCall(.delete, one, name, id: ground.webhooks[number]),
      RouteCall(.patch, one, name, ["note": .string(name)], id: ground.webhooks[changed]),
      RouteCall(.post, one + "/secret", name, id: ground.webhooks[rotated]),
      RouteCall(.post, one + "/replay", name, ["deadLetters": true], id: ground.webhooks[replayed]),
    ]
  }

  private func load(
    _ server: ServedProcess,
    _ calls: [RouteCall],
    killAfter successes: Int,
    _ answers: borrowing Mutex<[RouteCall: JSONObject]>
  ) async throws {
    let progress = Progress(calls.count)
    let found = await withTaskGroup(of: [(RouteCall, HTTPResponse)].self) { group in
      for _ in 0..<12 {
        group.addTask {
          var found: [(RouteCall, HTTPResponse)] = []
          while let index = progress.take() {
            guard let response = await send(server, calls[index]) else { return found }
            found.append((calls[index], response))
            guard response.isSuccess else { continue }
            if progress.succeed() == successes { server.process.signal(SIGKILL) }
          }
          return found
        }
      }
      return await group.reduce(into: []) { $0 += $1 }
    }
    server.process.signal(SIGKILL)
    _ = await server.process.exit()
    for (call, response) in found {
      // Two additions to one audit at the same moment: one of them is told to come again.
      guard response.isSuccess else { continue }
      try check(call, response, answers)
    }
  }

  private func check(
    _ call: RouteCall,
    _ response: HTTPResponse,
    _ answers: borrowing Mutex<[RouteCall: JSONObject]>
  ) throws {
    var body = try object(response)
    for name in ["request_id", "state", "counts", "stage", "findings", "problem", "retryAt"] {
      body[name] = nil
    }
    // A secret is shown once, and how far an endpoint was told moves on.
    if call.route.hasPrefix("POST /v1/webhooks") || call.route.hasPrefix("PATCH") {
      body = ["id": body["id"] ?? .null, "url": body["url"] ?? .null]
    }
    // The old contract dates its answers.
    if call.route.hasSuffix("erifyReceipt") {
      body = ["status": body["status"] ?? .null]
    }
    if Self.changing.contains(call.route) { body = [:] }
    let before = answers.withLock { answers in
      defer { if answers[call] == nil { answers[call] = body } }
      return answers[call]
    }
    #expect(before == nil || before == body, "\(call.name)")
  }

  @Test func whatWasAnsweredIsThereOnceWhateverTheRoute() async throws {
    let served = try ServedStore()
    defer { served.remove() }
    let apple = try ServedApple(served)
    served.store.setNotificationTransport { _, _ in 503 }
    let first = try await ServedProcess(apple.words)
    let ground = try await prepare(served, first)
    let calls = try calls(ground)
    // A route that is added later has to be added here.
    let routes = try await writingRoutes(first)
    #expect(Set(calls.map(\.route)) == routes)
    first.process.signal(SIGTERM)
    #expect(await first.process.exit() == 0)
    let answers = Mutex<[RouteCall: JSONObject]>([:])
    for (round, successes) in [1, 20, 60, 110, 170].enumerated() {
      let server = try await ServedProcess(apple.words)
      let start = round * 43 % calls.count
      try await load(
        server,
        Array(calls[start...] + calls[..<start]),
        killAfter: successes,
        answers
      )
    }
    let server = try await ServedProcess(apple.words)
    for call in calls {
      let response = try #require(await send(server, call))
      // One replaces the catalog; the others find another version than they know.
      let isRight =
        response.status == 200 || (response.status == 412 && call.route == "PUT /v1/catalog")
      #expect(isRight, "\(call.name): \(response.status)")
      if response.isSuccess { try check(call, response, answers) }
    }
    try await countEverything(server, served)
    server.process.signal(SIGTERM)
    #expect(await server.process.exit() == 0)
    await apple.http.stop()
  }

  /// Nothing stands twice.
  private func countEverything(_ server: ServedProcess, _ served: ServedStore) async throws {
    let reviews = try object(await server.get("/v1/reviews?limit=1000"))
    #expect(reviews["reviews"]?.arrayValue?.count == 2 * Self.count)
    let webhooks = try object(await server.get("/v1/webhooks"))
    #expect(webhooks["webhooks"]?.arrayValue?.count == Self.webhooks + 3)
    let balances = try object(await server.get("/v1/customers/mia/balances" + Self.sandbox))
    #expect(balances["balances"] == ["coins": .integer(Int64(1000 - 2 * Self.count))])
    let orders = try object(await server.get("/v1/export?kind=orders&limit=1000"))
    #expect(orders["rows"]?.arrayValue?.count == Self.count)
    let entries = try object(await server.get("/v1/export?limit=1000"))
    let keys = (entries["rows"]?.arrayValue ?? []).compactMap {
      $0.objectValue?["key"]?.stringValue
    }
    #expect(keys.count == Set(keys).count)
    #expect(keys.count == served.store.transactions(of: "mia").count)
  }
}

import AppStoreSimulator
import Foundation
import HTTPValues
import IAPModel
import IAPSignatures
import ServerStorage
import Testing

@testable import EntitlementServer

/// Plants secrets at every place of every route that the table has, in bodies that are right as far
/// as their shape goes, and searches everything that people read.
@Suite struct RouteSecretsTests {
  private static let tag = "zqxSECRETzqx"

  /// What must not be read anywhere, by what it is.
  private struct Secrets {
    var texts: [(what: String, text: String)] = [("a planted text", RouteSecretsTests.tag)]

    mutating func add(_ what: String, _ text: String) { texts.append((what, text)) }

    func found(in text: String) -> [String] {
      texts.filter { text.contains($0.text) }.map(\.what)
    }
  }

  /// A value of a shape that holds the tag wherever a text may stand.
  private func sample(_ shape: Shape, long: String) -> JSONValue {
    switch shape {
    case .text(_, let max):
      // Where there is room, it is a receipt or a signed text.
      return .string(max >= 4096 ? long : String(Self.tag.prefix(max)))
    case .word(let words): return .string(words.first ?? Self.tag)
    case .uuid: return "00000000-0000-4000-8000-00000000abcd"
    case .integer(let range): return .integer(min(max(1, range.lowerBound), range.upperBound))
    case .date: return .integer(TestServer.start.milliseconds)
    case .bool: return true
    case .list(let element, _): return .array([sample(element, long: long)])
    case .object(let fields), .exactly(let fields):
      return .object(
        JSONObject(fields.map { JSONMember($0.name, sample($0.shape, long: long)) })
      )
    case .map(let element, _): return .object([Self.tag: sample(element, long: long)])
    case .anything: return .object([Self.tag: .string(Self.tag)])
    }
  }

  /// Bodies for a route: right ones with the tag in every text, and wrong ones.
  private func bodies(_ route: Route, _ longs: [String]) -> [[UInt8]] {
    guard let shape = route.body.shape else { return [[]] }
    var bodies: [[UInt8]] = []
    for long in longs {
      guard let whole = sample(shape, long: long).objectValue else { continue }
      bodies.append(whole.serialized)
      for member in whole.members {
        var without = whole
        without[member.name] = nil
        bodies.append(without.serialized)
        var wrong = whole
        wrong[member.name] = [Self.tag: [.string(Self.tag)]]
        bodies.append(wrong.serialized)
      }
    }
    bodies.append(Array("{\"\(Self.tag)".utf8))
    bodies.append(Array(Self.tag.utf8))
    return bodies
  }

  private func targets(_ route: Route) -> [String] {
    let path = route.path.split(separator: "/").reduce("") { result, part in
      result + "/" + (part.hasPrefix("{") ? Self.tag : String(part))
    }
    let query = route.parameters.filter { $0.place == .query }.map { "\($0.name)=\(Self.tag)" }
    let all = (query + ["x=\(Self.tag)"]).joined(separator: "&")
    return [path, path + "?" + all, path + "?app=\(DemoCatalog.bundleID)"]
  }

  private func headers(_ route: Route, key: String, token: String) -> HTTPHeaders {
    var headers: HTTPHeaders = [
      "Authorization": "Bearer \(key)", "Customer-Token": token, "Idempotency-Key": Self.tag,
      "If-Match": Self.tag, "If-None-Match": Self.tag, "User-Agent": Self.tag,
      "X-Forwarded-For": Self.tag, "Cookie": Self.tag, "Last-Event-ID": Self.tag,
    ]
    for parameter in route.parameters where parameter.place == .header {
      if headers[parameter.name] == nil { headers[parameter.name] = Self.tag }
    }
    return headers
  }

  /// Sends everything to every route, and returns the bodies of errors.
  private func plant(
    _ test: TestServer,
    _ longs: [String],
    key: String,
    token: String
  ) async -> [(route: String, body: String)] {
    var errors: [(route: String, body: String)] = []
    for route in test.server.table.routes {
      for body in bodies(route, longs) {
        for target in targets(route) {
          for shown in [(key, token), (Self.tag, Self.tag), (key, "iap_ct_\(Self.tag)")] {
            let response = await test.server.answer(
              HTTPRequest(
                method: route.method,
                target: target,
                headers: headers(route, key: shown.0, token: shown.1),
                body: body,
                remote: "203.0.113.7"
              )
            )
            guard response.status >= 400 else { continue }
            let fields = response.headers.map { "\($0.name): \($0.value)" }
            errors.append(
              (
                "\(route.method) \(route.path)",
                fields.joined(separator: "\n") + String(decoding: response.body, as: UTF8.self)
              )
            )
          }
        }
      }
    }
    return errors
  }

  @Test func noRouteLetsASecretIntoALogAnErrorOrAMetric() async throws {
    let ledger = InMemoryLedger()
    let apple = StandInApple(secret: true, receipts: true)
    let test = try TestServer(
      ledger: ledger,
      limits: ServerLimits(requestsPerMinuteMax: 1_000_000),
      receipts: true,
      requiresKeys: true,
      apple: apple
    )
    let key = try await test.key(.secret)
    let coins = try test.buy(DemoCatalog.coins)
    _ = try test.buy(DemoCatalog.monthly)
    let signed = try test.store.signedTransaction(coins.transactionID)
    let receipt = Base64.encode(try #require(try test.store.receipt(on: test.phone)), .standard)
    let issued = try await test.send(
      .post,
      "/v1/verify",
      key: key,
      ["signedTransaction": .string(signed), "account": .string(Self.tag)]
    )
    let token = try #require(issued.text("customerToken"))

    var secrets = Secrets()
    secrets.add("an API key", String(key.suffix(43)))
    secrets.add("a customer token", String(token.suffix(40)))
    secrets.add("a signed transaction", String(signed.suffix(60)))
    secrets.add("a receipt", String(receipt.suffix(60)))
    secrets.add("the shared secret", try test.store.sharedSecret(of: DemoCatalog.bundleID))
    secrets.add("an address", "203.0.113.7")
    secrets.add("a key file", "PRIVATE KEY")
    secrets.add("a bearer token of Apple's", "eyJ")

    let longs = [signed, receipt, Self.tag]
    var errors = await plant(test, longs, key: key, token: token)
    // The same while the disk and Apple are in trouble: what the inside knows is logged then.
    ledger.refuseCommits(with: StorageError(.full, "no space left"))
    apple.goDown()
    errors += await plant(test, longs, key: key, token: token)
    ledger.refuseCommits(with: nil)

    #expect(Set(errors.map(\.route)).count > 30)
    for error in errors {
      let found = secrets.found(in: error.body)
      #expect(found.isEmpty, "\(error.route): \(found)")
    }
    try await search(test, ledger, secrets, key)
    print(
      "SECRETS: \(test.server.table.routes.count) routes, \(errors.count) errors, "
        + "\(test.logged.count) lines of log searched"
    )
  }

  private func search(
    _ test: TestServer,
    _ ledger: InMemoryLedger,
    _ secrets: Secrets,
    _ key: String
  ) async throws {
    let logged = test.logged
    #expect(logged.contains { $0.level == .error })
    for event in logged {
      for line in [event.description, event.json(at: test.store.clock.now)] {
        let found = secrets.found(in: line)
        #expect(found.isEmpty, "\(event.name): \(found)")
      }
    }
    let metrics = await test.server.answer(
      HTTPRequest(method: .get, target: "/metrics", headers: ["Authorization": "Bearer \(key)"])
    )
    #expect(metrics.status == 200)
    #expect(secrets.found(in: String(decoding: metrics.body, as: UTF8.self)).isEmpty)
    let audit = try await ledger.read { reader throws(StorageError) in
      try reader.audit(after: 0, limit: 100_000)
    }
    for record in audit {
      let found = secrets.found(in: JSONValue.object(record.details).serializedText)
      #expect(found.isEmpty, "\(record.action): \(found)")
    }
  }
}

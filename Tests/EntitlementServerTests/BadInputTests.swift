import AppStoreSimulator
import EntitlementServer
import Foundation
import HTTPValues
import IAPModel
import ServerStorage
import Testing

/// One operation out of the server's own documentation.
private struct Operation {
  let method: HTTPMethod
  let path: String
  let access: String
  let hasBody: Bool

  /// Every operation that the server documents.
  static func all(_ test: TestServer) async throws -> [Operation] {
    let response = await test.server.answer(HTTPRequest(method: .get, target: "/openapi.json"))
    let document = try JSONParser.parseObject(response.body, limits: .document)
    return (document["paths"]?.objectValue?.members ?? []).flatMap { path in
      (path.value.objectValue?.members ?? []).map { member in
        Operation(
          method: HTTPMethod(member.name.uppercased()),
          path: path.name,
          access: member.value.objectValue?["x-access"]?.stringValue ?? "",
          hasBody: member.value.objectValue?["requestBody"] != nil
        )
      }
    }
  }

  /// The target with a text in the place of each parameter.
  func target(_ text: String = "x") -> String {
    path.split(separator: "/").reduce("") { result, part in
      result + "/" + (part.hasPrefix("{") ? PercentCoding.encode(text) : String(part))
    }
  }
}

/// What nobody should send, at every route that there is.
@Suite struct BadInputTests {
  private static let hostile = [
    "'; DROP TABLE orders; --", "\" OR \"\"=\"", "x\r\nSet-Cookie: a=b", "x\u{0}y", "../../etc",
    "%00", "{{7*7}}", "<script>", "\u{202E}abc", "\u{FEFF}", "ａｄｍｉｎ", "аdmin",
    String(repeating: "A", count: 5000), "-1", "9223372036854775808", "NaN", " ",
  ]

  @Test func everyBodyIsCheckedBeforeAnythingIsDone() async throws {
    let test = try TestServer()
    // The old receipt endpoint has words of its own for that, tested with it.
    let operations = try await Operation.all(test).filter {
      $0.hasBody && $0.access != "customer" && !$0.path.hasSuffix("/verifyReceipt")
    }
    #expect(operations.count >= 8)
    for operation in operations {
      for bad in BadBody.all.prefix(9) {
        let answer = try await test.send(
          HTTPRequest(method: operation.method, target: operation.target(), body: bad.bytes)
        )
        #expect(answer.status == bad.status, "\(operation.path), \(bad.testDescription)")
        #expect(answer.errorCode == bad.code, "\(operation.path), \(bad.testDescription)")
      }
      let typed = try await test.send(
        HTTPRequest(
          method: operation.method,
          target: operation.target(),
          headers: ["Content-Type": "text/plain"],
          body: Array("{}".utf8)
        )
      )
      #expect(typed.status == 415, "\(operation.path)")
      let long = [UInt8](repeating: 0x20, count: ServerLimits.standard.bodyBytesMax + 1)
      let large = try await test.send(
        HTTPRequest(method: operation.method, target: operation.target(), body: long)
      )
      #expect(large.status == 413, "\(operation.path)")
    }
    #expect(try await test.ledger.counts() == LedgerCounts())
  }

  @Test(arguments: Backend.allCases)
  func hostileIdentifiersAreOnlyTexts(backend: Backend) async throws {
    try await withLedger(backend) { ledger in
      let test = try TestServer(ledger: ledger)
      for operation in try await Operation.all(test) {
        for text in Self.hostile {
          let escaped = PercentCoding.encode(text)
          let body = JSONObject([JSONMember("a", .string(text))]).serialized
          var answers: [HTTPResponse] = []
          for target in [
            operation.target(text),
            operation.target() + "?app=\(escaped)&environment=\(escaped)&after=\(escaped)",
          ] {
            answers.append(
              await test.server.answer(
                HTTPRequest(method: operation.method, target: target, body: body)
              )
            )
          }
          for answer in answers {
            #expect(answer.status < 500 || answer.status == 501, "\(operation.path) \(text)")
            for field in answer.headers {
              #expect(!field.value.contains("DROP") && field.name != "Set-Cookie")
            }
          }
        }
      }
      // The tables are still there, and nobody got in.
      let coins = try test.buy(DemoCatalog.coins)
      #expect(try await test.verify(coins, ["account": "mia"]).text("verdict") == "accepted")
      #expect(try await ledger.counts().orders == 0)
    }
  }

  @Test func hostileTextsInEveryMemberAreKeptOrRefusedButNeverRun() async throws {
    let test = try TestServer(ledger: InMemoryLedger())
    for text in Self.hostile {
      let value = JSONValue.string(text)
      let order = try await test.post(
        "/v1/orders",
        ["productId": value, "account": value, "context": ["note": value]]
      )
      let review = try await test.post(
        "/v1/reviews",
        [
          "transactionId": value, "productId": value, "reason": value, "attempts": 1,
          "lastError": value, "account": value, "installation": value,
        ]
      )
      for answer in [order, review] { #expect([200, 400].contains(answer.status), "\(text)") }
      guard order.status == 200, let number = order.text("orderNumber") else { continue }
      let shown = try await test.get("/v1/orders/\(number)")
      #expect(shown.body["context"] == ["note": value])
    }
  }

  @Test func withoutTheRightKeyNoRouteDoesAnything() async throws {
    let test = try TestServer(requiresKeys: true, otherApp: true)
    let app = try await test.key(.public)
    let foreign = try await test.key(.secret, app: TestServer.appB)
    let named = "?app=\(DemoCatalog.bundleID)"
    for operation in try await Operation.all(test) {
      let target = operation.target("00000000-0000-4000-8000-000000000000")
      let none = try await test.send(operation.method, target, ["a": 1])
      if ["open", "apple"].contains(operation.access) {
        #expect(none.status != 401 && none.status != 403, "\(operation.path)")
        continue
      }
      #expect(none.status == 401, "\(operation.path)")
      #expect(none.errorCode == "keyMissing")
      let wrong = try await test.send(
        operation.method,
        target,
        key: "iap_sk_000000000000_" + String(repeating: "A", count: 43),
        ["a": 1]
      )
      #expect(wrong.errorCode == "keyRefused", "\(operation.path)")
      let weak = try await test.send(operation.method, target, key: app, ["a": 1])
      switch operation.access {
      case "backend": #expect(weak.errorCode == "secretKeyNeeded", "\(operation.path)")
      case "customer": #expect(weak.errorCode == "customerTokenRefused", "\(operation.path)")
      default: #expect(weak.status != 401 && weak.status != 403, "\(operation.path)")
      }
      guard operation.access == "backend", operation.path != "/metrics" else { continue }
      let other = try await test.send(
        operation.method,
        target + named,
        key: foreign,
        body(operation)
      )
      #expect(other.errorCode == "anotherApp", "\(operation.method) \(operation.path)")
    }
  }

  /// A body that is right as far as the shape goes.
  private func body(_ operation: Operation) -> JSONObject {
    switch operation.path {
    case "/v1/catalog": ["products": []]
    case "/v1/webhooks": ["url": "https://hooks.shop.com/in"]
    case "/v1/webhooks/{id}": ["enabled": true]
    case "/v1/webhooks/{id}/secret": [:]
    case "/v1/webhooks/{id}/replay": ["deadLetters": true]
    case "/v1/audits", "/v1/audits/{id}/files": ["files": []]
    case "/v1/reviews/{id}/resolve": ["action": "refuse"]
    case "/v1/customers/{id}/debits": ["balance": "coins", "amount": 1]
    default: ["alias": "other"]
    }
  }
}

import EntitlementServer
import Foundation
import HTTPValues
import IAPKit
import IAPModel
import IAPSignatures
import OpenSSLCrypto
import ServerStorage
import Testing

/// Every signed text and receipt of the vectors at every entrance: the same verdict for the same
/// reasons, and the one that the verifier itself gives.
@Suite(.enabled(if: ServerVectors.arePresent, "no test vectors: set IAP_VECTORS"))
struct EntranceTests {
  /// The day on which the vectors were made.
  private let now = Date(timeIntervalSince1970: 1_796_000_000)
  private let crypto = TestServer.sharedCrypto

  private func origin(_ environments: Set<StoreEnvironment>) -> ExpectedOrigin {
    ExpectedOrigin(
      apps: [.init(bundleID: "com.example", appAppleID: AppAppleID(1234))],
      environments: environments
    )
  }

  private func server(
    _ root: String,
    _ environments: Set<StoreEnvironment>
  ) throws -> BareServer {
    try BareServer(
      roots: [try ServerVectors.bytes(root)],
      apps: [
        ServerApp(
          bundleID: "com.example",
          appAppleID: AppAppleID(1234),
          environments: environments
        )
      ],
      now: now
    )
  }

  // MARK: Signed texts

  private static let jwsRoot = "derived-jws/pki/root.der"

  private func verifier(_ environments: Set<StoreEnvironment>) throws -> JWSVerifier {
    JWSVerifier(
      anchors: try .simulated([try ServerVectors.bytes(Self.jwsRoot)]),
      origin: origin(environments),
      crypto: crypto
    )
  }

  /// The rules that a text of the vectors fails, by the verifier alone.
  private func reference(
    _ text: [UInt8],
    isNotification: Bool,
    _ environments: Set<StoreEnvironment>,
    _ instant: JudgingInstant
  ) throws -> Set<Rule> {
    let verifier = try verifier(environments)
    let failures =
      isNotification
      ? try NotificationVerifier(verifier: verifier).verify(text, instant: instant).failures
      : try verifier.transaction(text, instant: instant).failures
    return Set(failures.map(\.rule))
  }

  private func environments(_ file: String) -> Set<StoreEnvironment> {
    // The one text that is meant for a server of production.
    file.hasPrefix("43-") ? [.production] : [.sandbox]
  }

  @Test func everyTransactionMeetsOneVerdictAtEveryEntrance() async throws {
    var count = 0
    for entry in try ServerVectors.manifest("derived-jws/manifest.json") {
      let text = try ServerVectors.bytes("derived-jws/" + entry.file)
      let environments = environments(entry.file)
      // What is said to be something else is a transaction here, for the kind is a rule as well.
      let expected = try reference(text, isNotification: false, environments, .signedDate)
      if entry.kind == "transaction", entry.verdict != "POLICY" {
        #expect(expected.isEmpty == (entry.verdict == "ACCEPT"), "\(entry.file)")
      }
      let server = try server(Self.jwsRoot, environments)
      let string = String(decoding: text, as: UTF8.self)
      // A text that is no UTF-8, and an empty one, cannot stand in a body.
      if Array(string.utf8) == text, !text.isEmpty {
        let answer = try await server.post("/v1/verify", ["signedTransaction": .string(string)])
        #expect(answer.status == 200, "\(entry.file)")
        #expect(Set(answer.rules.map { Rule(rawValue: $0) }) == expected, "\(entry.file)")
        #expect(answer.text("verdict") == (expected.isEmpty ? "accepted" : "rejected"))
        count += 1
      }
      // The body that knows receipts only.
      if text.starts(with: Array("eyJ".utf8)), text.contains(UInt8(ascii: ".")) {
        let answer = try await server.post(
          "/v1/verify",
          ["receipt": .string(Base64.encode(text, .standard))]
        )
        #expect(Set(answer.rules.map { Rule(rawValue: $0) }) == expected, "\(entry.file)")
        count += 1
      }
      let client = LocalReceiptValidator(
        trust: DeviceTrust(
          anchors: try .simulated([try ServerVectors.bytes(Self.jwsRoot)]),
          origin: origin(environments),
          crypto: crypto
        )
      )
      if text.starts(with: Array("eyJ".utf8)) {
        let result = try? await client.validate(receiptData: Data(text), isSandbox: true)
        // It cannot be judged what only a local test can have signed.
        #expect(result?.isValid ?? false == expected.isEmpty, "\(entry.file)")
        count += 1
      }
    }
    print("ENTRANCES transactions: \(count) verdicts compared")
  }

  @Test func everyNotificationMeetsOneVerdictAtEveryEntrance() async throws {
    for entry in try ServerVectors.manifest("derived-jws/manifest.json") {
      let text = try ServerVectors.bytes("derived-jws/" + entry.file)
      let environments = environments(entry.file)
      let expected = try reference(text, isNotification: true, environments, .at(now))
      if entry.kind ?? "notification" == "notification", entry.verdict != "POLICY" {
        #expect(expected.isEmpty == (entry.verdict == "ACCEPT"), "\(entry.file)")
      }
      let server = try server(Self.jwsRoot, environments)
      let string = String(decoding: text, as: UTF8.self)
      guard Array(string.utf8) == text, !text.isEmpty else { continue }
      let answer = try await server.post(
        "/v1/notifications/apple",
        ["signedPayload": .string(string)]
      )
      #expect(answer.status == (expected.isEmpty ? 200 : 400), "\(entry.file)")
      #expect(server.lastRules == Set(expected.map(\.rawValue)), "\(entry.file)")
      let facts = try await server.ledger.counts().facts
      #expect(facts == (expected.isEmpty ? 1 : 0), "\(entry.file)")
    }
  }

  /// Sandbox data on a server that takes both goes to the sandbox and opens nothing of production.
  @Test func sandboxDataGivesNothingInProduction() async throws {
    let server = try server(Self.jwsRoot, [.production, .sandbox])
    let text = try ServerVectors.bytes("derived-jws/43-sandbox-for-production-server.jws")
    let answer = try await server.post(
      "/v1/notifications/apple",
      ["signedPayload": .string(String(decoding: text, as: UTF8.self))]
    )
    #expect(answer.status == 200)
    let production = LedgerScope(app: "com.example", environment: .production)
    let sandbox = LedgerScope(app: "com.example", environment: .sandbox)
    #expect(try await server.ledger.dump(of: [production]).lines.isEmpty)
    #expect(try await !server.ledger.dump(of: [sandbox]).lines.isEmpty)
  }

  // MARK: Receipts

  private static let receiptRoot = "derived-receipts/pki/root.der"

  /// What the old endpoint says for the rules that a receipt fails.
  private func oldStatus(_ rules: Set<Rule>) -> Int64 {
    if rules.isEmpty { return 0 }
    if !rules.isDisjoint(with: [.format, .container, .payload, .limits]) { return 21_002 }
    return 21_003
  }

  @Test func everyReceiptMeetsOneVerdictAtEveryEntrance() async throws {
    let root = try ServerVectors.bytes(Self.receiptRoot)
    let origin = ExpectedOrigin(
      apps: [.init(bundleID: "com.example", appAppleID: nil)],
      environments: [.production]
    )
    let verifier = ReceiptVerifier(
      anchors: try .simulated([root]),
      origin: origin,
      crypto: crypto
    )
    let client = LocalReceiptValidator(
      trust: DeviceTrust(anchors: try .simulated([root]), origin: origin, crypto: crypto)
    )
    var count = 0
    for entry in try ServerVectors.manifest("derived-receipts/manifest.json") {
      let bytes = try ServerVectors.bytes("derived-receipts/" + entry.file)
      let isText = entry.file.hasSuffix(".txt")
      let verdict = isText ? try verifier.verify(base64: bytes) : try verifier.verify(bytes)
      let expected = Set(verdict.failures.map(\.rule))
      if entry.verdict != "POLICY" {
        #expect(expected.isEmpty == (entry.verdict == "ACCEPT"), "\(entry.file)")
      }
      let text = isText ? String(decoding: bytes, as: UTF8.self) : Base64.encode(bytes, .standard)
      try await compare(entry.file, text, expected)
      if !isText {
        let result = try? await client.validate(receiptData: Data(bytes), isSandbox: false)
        let hasItems = verdict.accepted?.payload.items.isEmpty == false
        #expect(result?.isValid ?? false == hasItems, "\(entry.file)")
      }
      count += 1
    }
    print("ENTRANCES receipts: \(count) at four entrances")
  }

  /// Posts a receipt wherever a server of production takes one.
  private func compare(_ file: String, _ text: String, _ expected: Set<Rule>) async throws {
    let server = try BareServer(
      roots: [try ServerVectors.bytes(Self.receiptRoot)],
      apps: [ServerApp(bundleID: "com.example", appAppleID: nil, environments: [.production])],
      now: now
    )
    let posted = try await server.post("/v1/verify", ["receipt": .string(text)])
    if expected.contains(.format) {
      #expect(posted.status == 400, "\(file)")
      #expect(posted.errorParameter == (text.isEmpty ? "signedTransaction" : "receipt"))
    } else {
      #expect(posted.status == 200, "\(file)")
      // A genuine receipt without a purchase proves none.
      let rules = Set(posted.rules.map { Rule(rawValue: $0) })
      #expect(rules.subtracting([Rule(rawValue: "matchingTransaction")]) == expected, "\(file)")
    }
    let old = try await server.post("/verifyReceipt", ["receipt-data": .string(text)])
    #expect(old.status == 200)
    let status = old.body["status"]?.integerValue
    if status == 21_007 {
      // Genuine but for its environment.
      #expect(expected == [.environment], "\(file)")
    } else {
      #expect(status == oldStatus(expected), "\(file)")
    }
    let legacy = try await server.post(
      "/v1/notifications/apple",
      [
        "notification_type": "DID_RENEW", "bid": "com.example",
        "unified_receipt": ["latest_receipt": .string(text)],
      ]
    )
    #expect(legacy.status == (expected.isEmpty ? 200 : 400), "\(file)")
    if legacy.errorCode == "notificationRefused" {
      #expect(server.lastRules == Set(expected.map(\.rawValue)), "\(file)")
    }
  }

  @Test func aSandboxReceiptIsSentToTheOtherAddress() async throws {
    let root = try ServerVectors.bytes(Self.receiptRoot)
    let receipt = Base64.encode(
      try ServerVectors.bytes("derived-receipts/25-sandbox.der"),
      .standard
    )
    let cases: [(Set<StoreEnvironment>, String, Int64)] = [
      ([.production, .sandbox], "/verifyReceipt", 21_007),
      ([.production, .sandbox], "/sandbox/verifyReceipt", 0),
      ([.production], "/verifyReceipt", 21_007), ([.production], "/sandbox/verifyReceipt", 21_003),
      ([.sandbox], "/verifyReceipt", 0),
    ]
    for (environments, path, status) in cases {
      let server = try BareServer(
        roots: [root],
        apps: [ServerApp(bundleID: "com.example", appAppleID: nil, environments: environments)],
        now: now
      )
      let answer = try await server.post(path, ["receipt-data": .string(receipt)])
      #expect(answer.body["status"]?.integerValue == status, "\(environments) \(path)")
      if status != 0 { #expect(try await server.ledger.counts().facts == 0) }
    }
  }

  /// Every row that leaves a choice stands in the table of decisions.
  @Test func everyChoiceHasItsDecision() throws {
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("docs/decisions/0211-where-the-vectors-leave-a-choice.md")
    let text = try String(contentsOf: file, encoding: .utf8)
    var count = 0
    for folder in ["derived-jws", "derived-receipts"] {
      for entry in try ServerVectors.manifest(folder + "/manifest.json")
      where entry.verdict == "POLICY" {
        #expect(text.contains("| `\(entry.file)` |"), "\(entry.file)")
        count += 1
      }
    }
    #expect(count > 10)
  }

  // MARK: What it is

  /// What is given in the wrong place is named, not only refused.
  @Test func theKindOfWhatIsGivenIsNamed() async throws {
    let server = try server(Self.jwsRoot, [.sandbox])
    let receipt = Base64.encode(
      try ServerVectors.bytes("derived-receipts/01-valid.der"),
      .standard
    )
    let text = String(
      decoding: try ServerVectors.bytes("derived-jws/02-valid-transaction.jws"),
      as: UTF8.self
    )
    func message(_ answer: TestAnswer) -> String {
      JSONValue.object(answer.body).serializedText
    }
    for (path, member) in [
      ("/v1/verify", "signedTransaction"), ("/v1/notifications/apple", "signedPayload"),
    ] {
      for (value, word) in [
        (receipt, "it is a receipt in base64"), ("<html>", "it is a web page or XML"),
        ("{}", "it is JSON"), ("-----BEGIN X", "in PEM form"),
      ] {
        let answer = try await server.post(path, [member: .string(value)])
        #expect(message(answer).contains(word), "\(path): \(message(answer))")
      }
    }
    for (value, word) in [
      (text, "it is a JWS and no receipt"), ("<html>", "it is a web page or XML"),
      ("MII AAAA", "it contains spaces"), ("MII-AAAA", "URL-safe"),
      ("AAA", "without its padding"),
    ] {
      let posted = try await server.post("/v1/verify", ["receipt": .string(value)])
      #expect(posted.errorParameter == "receipt")
      #expect(message(posted).contains(word), "\(message(posted))")
      let legacy = try await server.post(
        "/v1/notifications/apple",
        ["notification_type": "CANCEL", "bid": "com.example", "latest_receipt": .string(value)]
      )
      #expect(legacy.errorParameter == "latest_receipt")
      #expect(message(legacy).contains(word))
    }
    for (value, word) in [("hello", "it is no receipt"), ("<a>", "web page"), ("{}", "JSON")] {
      let encoded = Base64.encode(Array(value.utf8), .standard)
      let posted = try await server.post("/v1/verify", ["receipt": .string(encoded)])
      #expect(posted.rules.first == "container")
      #expect(message(posted).contains(word), "\(message(posted))")
    }
  }
}

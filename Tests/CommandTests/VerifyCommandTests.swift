import Foundation
import IAPModel
import IAPSignatures
import OpenSSLCrypto
import Testing

/// `iap verify` as a person at a terminal meets it.
@Suite("iap verify")
struct VerifyCommandTests {
  private let folder: URL
  private let crypto: OpenSSLPrimitives
  private let chain: SigningChain
  private let now = Date(timeIntervalSince1970: 1_780_272_000)

  init() throws {
    folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("iap-verify-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    crypto = try OpenSSLPrimitives()
    chain = try SigningChain(
      shape: .transactions(validity: now.addingTimeInterval(-1e6)...now.addingTimeInterval(1e6)),
      seed: [7],
      signing: crypto
    )
    try Data(chain.root).write(to: folder.appendingPathComponent("root.der"))
  }

  private var root: String { folder.appendingPathComponent("root.der").path }

  private func transaction(
    _ change: (inout TransactionPayload) -> Void = { _ in }
  ) throws -> String {
    var payload = TransactionPayload(
      transactionID: "2000000000000001",
      originalTransactionID: "2000000000000001",
      bundleID: "com.example",
      productID: "coins",
      purchaseDate: now
    )
    payload.signedDate = now
    payload.environment = .sandbox
    change(&payload)
    return try CompactJWSWriter(chain: chain).sign(payload.object)
  }

  private func verify(
    _ text: String,
    _ words: [String] = [],
    environment: [String: String] = [:]
  ) async throws -> CommandProcess.Outcome {
    try await CommandProcess.run(
      ["verify", "--root", root] + words + ["-"],
      input: Array(text.utf8),
      environment: environment
    )
  }

  @Test func whatIsGenuineIsAcceptedAndWhatWasNotCheckedIsSaid() async throws {
    let outcome = try await verify(transaction())
    #expect(outcome.status == 0)
    #expect(outcome.errors == "")
    #expect(outcome.output.hasPrefix("ACCEPTED  a signed transaction\n"))
    #expect(outcome.output.contains("com.example"))
    #expect(outcome.output.contains("no real purchase"))
    #expect(outcome.output.contains("Not checked: which app it is for (--bundle)."))
    #expect(outcome.output.contains("Not checked: the environment (--environment)."))
  }

  @Test func everyRuleThatFailsIsNamedAndExplained() async throws {
    let text = try transaction { $0.bundleID = "com.example.other" }
    let words = [
      "--bundle", "com.example", "--environment", "Production", "--at", "2030-01-01T00:00:00Z",
    ]
    let outcome = try await verify(text, words)
    #expect(outcome.status == 1)
    #expect(outcome.output.hasPrefix("REFUSED  a signed transaction: 3 rules fail\n"))
    for rule in ["1. validity: ", "2. bundle: ", "3. environment: "] {
      #expect(outcome.output.contains(rule))
    }
    #expect(outcome.output.contains("It is a purchase in another app."))
    let chinese = try await verify(text, words, environment: ["LANG": "zh_CN.UTF-8"])
    #expect(chinese.output.contains("这是另一个 App 的购买"))
  }

  @Test func aForgedTextCanNeitherFeignLinesNorCommandTheTerminal() async throws {
    let text = try transaction { $0.bundleID = "x\u{1B}[2J\nACCEPTED\u{202E}\u{2028}y" }
    let outcome = try await verify(text, ["--bundle", "com.example"])
    #expect(outcome.status == 1)
    #expect(outcome.output.contains(#"the app x\u{1b}[2J\u{a}ACCEPTED\u{202e}\u{2028}y, expected"#))
    #expect(!outcome.output.unicodeScalars.contains("\u{1B}"))
    let accepted = try await verify(text)
    #expect(accepted.status == 0)
    #expect(accepted.output.contains(#"x\u{1b}[2J\u{a}ACCEPTED\u{202e}\u{2028}y"#))
  }

  @Test func howMuchOfOneTextIsShownIsLimited() async throws {
    for (count, isWhole) in [(960, true), (1001, false)] {
      let name = String(repeating: "a", count: count)
      let outcome = try await verify(
        transaction { $0.bundleID = BundleID(name) },
        ["--bundle", "b"]
      )
      #expect(outcome.status == 1)
      #expect(outcome.output.contains("…") != isWhole)
    }
  }

  @Test func whatIsTooLongIsNotLookedInto() async throws {
    let limit = 6 * 1024 * 1024
    for (size, head) in [(limit, "nothing to verify"), (limit + 1, "a file that was not looked")] {
      let outcome = try await verify(String(repeating: "a", count: size))
      #expect(outcome.status == 1)
      #expect(outcome.output.hasPrefix("REFUSED  \(head)"))
    }
  }

  @Test func dataThatIsExpectedToBeAnotherKindIsNotCalledGenuine() async throws {
    let outcome = try await verify(transaction(), ["--kind", "notification"])
    #expect(outcome.status == 1)
    #expect(outcome.output.contains("It is data of another kind than asked for"))
  }

  @Test func whenACertificateEndedIsSaidBesideWhenItWasJudged() async throws {
    let outcome = try await verify(transaction(), ["--at", "2030-01-01"])
    #expect(outcome.status == 1)
    let ended = "at 2030-01-01T00:00:00Z: the signing certificate ended at 2026-06-12T13:46:40Z"
    #expect(outcome.output.contains(ended), "\(outcome.output)")
  }

  @Test func jsonSaysTheSame() async throws {
    let accepted = try await verify(transaction(), ["--json"])
    let object = try JSONParser.parseObject(Array(accepted.output.utf8), limits: .document)
    #expect(object["verdict"] == "accepted")
    #expect(object["kind"] == "transaction")
    #expect(object["simulated"] == true)
    #expect(object["environment"] == "Sandbox")
    #expect(object["payload"]?.objectValue?["productId"] == "coins")
    let refused = try await verify(transaction(), ["--json", "--environment", "production"])
    #expect(refused.status == 1)
    let other = try JSONParser.parseObject(Array(refused.output.utf8), limits: .document)
    #expect(other["verdict"] == "refused")
    let failures = other["failures"]?.arrayValue?.compactMap(\.objectValue)
    #expect(failures?.map { $0["rule"] } == ["environment"])
  }

  @Test(
    "what is nothing to verify is named",
    arguments: [
      ("", "it is empty"), ("{\"a\":1}", "it is JSON without signed data"),
      ("{", "it starts like JSON and is none"), ("<html>", "it is a web page or XML"),
      ("Dear support, please help. It fails.", "it is plain text"), ("hello", "it is neither"),
      ("\u{1}\u{2}\u{3}", "it is binary data of another kind"),
      ("{\"transactionId\":\"1\"}", "without its signature nothing can be verified"),
      ("-----BEGIN CERTIFICATE-----", "it is a certificate or key in PEM form"),
    ]
  )
  func garbage(_ text: String, _ words: String) async throws {
    let outcome = try await verify(text)
    #expect(outcome.status == 1)
    #expect(outcome.output.hasPrefix("REFUSED  nothing to verify: "))
    #expect(outcome.output.contains(words))
  }

  @Test func theBodyOfANotificationIsUnwrapped() async throws {
    var payload = NotificationPayload(type: .test, uuid: "11111111-2222-4333-8444-555555555555")
    payload.signedDate = now
    var data = NotificationPayload.Data()
    data.bundleID = "com.example"
    data.environment = .sandbox
    payload.data = data
    let signed = try CompactJWSWriter(chain: chain).sign(payload.object)
    let body = JSONValue.object(["signedPayload": .string(signed)]).serializedText
    let outcome = try await verify(body, ["--at", "signed"])
    #expect(outcome.status == 0)
    #expect(outcome.output.hasPrefix("ACCEPTED  a notification\n"))
    // Left to itself a notification is judged now, when these certificates are not valid.
    let now = try await verify(body, ["--json"])
    #expect(now.status == 1)
    #expect(now.output.contains("\"rule\":\"validity\""))
  }

  @Test func theBodyOfARequestIsUnwrapped() async throws {
    let body = JSONValue.object(["signedTransaction": .string(try transaction())]).serializedText
    let outcome = try await verify(body)
    #expect(outcome.status == 0)
    #expect(outcome.output.hasPrefix("ACCEPTED  a signed transaction\n"))
  }

  @Test(arguments: [
    ("0", true), ("-1", false), ("253402300799999", true), ("253402300800000", false),
    ("2024-02-29", true), ("2026-02-29", false), ("2026-02-30T00:00:00Z", false),
  ])
  func aDateIsOneOfTheCalendarFrom1970To9999(text: String, isDate: Bool) async throws {
    let outcome = try await verify(transaction(), ["--at=\(text)"])
    #expect(outcome.status == (isDate ? 1 : 2))
  }

  @Test func aReceiptIsFoundOutInBothForms() async throws {
    let shape = SigningChain.Shape.receipts(
      validity: now.addingTimeInterval(-1e6)...now.addingTimeInterval(1e6)
    )
    let chain = try SigningChain(shape: shape, seed: [7], signing: crypto)
    let receipt = try PKCS7Writer(chain: chain, signing: crypto).sign(
      ReceiptAttribute.encodeSet([
        .text(0, "ProductionSandbox"), .text(2, "com.example"), .date(12, now),
      ])
    )
    let receiptRoot = folder.appendingPathComponent("receipt-root.der")
    try Data(chain.root).write(to: receiptRoot)
    for bytes in [receipt, Array(Base64.encode(receipt, .standard).utf8)] {
      let file = folder.appendingPathComponent("receipt")
      try Data(bytes).write(to: file)
      let outcome = try await CommandProcess.run(
        ["verify", "--root", receiptRoot.path, "--bundle", "com.example", file.path]
      )
      #expect(outcome.status == 0, "\(outcome)")
      #expect(outcome.output.hasPrefix("ACCEPTED  an app receipt\n"))
    }
  }

  @Test(
    "a call that cannot be used ends with 2",
    arguments: [
      ["verify"], ["verify", "/no/such/file"], ["verify", "--kind", "x", "-"],
      ["verify", "--environment", "x", "-"], ["verify", "--at", "x", "-"],
      ["verify", "--app-id", "x", "-"], ["verify", "--root", "/no/such/file", "-"],
      ["verify", "--xcode", "-"], ["verify", "/"], ["verify", "--root", "/", "-"],
    ]
  )
  func unusable(_ words: [String]) async throws {
    let outcome = try await CommandProcess.run(words)
    #expect(outcome.status == 2)
    #expect(outcome.output == "")
    #expect(outcome.errors.contains("'iap verify --help' shows what is possible."))
  }
}

import Foundation
import IAPModel
import IAPSignatures
import OpenSSLCrypto
import Testing

/// `iap receipt` as a person at a terminal meets it.
@Suite("iap receipt")
struct ReceiptCommandTests {
  private let folder: URL
  private let crypto: OpenSSLPrimitives
  private let chain: SigningChain
  private let now = Date(timeIntervalSince1970: 1_780_272_000)
  private let device: [UInt8] = [0, 0x11, 0x22, 0x33, 0x44, 0x55]

  init() throws {
    folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("iap-receipt-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    crypto = try OpenSSLPrimitives()
    let validity = now.addingTimeInterval(-1e6)...now.addingTimeInterval(1e6)
    chain = try SigningChain(
      shape: .receipts(validity: validity),
      seed: [7],
      signing: crypto
    )
    try Data(chain.root).write(to: folder.appendingPathComponent("root.der"))
  }

  private var root: String { folder.appendingPathComponent("root.der").path }

  private func receipt(spoiled: Bool = false) throws -> [UInt8] {
    let item: [ReceiptAttribute] = [
      .integer(1701, 3), .text(1702, "coins"), .text(1703, "77"), .date(1704, now),
      .text(1705, "77"), .date(1706, now), .integer(1707, 1), .date(1708, nil),
      .integer(1710, 0), .integer(1711, 0), .date(1712, now), .integer(1713, 0),
      .integer(1719, 1), .text(1721, "half"), .text(1799, "new"),
    ]
    let opaque: [UInt8] = [1, 2, 3, 4]
    let bundle = ReceiptAttribute.text(2, "com.example")
    let hash = crypto.digest(.sha1, device + opaque + bundle.value)
    var bytes = try PKCS7Writer(chain: chain, signing: crypto).sign(
      ReceiptAttribute.encodeSet([
        .text(0, "ProductionSandbox"), .integer(1, 1234), bundle, .text(3, "5"),
        ReceiptAttribute(type: 4, value: opaque, version: 2),
        ReceiptAttribute(type: 5, value: hash),
        .date(8, now), .ascii(10, "4+"), .integer(11, 9), .date(12, now), .integer(15, 0),
        .integer(16, 0), ReceiptAttribute(type: 17, value: ReceiptAttribute.encodeSet(item)),
        .date(18, now), .text(19, "1.0"), .date(21, nil), .integer(9999, 42),
        ReceiptAttribute(type: 6, value: [UInt8](repeating: 0xAB, count: 40)),
      ])
    )
    if spoiled { bytes[bytes.count - 1] ^= 1 }
    return bytes
  }

  private func run(
    _ input: [UInt8],
    _ words: [String] = [],
    environment: [String: String] = [:]
  ) async throws -> CommandProcess.Outcome {
    try await CommandProcess.run(
      ["receipt", "--root", root] + words + ["-"],
      input: input,
      environment: environment
    )
  }

  @Test func everyAttributeIsShownAndExplained() async throws {
    let outcome = try await run(receipt())
    #expect(outcome.status == 0, "\(outcome)")
    let lines = outcome.output.split(separator: "\n").map(String.init)
    let date = "2026-06-01T00:00:00Z"
    let expected = [
      "GENUINE  signed under a root given with --root: no real purchase",
      "Attributes", "     0  receipt type: ProductionSandbox",
      "     1  app's number at Apple: 1234", "     2  bundle identifier: com.example",
      "     3  app version: 5", "     4  opaque value, part of the device hash: 01020304",
      "     6  -: " + String(repeating: "ab", count: 32) + "… (40)",
      "     8  request date: \(date)", "    10  age rating: 4+", "    11  developer's number: 9",
      "    12  receipt creation date: \(date)", "    15  download number: 0, none",
      "    16  number of the app's version: 0, none",
      "    18  original purchase date of the app: \(date)", "    19  original app version: 1.0",
      "    21  expiration date of a volume purchase: none", "  9999  -: 42", "Purchase 1 of 1",
      "  1701  quantity: 3", "  1702  product: coins", "  1703  transaction: 77",
      "  1704  purchase date: \(date)", "  1705  original transaction: 77",
      "  1706  original purchase date: \(date)", "  1707  kind of product: 1, consumable",
      "  1708  subscription expiration date: none", "  1710  product's number at Apple: 0, none",
      "  1711  web order line item: 0, none", "  1712  cancellation date: \(date)",
      "  1713  free trial: no", "  1719  introductory price: yes",
      "  1721  promotional offer: half", "  1799  -: new",
    ]
    for line in expected { #expect(lines.contains(line), "\(line)\n\(outcome.output)") }
    #expect(outcome.output.contains("signed over SHA256, 3 certificates"))
    for note in ["--bundle", "--environment", "--device"] {
      #expect(lines.suffix(3).contains { $0.contains(note) })
    }
    let chinese = try await run(receipt(), environment: ["LANG": "zh_CN.UTF-8"])
    #expect(chinese.output.hasPrefix("真  "))
    #expect(chinese.output.contains("  1707  产品种类: 1, 消耗型"))
  }

  @Test func jsonHoldsTheSame() async throws {
    let outcome = try await run(Array(Base64.encode(try receipt(), .standard).utf8), ["--json"])
    let object = try JSONParser.parseObject(Array(outcome.output.utf8), limits: .document)
    #expect(object["verdict"] == "accepted")
    #expect(object["digest"] == "sha256")
    let attributes = object["attributes"]?.arrayValue?.compactMap(\.objectValue) ?? []
    func attribute(_ number: Int64, in list: [JSONObject]) -> JSONObject? {
      list.first { $0["number"] == .integer(number) }
    }
    #expect(attributes.count == 18)
    #expect(attribute(4, in: attributes)?["value"] == ["hex": "01020304"])
    #expect(attribute(4, in: attributes)?["version"] == 2)
    let unnamed: JSONObject = ["number": 9999, "version": 1, "value": 42]
    #expect(attribute(9999, in: attributes) == unnamed)
    let purchase =
      attribute(17, in: attributes)?["value"]?.arrayValue?
      .compactMap(\.objectValue) ?? []
    #expect(purchase.count == 15)
    let product: JSONObject = ["number": 1702, "version": 1, "name": "product", "value": "coins"]
    #expect(attribute(1702, in: purchase) == product)
  }

  @Test(arguments: [
    ("00:11:22:33:44:55", 0), ("001122334455", 0), ("00:11:22:33:44:56", 1),
    ("00112233-4455-6677-8899-AABBCCDDEEFF", 1), ("00:11", 2), ("00:11:22:33:44:5g", 2), ("", 2),
  ])
  func theHashTiesItToADevice(device: String, status: Int32) async throws {
    let outcome = try await run(receipt(), ["--device", device])
    #expect(outcome.status == status, "\(outcome)")
    if status == 1 { #expect(outcome.output.contains("1. deviceHash: ")) }
  }

  @Test func whatIsNotGenuineIsShownWithItsReasons() async throws {
    let outcome = try await run(
      receipt(spoiled: true),
      ["--bundle", "com.other", "--environment", "production"]
    )
    #expect(outcome.status == 1)
    #expect(outcome.output.hasPrefix("REFUSED  3 rules fail\n"))
    for rule in ["signature", "bundle", "environment"] {
      #expect(outcome.output.contains(". \(rule): "))
    }
    #expect(outcome.output.contains("  1702  product: coins"))
    let object = try JSONParser.parseObject(
      Array(try await run(receipt(spoiled: true), ["--json"]).output.utf8),
      limits: .document
    )
    #expect(object["verdict"] == "refused")
    #expect(object["failures"]?.arrayValue?.first?.objectValue?["rule"] == "signature")
  }

  private static let others: [(String, String)] = [
    ("", "it is empty"), ("eyJhbGciOiJFUzI1NiJ9.e30.AAAA", "it is a signed text"),
    ("{\"a\":1}", "it is JSON without signed data"), ("<html>", "it is a web page or XML"),
    ("hello", "it is neither"), ("-----BEGIN CERTIFICATE-----", "PEM form"),
    ("MII!", "it is not base64"), ("MIIB", "it cannot be read"),
    ("MII-AAAA", "URL-safe alphabet"), ("MII AAAA", "contains spaces"),
    ("{\"receipt-data\":\"MIIB\"}", "it cannot be read"),
  ]

  @Test(arguments: others.indices)
  func whatIsNoReceiptIsNamed(index: Int) async throws {
    let (text, words) = Self.others[index]
    let outcome = try await run(Array(text.utf8))
    #expect(outcome.status == 1)
    #expect(outcome.output.hasPrefix("REFUSED  no receipt: "), "\(outcome)")
    #expect(outcome.output.contains(words), "\(outcome)")
    let json = try await run(Array(text.utf8), ["--json"])
    #expect(json.status == 1)
    #expect(json.output.contains("\"verdict\":\"refused\""))
  }

  @Test func howMuchIsReadIsLimited() async throws {
    let limit = 6 * 1024 * 1024
    for (count, words) in [(limit, "it is neither"), (limit + 1, "longer than \(limit) bytes")] {
      let outcome = try await run([UInt8](repeating: 0x61, count: count))
      #expect(outcome.status == 1)
      #expect(outcome.output.contains(words))
    }
  }

  @Test(arguments: [["receipt"], ["receipt", "/no/such/file"], ["receipt", "--xcode", "-"]])
  func aCallThatCannotBeUsedEndsWithTwo(words: [String]) async throws {
    let outcome = try await CommandProcess.run(words)
    #expect(outcome.status == 2)
    #expect(outcome.errors.contains("'iap receipt --help' shows what is possible."))
  }
}

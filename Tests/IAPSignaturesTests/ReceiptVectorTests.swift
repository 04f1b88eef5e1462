import Foundation
import IAPModel
import IAPSignatures
import OpenSSLCrypto
import Testing

/// The verifier against receipts whose right answers are known.
@Suite(.enabled(if: Vectors.arePresent, "no test vectors: set IAP_VECTORS"))
struct ReceiptVectorTests {
  private let vectors: Vectors
  private let crypto: OpenSSLPrimitives

  init() throws {
    vectors = try #require(Vectors.find())
    crypto = try OpenSSLPrimitives()
  }

  /// What was decided where the manifest leaves a choice, and the rule that decides.
  private static let decided: [String: Set<Rule>] = [
    // docs/decisions/0106: one signer, nothing behind the container, one date, RSA of enough bits.
    "14-two-signers.der": [.signers],
    "16-trailing-bytes.der": [.container],
    "19-creation-date-missing.der": [.signedDate],
    "22-creation-date-twice.der": [.repeatedAttributes, .validity],
    "37-weak-signer-rsa-1024.der": [.leafKey],
    "38-signer-p256.der": [.leafKey],
    // docs/decisions/0104: only production data counts as production.
    "25-sandbox.der": [.environment],
    "26-environment-xcode.der": [.environment],
    "27-environment-unknown.der": [.environment],
    "32-device-hash-wrong.der": [.deviceHash],
    // docs/decisions/0105: line breaks are passed over, the URL alphabet is refused.
    "40-base64-with-line-breaks.txt": [],
    "42-base64url.txt": [.format],
  ]

  @Test(arguments: [true, false])
  func everyDerivedReceiptMeetsItsVerdict(isCached: Bool) throws {
    let verifier = ReceiptVerifier(
      anchors: try .simulated([try vectors.bytes("derived-receipts/pki/root.der")]),
      origin: ExpectedOrigin(
        apps: [.init(bundleID: "com.example", appAppleID: nil)],
        environments: [.production]
      ),
      crypto: crypto,
      cache: isCached ? BoundedChainCache() : nil
    )
    let device = (0..<16).map { UInt8($0 * 0x11) }
    for entry in try vectors.manifest("derived-receipts/manifest.json") {
      let bytes = try vectors.bytes("derived-receipts/" + entry.file)
      for _ in 0..<2 {
        let verdict =
          entry.file.hasSuffix(".txt")
          ? try verifier.verify(base64: bytes, deviceID: device)
          : try verifier.verify(bytes, deviceID: device)
        let failures = verdict.failures
        switch entry.verdict {
        case "ACCEPT": #expect(failures.isEmpty, "\(entry.file): \(failures)")
        case "REJECT": #expect(!failures.isEmpty, "\(entry.file): \(entry.reason)")
        default:
          #expect(
            Set(failures.map(\.rule)) == Self.decided[entry.file],
            "\(entry.file): \(failures)"
          )
        }
      }
    }
  }

  /// A receipt that Apple signed, and what it says.
  struct Genuine: CustomTestStringConvertible {
    var file: String
    var bundle: BundleID
    var environment: StoreEnvironment
    var created: String
    var itemCount: Int
    var testDescription: String { file }
  }

  static let genuine: [Genuine] = [
    Genuine(
      file: "tpinappreceipt/receipt-sandbox-g5",
      bundle: "dev.bonzer.weeka.app",
      environment: .sandbox,
      created: "2025-12-26T18:39:47Z",
      itemCount: 2
    ),
    Genuine(
      file: "tpinappreceipt/receipt-sandbox-legacy",
      bundle: "com.nutcall.alert",
      environment: .sandbox,
      created: "2020-05-06T18:28:49Z",
      itemCount: 187
    ),
    Genuine(
      file: "ideasoncanvas-appreceiptvalidator/ios-sandbox-2015-sha1-expired-intermediate.b64",
      bundle: "com.mbaasy.ios.demo",
      environment: .sandbox,
      created: "2015-08-13T07:50:46Z",
      itemCount: 7
    ),
    Genuine(
      file: "ideasoncanvas-appreceiptvalidator/ios-sandbox-2017-a.b64",
      bundle: "com.mindnode.mindnodetouch",
      environment: .sandbox,
      created: "2017-09-11T09:38:34Z",
      itemCount: 0
    ),
    Genuine(
      file: "ideasoncanvas-appreceiptvalidator/ios-sandbox-2023-consumable-and-subscription.b64",
      bundle: "com.hannesoid.PurchasingExperiments",
      environment: .sandbox,
      created: "2023-02-22T14:30:15Z",
      itemCount: 2
    ),
    Genuine(
      file: "ideasoncanvas-appreceiptvalidator/mac-production-2017-sha1.der",
      bundle: "com.ideasoncanvas.MindNodeMac",
      environment: .production,
      created: "2017-09-04T09:01:20Z",
      itemCount: 0
    ),
    Genuine(
      file: "ideasoncanvas-appreceiptvalidator/mac-production-2023-sha1.der",
      bundle: "com.ideasoncanvas.MindNodeMac",
      environment: .production,
      created: "2023-02-22T12:56:25Z",
      itemCount: 0
    ),
    Genuine(
      file: "ideasoncanvas-appreceiptvalidator/mac-production-2023-sha256.der",
      bundle: "com.ideasoncanvas.mindnode.macos",
      environment: .production,
      created: "2023-08-28T10:24:05Z",
      itemCount: 3
    ),
    Genuine(
      file: "namecare-app-store-server-library-rust/app-receipt-sandbox-2025.b64",
      bundle: "com.XMCodey.apple.ClipTrace",
      environment: .sandbox,
      created: "2025-04-30T02:30:31Z",
      itemCount: 1
    ),
    Genuine(
      file: "revenuecat-purchases-ios/sandbox-receipt-2020.b64",
      bundle: "com.revenuecat.sampleapp",
      environment: .sandbox,
      created: "2020-07-22T17:39:08Z",
      itemCount: 9
    ),
  ]

  @Test(arguments: genuine)
  func receiptsThatAppleSignedAreAcceptedAtTheirCreationDate(_ receipt: Genuine) throws {
    let bytes = try vectors.bytes(receipt.file)
    let origin = ExpectedOrigin(
      apps: [.init(bundleID: receipt.bundle, appAppleID: nil)],
      environments: [receipt.environment]
    )
    let apple = ReceiptVerifier(anchors: .apple, origin: origin, crypto: crypto)
    let verdict = try verify(apple, bytes)
    let verified = try #require(verdict.accepted, "\(verdict.failures)")
    #expect(verified.payload.items.count == receipt.itemCount)
    #expect(verified.environment == receipt.environment)
    #expect(verified.signedDate == ISO8601DateFormatter().date(from: receipt.created))
    #expect(verified.trust == .apple)

    let unrelated = try vectors.bytes("ideasoncanvas-appreceiptvalidator/unrelated-root.der")
    let foreign = ReceiptVerifier(
      anchors: try .simulated([unrelated]),
      origin: origin,
      crypto: crypto
    )
    #expect(try verify(foreign, bytes).failures.map(\.rule).contains(.trustedRoot))
  }

  private func verify(
    _ verifier: ReceiptVerifier,
    _ bytes: [UInt8]
  ) throws -> Verdict<ReceiptPayload> {
    bytes.first == 0x30 ? try verifier.verify(bytes) : try verifier.verify(base64: bytes)
  }

  @Test(arguments: ["receipt-xcode", "receipt-xcode-with-purchases"])
  func receiptsOfXcodeAreTakenInTheirOwnModeOnly(name: String) throws {
    let bytes = try vectors.bytes("tpinappreceipt/" + name)
    let any = ExpectedOrigin(apps: nil, environments: nil)
    let certificate = try vectors.bytes("tpinappreceipt/StoreKitTestCertificate.cer")
    let local = ReceiptVerifier(
      anchors: try .xcode([certificate]),
      origin: any,
      crypto: crypto
    )
    let verdict = try verify(local, bytes)
    #expect(verdict.accepted?.environment == .xcode, "\(verdict.failures)")
    let apple = ReceiptVerifier(anchors: .apple, origin: any, crypto: crypto)
    #expect(try !verify(apple, bytes).failures.isEmpty)
  }

  @Test(arguments: [
    "ideasoncanvas-appreceiptvalidator/not_a_receipt",
    "ideasoncanvas-appreceiptvalidator/transaction-receipt-ios6-style.b64",
    "apple-app-store-server-library/mock_signed_data/legacyTransaction",
  ])
  func whatIsNoReceiptIsRefusedAsSuch(file: String) throws {
    let apple = ReceiptVerifier(
      anchors: .apple,
      origin: ExpectedOrigin(apps: nil, environments: nil),
      crypto: crypto
    )
    let rules = try verify(apple, vectors.bytes(file)).failures.map(\.rule)
    #expect(rules == [.format] || rules == [.container])
  }

  /// The set that another verifier keeps; expected verdicts are its own.
  @Test(arguments: [
    ("receipt.der", "receipt-root.der", StoreEnvironment.sandbox, [Rule]()),
    ("receipt-double-wrapped.der", "receipt-root.der", .sandbox, []),
    ("receipt-type-production.der", "receipt-root.der", .production, []),
    ("receipt-type-vpp.der", "receipt-root.der", .production, []),
    ("receipt-type-vpp-sandbox.der", "receipt-root.der", .sandbox, []),
    ("receipt-no-type.der", "receipt-root.der", .production, [.environment]),
    ("receipt-foreign.der", "receipt-root.der", .sandbox, [.trustedRoot, .chainSignatures]),
    ("receipt-no-signer-oid.der", "receipt-no-signer-oid-root.der", .sandbox, [.leafMarker]),
    ("receipt-expired-historical.der", "receipt-expired-root.der", .sandbox, []),
    ("receipt-expired-fresh.der", "receipt-expired-root.der", .sandbox, [.validity]),
  ])
  func anotherVerifiersReceiptsGetItsVerdicts(
    file: String,
    root: String,
    environment: StoreEnvironment,
    rules: [Rule]
  ) throws {
    let folder = "emindeniz99-apple-purchase-receipt-verifier/"
    let verifier = ReceiptVerifier(
      anchors: try .simulated([try vectors.bytes(folder + root)]),
      origin: ExpectedOrigin(
        apps: [.init(bundleID: "com.example.app", appAppleID: nil)],
        environments: [environment]
      ),
      crypto: crypto
    )
    let verdict = try verifier.verify(vectors.bytes(folder + file))
    // Its made-up intermediate lacks the mark that Apple's bear.
    let failed = verdict.failures.map(\.rule).filter { $0 != .intermediateMarker }
    #expect(failed == rules, "\(verdict.failures)")
  }
}

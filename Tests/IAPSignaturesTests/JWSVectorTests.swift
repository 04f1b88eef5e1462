import Foundation
import IAPModel
import IAPSignatures
import OpenSSLCrypto
import Testing

/// The verifier against signed texts whose right answers are known.
@Suite(.enabled(if: Vectors.arePresent, "no test vectors: set IAP_VECTORS"))
struct JWSVectorTests {
  private let vectors: Vectors
  private let crypto: OpenSSLPrimitives
  /// The day on which the vectors were made.
  private let now = Date(timeIntervalSince1970: 1_796_000_000)

  init() throws {
    vectors = try #require(Vectors.find())
    crypto = try OpenSSLPrimitives()
  }

  /// What was decided where the manifest leaves a choice, and the rule that decides.
  private static let decided: [String: Set<Rule>] = [
    // docs/decisions/0101: what arrives live is judged now.
    "34-expired-leaf-signed-in-time.jws": [.validity],
    // docs/decisions/0102: the third certificate has to be the root.
    "39-third-certificate-replaced.jws": [.pinnedThirdCertificate],
    // docs/decisions/0104: sandbox data never counts as production.
    "43-sandbox-for-production-server.jws": [.environment],
    // docs/decisions/0103: a trailing newline is refused.
    "70-trailing-newline.jws": [.format],
  ]

  private func verifier(
    root: String,
    apps: [ExpectedOrigin.App]?,
    environments: Set<StoreEnvironment>?,
    cache: BoundedChainCache? = nil,
    pinsThird: Bool = true
  ) throws -> JWSVerifier {
    var options = JWSVerifier.Options()
    options.pinsThirdCertificate = pinsThird
    return JWSVerifier(
      anchors: try .simulated([try vectors.bytes(root)]),
      origin: ExpectedOrigin(apps: apps, environments: environments),
      crypto: crypto,
      cache: cache,
      options: options
    )
  }

  private func failures(
    _ verifier: JWSVerifier,
    _ kind: String,
    _ text: [UInt8],
    _ instant: JudgingInstant,
    depth: NotificationVerifier.Depth = .everySignature
  ) throws -> [RuleFailure] {
    switch kind {
    case "transaction": try verifier.transaction(text, instant: instant).failures
    case "renewalInfo": try verifier.renewalInfo(text, instant: instant).failures
    case "appTransaction": try verifier.appTransaction(text, instant: instant).failures
    default:
      try NotificationVerifier(verifier: verifier, depth: depth)
        .verify(text, instant: instant).failures
    }
  }

  @Test(arguments: [true, false])
  func everyDerivedTextMeetsItsVerdict(isCached: Bool) throws {
    let app = ExpectedOrigin.App(bundleID: "com.example", appAppleID: AppAppleID(1234))
    let cache = isCached ? BoundedChainCache() : nil
    let sandbox = try verifier(
      root: "derived-jws/pki/root.der",
      apps: [app],
      environments: [.sandbox],
      cache: cache
    )
    let production = try verifier(
      root: "derived-jws/pki/root.der",
      apps: [app],
      environments: [.production],
      cache: cache
    )
    for entry in try vectors.manifest("derived-jws/manifest.json") {
      let text = try vectors.bytes("derived-jws/" + entry.file)
      let isForProduction = entry.file.hasPrefix("43-")
      let failures = try failures(
        isForProduction ? production : sandbox,
        entry.kind ?? "notification",
        text,
        .at(now)
      )
      print(entry.file, entry.verdict, entry.reason, "->", failures)
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

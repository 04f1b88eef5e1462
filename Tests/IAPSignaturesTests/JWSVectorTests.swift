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
    isApples: Bool = false
  ) throws -> JWSVerifier {
    var options = JWSVerifier.Options()
    options.checksKind = !isApples
    options.pinsThirdCertificate = !isApples
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

  /// Apple's own test data; its certificates carry a sibling of the root, which pinning refuses.
  @Test(arguments: [
    ("transactionInfo", "transaction", [Rule]()),
    ("renewalInfo", "renewalInfo", []),
    ("testNotification", "notification", []),
    ("wrongBundleId", "notification", [.signedDate, .bundle, .environment]),
    ("missingX5CHeaderClaim", "notification", [.chainLength, .signedDate, .environment]),
  ])
  func applesOwnSamplesGetTheirVerdicts(name: String, kind: String, rules: [Rule]) throws {
    let verifier = try verifier(
      root: Self.apple + "certs/testCA.der",
      apps: [.init(bundleID: "com.example", appAppleID: AppAppleID(1234))],
      environments: [.sandbox],
      isApples: true
    )
    let text = try vectors.bytes(Self.apple + "mock_signed_data/" + name)
    // The samples bear no identifiers, so their members are all that can be asked for.
    let failures =
      kind == "notification"
      ? try failures(verifier, kind, text, .at(now))
      : try verifier.members(
        text,
        as: kind == "transaction" ? .transaction : .renewalInfo,
        instant: .at(now)
      ).failures
    #expect(failures.map(\.rule) == rules, "\(failures)")
  }

  @Test func applesOwnSamplesAreRefusedForAnotherAppOrEnvironment() throws {
    let transaction = try vectors.bytes(Self.apple + "mock_signed_data/transactionInfo")
    let notification = try vectors.bytes(Self.apple + "mock_signed_data/testNotification")
    let cases: [(BundleID, Int64, StoreEnvironment, [Rule], [Rule])] = [
      ("com.example.x", 1234, .sandbox, [.bundle], [.bundle]),
      ("com.example", 1235, .sandbox, [], [.appAppleID]),
      ("com.example", 1234, .production, [.environment], [.environment]),
    ]
    for (bundle, number, environment, first, second) in cases {
      let verifier = try verifier(
        root: Self.apple + "certs/testCA.der",
        apps: [.init(bundleID: bundle, appAppleID: AppAppleID(number))],
        environments: [environment],
        isApples: true
      )
      let one = try verifier.members(transaction, as: .transaction, instant: .at(now)).failures
      let other = try failures(verifier, "notification", notification, .at(now))
      #expect(one.map(\.rule) == first)
      #expect(other.map(\.rule) == second)
    }
  }

  @Test func xcodesOwnTextsAreRefused() throws {
    let verifier = JWSVerifier(
      anchors: .apple,
      origin: ExpectedOrigin(apps: nil, environments: nil),
      crypto: crypto
    )
    let files = [
      ("xcode-signed-transaction", "transaction"), ("xcode-signed-renewal-info", "renewalInfo"),
      ("xcode-signed-app-transaction", "appTransaction"),
    ]
    for (file, kind) in files {
      let text = try vectors.bytes(Self.apple + "xcode/" + file)
      let rules = try failures(verifier, kind, text, .signedDate).map(\.rule)
      #expect(rules.contains(.chainLength), "\(file): \(rules)")
    }
  }

  @Test func applesRealChainIsReadAndChained() throws {
    let folder = Self.apple + "real-apple-chain/"
    let leaf = try Certificate(der: vectors.bytes(folder + "Apple-receipt-signing-2025.der"))
    let intermediate = try Certificate(der: vectors.bytes(folder + "AppleWWDRCA-G6.der"))
    let root = try Certificate(der: vectors.bytes(folder + "AppleRootCA-G3.der"))
    #expect(leaf.issuer == intermediate.subject)
    #expect(intermediate.issuer == root.subject)
    #expect(leaf.extension(.receiptSigningMarker) != nil)
    #expect(intermediate.extension(.intermediateMarker) != nil)
    #expect(TrustAnchors.apple.roots.contains(root))

    // Nobody but Apple can sign with this leaf: everything but the signature has to hold.
    let header: JSONObject = [
      "alg": "ES256",
      "x5c": .array([leaf, intermediate, root].map { .string(Base64.encode($0.der, .standard)) }),
    ]
    var payload = TransactionPayload(
      transactionID: "1",
      originalTransactionID: "1",
      bundleID: "com.example",
      productID: "p",
      purchaseDate: now
    )
    payload.environment = .production
    payload.signedDate = now
    let key = try crypto.makeSigningKey(.p256, seed: [])
    let forged = try CompactJWSWriter(header: header, key: key).sign(payload.object)
    let verifier = JWSVerifier(
      anchors: .apple,
      origin: ExpectedOrigin(apps: nil, environments: [.production]),
      crypto: crypto
    )
    let failures = try verifier.transaction(forged, instant: .at(now)).failures
    #expect(failures.map(\.rule) == [.signature], "\(failures)")
    let ended = Date(timeIntervalSince1970: 1_823_449_644)
    let late = try verifier.transaction(forged, instant: .at(ended)).failures
    #expect(late.map(\.rule) == [.validity, .signature], "\(late)")
  }

  /// The set that another verifier keeps; expected verdicts are its own.
  @Test(arguments: [
    ("transaction.jws", "jws-root.der", "transaction", StoreEnvironment.sandbox, [Rule]()),
    ("app-transaction.jws", "jws-root.der", "appTransaction", .sandbox, []),
    ("app-transaction-production.jws", "jws-root.der", "appTransaction", .production, []),
    ("expired-cert-historical.jws", "jws-expired-root.der", "transaction", .sandbox, []),
    ("expired-cert-fresh.jws", "jws-expired-root.der", "transaction", .sandbox, [.validity]),
    (
      "transaction-no-leaf-oid.jws", "jws-no-leaf-oid-root.der", "transaction", .sandbox,
      [.leafMarker]
    ),
    (
      "transaction-no-intermediate-oid.jws", "jws-no-intermediate-oid-root.der", "transaction",
      .sandbox, [.intermediateMarker]
    ),
  ])
  func anotherVerifiersTextsGetItsVerdicts(
    file: String,
    root: String,
    kind: String,
    environment: StoreEnvironment,
    rules: [Rule]
  ) throws {
    let folder = "emindeniz99-apple-purchase-receipt-verifier/"
    let verifier = try verifier(
      root: folder + root,
      apps: [.init(bundleID: "com.example.app", appAppleID: AppAppleID(123_456_789))],
      environments: [environment]
    )
    let failures = try failures(verifier, kind, vectors.bytes(folder + file), .signedDate)
    #expect(failures.map(\.rule) == rules, "\(failures)")
  }

  /// Notifications in sequences: what is signed inside is verified too, or taken on the outer word.
  @Test(arguments: [NotificationVerifier.Depth.everySignature, .outerSignature])
  func everyNotificationOfTheSequencesIsAccepted(depth: NotificationVerifier.Depth) throws {
    let verifier = try verifier(
      root: "derived-jws/pki/root.der",
      apps: [.init(bundleID: "com.example", appAppleID: AppAppleID(1234))],
      environments: [.sandbox],
      cache: BoundedChainCache()
    )
    let files = try FileManager.default.subpathsOfDirectory(
      atPath: vectors.folder.appendingPathComponent("derived-jws").path
    ).filter { $0.hasPrefix("sequence-") && $0.hasSuffix(".jws") }.sorted()
    #expect(files.count > 20)
    for file in files {
      let text = try vectors.bytes("derived-jws/" + file)
      let failures = try failures(verifier, "notification", text, .at(now), depth: depth)
      #expect(failures.isEmpty, "\(file): \(failures)")
    }
  }

  private static let apple = "apple-app-store-server-library/"
}

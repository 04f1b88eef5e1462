import Foundation
import IAPModel
import IAPSignatures
import OpenSSLCrypto

/// A store with keys of its own: what the tests sign with when there are no vectors.
struct TestStore {
  let crypto: OpenSSLPrimitives
  let chain: SigningChain
  /// The day on which everything in these tests happens: 2026-06-01.
  static let now = Date(timeIntervalSince1970: 1_780_272_000)
  static let validity = now.addingTimeInterval(-86_400 * 365)...now.addingTimeInterval(86_400 * 365)

  /// Makes a store, its chain bent in some way.
  init(_ bend: (inout SigningChain.Shape) -> Void = { _ in }) throws {
    crypto = try OpenSSLPrimitives()
    var shape = SigningChain.Shape.transactions(validity: Self.validity)
    bend(&shape)
    chain = try SigningChain(shape: shape, seed: [1, 2, 3], signing: crypto)
  }

  static let app = ExpectedOrigin.App(bundleID: "com.example", appAppleID: AppAppleID(1234))

  func verifier(
    environments: Set<StoreEnvironment>? = [.production],
    cache: BoundedChainCache? = nil,
    options: JWSVerifier.Options = .init(),
    root: [UInt8]? = nil
  ) throws -> JWSVerifier {
    JWSVerifier(
      anchors: try .simulated([root ?? chain.root]),
      origin: ExpectedOrigin(apps: [Self.app], environments: environments),
      crypto: crypto,
      cache: cache,
      options: options
    )
  }

  static var transaction: TransactionPayload {
    var payload = TransactionPayload(
      transactionID: "2000000000000001",
      originalTransactionID: "2000000000000001",
      bundleID: "com.example",
      productID: "coins",
      purchaseDate: now
    )
    payload.signedDate = now
    payload.environment = .production
    payload.type = .consumable
    return payload
  }

  func sign(_ object: JSONObject) throws -> String {
    try CompactJWSWriter(chain: chain).sign(object)
  }

  func sign(_ text: String) throws -> String {
    try CompactJWSWriter(chain: chain).sign(Array(text.utf8))
  }

  /// Signs the usual transaction under another header.
  func sign(header: JSONObject) throws -> String {
    try CompactJWSWriter(header: header, key: chain.leafKey).sign(Self.transaction.object)
  }

  var x5c: JSONValue {
    .array(chain.certificates.map { .string(Base64.encode($0, .standard)) })
  }

  /// The rules that a signed transaction fails, judged at the usual day.
  func failures(
    _ text: String,
    _ verifier: JWSVerifier? = nil,
    at date: Date = now
  ) throws -> [Rule] {
    try (verifier ?? self.verifier()).transaction(text, instant: .at(date)).failures.map(\.rule)
  }
}

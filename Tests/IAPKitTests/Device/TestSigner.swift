import AppStoreSimulator
import Foundation
import IAPKit
import IAPModel
import IAPSignatures
import OpenSSLCrypto
import Synchronization

/// Plays the part of the app's server that holds the key for offers.
final class TestSigner: OfferSigner {
  /// What the signer does.
  enum Mood: Sendable {
    case honest
    case forging
    case down
  }

  private static let keyId = "OFFERKEY01"

  private let store: SimulatedAppStore
  private let key: any SigningKey
  private let state = Mutex<(mood: Mood, requests: [OfferSignatureRequest])>((.honest, []))

  init(_ store: SimulatedAppStore) throws {
    self.store = store
    key = try RememberingPrimitives.standard.get()
      .makeSigningKey(.p256, seed: Array("offers".utf8))
    try store.addOfferKey(DeveloperKeyID(Self.keyId), publicKey: key.subjectPublicKeyInfo)
  }

  var mood: Mood {
    get { state.withLock { $0.mood } }
    set { state.withLock { $0.mood = newValue } }
  }

  /// Everything that it was asked to sign.
  var requests: [OfferSignatureRequest] { state.withLock { $0.requests } }

  func sign(_ request: OfferSignatureRequest) async throws -> IAPKit.OfferProof {
    let mood = state.withLock { state in
      state.requests.append(request)
      return state.mood
    }
    if mood == .down { throw URLError(.timedOut) }
    let product = mood == .forging ? "another" : request.productId
    switch request.format {
    case .promotional: return .signature(try signature(request, product))
    case .promotionalJWS:
      return .jws(
        try jws("promotional-offer", product, ["offerIdentifier": .string(request.offerId ?? "")])
      )
    default:
      return .jws(
        try jws(
          "introductory-offer-eligibility",
          product,
          [
            "allowIntroductoryOffer": .bool(request.allowsIntroductoryOffer ?? false),
            "transactionId": .string(request.transactionId ?? ""),
          ]
        )
      )
    }
  }

  private func signature(
    _ request: OfferSignatureRequest,
    _ product: String
  ) throws -> IAPKit.OfferSignature {
    let (nonce, timestamp) = (UUID(), store.now.milliseconds)
    let fields = [
      DemoCatalog.bundleID.rawValue, Self.keyId, product, request.offerId ?? "",
      request.accountToken?.uuidString.lowercased() ?? "", nonce.uuidString.lowercased(),
      String(timestamp),
    ]
    let text = Array(fields.joined(separator: "\u{2063}").utf8)
    return IAPKit.OfferSignature(
      keyId: Self.keyId,
      nonce: nonce,
      timestamp: timestamp,
      signature: Data(try key.sign(text, digest: .sha256, form: .der))
    )
  }

  private func jws(
    _ audience: String,
    _ product: String,
    _ own: [String: JSONValue]
  ) throws -> String {
    let writer = CompactJWSWriter(
      header: ["alg": "ES256", "kid": .string(Self.keyId), "typ": "JWT"],
      key: key
    )
    let claims: [JSONMember] = [
      JSONMember("iss", "issuer"),
      JSONMember("iat", .integer(Int64(store.now.timeIntervalSince1970))),
      JSONMember("aud", .string(audience)),
      JSONMember("bid", .string(DemoCatalog.bundleID.rawValue)),
      JSONMember("nonce", .string(UUID().uuidString.lowercased())),
      JSONMember("productId", .string(product)),
    ]
    return try writer.sign(
      JSONObject(claims + own.sorted { $0.key < $1.key }.map { JSONMember($0.key, $0.value) })
    )
  }
}

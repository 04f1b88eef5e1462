import Foundation
public import IAPModel
public import IAPSignatures

/// The name of a key of App Store Connect.
public struct SigningKeyID: Identifier {
  /// The spelling: ten letters and digits.
  public let rawValue: String
  /// Makes the identifier from its spelling.
  public init(_ rawValue: String) { self.rawValue = rawValue }
}

/// The In-App Purchase key with which an app's offers are signed.
public struct OfferSigningKey: Sendable {
  /// The key's name.
  public let id: SigningKeyID
  /// The issuer's name in App Store Connect; needed for signatures in the form of a JWS.
  public let issuer: String
  let key: any SigningKey

  /// Takes a key.
  ///
  /// - Parameters:
  ///   - id: The key's name.
  ///   - issuer: The issuer's name in App Store Connect.
  ///   - key: The private key, on P-256.
  public init(id: SigningKeyID, issuer: String, key: any SigningKey) {
    precondition(key.kind == .p256, "offers are signed on P-256")
    self.id = id
    self.issuer = issuer
    self.key = key
  }
}

/// What the developer allows with a signature.
struct OfferGrant: Hashable, Sendable {
  /// In which form.
  enum Format: String, Hashable, Sendable, CaseIterable {
    /// The parts that StoreKit 1, and StoreKit 2 before iOS 26, take.
    case promotional
    /// A compact JWS for a promotional offer.
    case promotionalJWS
    /// A compact JWS about the introductory offer.
    case introductoryEligibilityJWS
  }

  var format: Format
  var productID: ProductID
  var offerID: OfferID?
  /// The account token, or the name of the user that the app gives to StoreKit.
  var username: String
  var transactionID: TransactionID?
  var allowsIntroductoryOffer: Bool?
}

/// Signs offers as App Store Connect's keys do.
///
/// - **Source:** the signed-data facts, section 5.
struct OfferSigner: Sendable {
  let bundleID: BundleID
  let key: OfferSigningKey

  /// Signs a grant.
  ///
  /// - Parameters:
  ///   - grant: What is allowed.
  ///   - nonce: Good for one attempt.
  ///   - now: When it is signed.
  /// - Returns: The members of the answer.
  /// - Throws: ``CryptoError`` when the key cannot sign.
  func sign(_ grant: OfferGrant, nonce: UUID, at now: Date) throws(CryptoError) -> JSONObject {
    let format = JSONValue.string(grant.format.rawValue)
    switch grant.format {
    case .promotional:
      let signature = try key.key.sign(text(grant, nonce, now), digest: .sha256, form: .der)
      return [
        "format": format, "keyId": .string(key.id.rawValue),
        "nonce": .string(nonce.uuidString.lowercased()), "timestamp": .integer(now.milliseconds),
        "signature": .string(Base64.encode(signature, .standard)),
      ]
    case .promotionalJWS, .introductoryEligibilityJWS:
      let writer = CompactJWSWriter(
        header: ["alg": "ES256", "kid": .string(key.id.rawValue), "typ": "JWT"],
        key: key.key
      )
      return ["format": format, "jws": .string(try writer.sign(claims(grant, nonce, now)))]
    }
  }

  /// The seven fields of version 1; an absent user name leaves its separators.
  private func text(_ grant: OfferGrant, _ nonce: UUID, _ now: Date) -> [UInt8] {
    let fields = [
      bundleID.rawValue, key.id.rawValue, grant.productID.rawValue, grant.offerID?.rawValue ?? "",
      grant.username, nonce.uuidString.lowercased(), String(now.milliseconds),
    ]
    return Array(fields.joined(separator: "\u{2063}").utf8)
  }

  private func claims(_ grant: OfferGrant, _ nonce: UUID, _ now: Date) -> JSONObject {
    let isPromotional = grant.format == .promotionalJWS
    var claims: JSONObject = [
      "iss": .string(key.issuer), "iat": .integer(now.milliseconds / 1000),
      "aud": isPromotional ? "promotional-offer" : "introductory-offer-eligibility",
      "bid": .string(bundleID.rawValue), "nonce": .string(nonce.uuidString.lowercased()),
      "productId": .string(grant.productID.rawValue),
    ]
    if isPromotional { claims["offerIdentifier"] = grant.offerID.map { .string($0.rawValue) } }
    claims["allowIntroductoryOffer"] = grant.allowsIntroductoryOffer.map { .bool($0) }
    claims["transactionId"] = grant.transactionID.map { .string($0.rawValue) }
    return claims
  }
}

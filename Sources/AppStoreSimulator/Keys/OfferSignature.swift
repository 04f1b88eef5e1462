public import Foundation
public import IAPModel
import IAPSignatures

/// What a signature of an offer is worth.
public enum OfferSignatureVerdict: Hashable, Sendable {
  /// The developer signed it.
  case genuine(SignedOffer)
  /// It does not allow anything; the reason is a stable word.
  case refused(String)
}

/// What the developer allowed with a signature.
public struct SignedOffer: Hashable, Sendable {
  /// The product.
  public let productID: ProductID
  /// The promotional offer; nil for the eligibility for an introductory offer.
  public let offerID: OfferID?
  /// Whether the introductory offer is allowed; nil for promotional offers.
  public let allowsIntroductoryOffer: Bool?
  /// One of the customer's transactions, or the app transaction; nil when it is not said.
  public let transactionID: TransactionID?
  /// What makes it good for one attempt.
  public let nonce: UUID

  /// Says what was allowed.
  ///
  /// - Parameters:
  ///   - productID: The product.
  ///   - offerID: The promotional offer.
  ///   - allowsIntroductoryOffer: Whether the introductory offer is allowed.
  ///   - transactionID: One of the customer's transactions.
  ///   - nonce: What makes it good for one attempt.
  public init(
    productID: ProductID,
    offerID: OfferID?,
    allowsIntroductoryOffer: Bool?,
    transactionID: TransactionID?,
    nonce: UUID
  ) {
    self.productID = productID
    self.offerID = offerID
    self.allowsIntroductoryOffer = allowsIntroductoryOffer
    self.transactionID = transactionID
    self.nonce = nonce
  }
}

/// The signature of a promotional offer in the form of StoreKit 1, version 1.
///
/// - **Source:** the signed-data facts, section 5.1.
public struct OfferSignatureParts: Hashable, Sendable {
  /// The app.
  public var bundleID: BundleID
  /// The developer's key.
  public var keyID: DeveloperKeyID
  /// The product.
  public var productID: ProductID
  /// The offer.
  public var offerID: OfferID
  /// The account token, or what the app says is the user's name; may be empty.
  public var applicationUsername: String
  /// Good for one attempt.
  public var nonce: UUID
  /// UNIX milliseconds.
  public var timestamp: Int64
  /// DER of an ECDSA signature.
  public var signature: [UInt8]

  /// Puts the parts together.
  ///
  /// - Parameters:
  ///   - bundleID: The app.
  ///   - keyID: The developer's key.
  ///   - productID: The product.
  ///   - offerID: The offer.
  ///   - applicationUsername: The account token or user name; may be empty.
  ///   - nonce: Good for one attempt.
  ///   - timestamp: UNIX milliseconds.
  ///   - signature: DER of an ECDSA signature.
  public init(
    bundleID: BundleID,
    keyID: DeveloperKeyID,
    productID: ProductID,
    offerID: OfferID,
    applicationUsername: String,
    nonce: UUID,
    timestamp: Int64,
    signature: [UInt8]
  ) {
    self.bundleID = bundleID
    self.keyID = keyID
    self.productID = productID
    self.offerID = offerID
    self.applicationUsername = applicationUsername
    self.nonce = nonce
    self.timestamp = timestamp
    self.signature = signature
  }

  /// How long a signature is good for, in milliseconds: 24 hours.
  static let validityMilliseconds: Int64 = 24 * 3600 * 1000

  var signedText: String {
    [
      bundleID.rawValue, keyID.rawValue, productID.rawValue, offerID.rawValue,
      applicationUsername.lowercased(), nonce.uuidString.lowercased(), String(timestamp),
    ].joined(separator: "\u{2063}")
  }
}

extension SimulatedAppStore {
  /// Checks a signature in the form of version 1; whether its nonce was used is not looked at.
  ///
  /// - Parameters:
  ///   - offer: The parts.
  ///   - now: The instant: of the developer's clock, which is usually the real one.
  /// - Returns: What it is worth; refusals are `unknownKey`, `wrongSignature`, `expired`,
  ///   `notYetValid` and `unknownBundle`.
  public func check(_ offer: OfferSignatureParts, at now: Date) -> OfferSignatureVerdict {
    guard let key = developerKey(offer.keyID) else { return .refused("unknownKey") }
    guard apps.contains(where: { $0.bundleID == offer.bundleID }) else {
      return .refused("unknownBundle")
    }
    let isSigned = key.key.isValid(
      signature: offer.signature,
      over: Array(offer.signedText.utf8),
      digest: .sha256,
      form: .der
    )
    guard isSigned else { return .refused("wrongSignature") }
    let age = now.milliseconds - offer.timestamp
    guard age >= -Int64(BearerToken.skewMax * 1000) else { return .refused("notYetValid") }
    guard age <= OfferSignatureParts.validityMilliseconds else { return .refused("expired") }
    return .genuine(
      SignedOffer(
        productID: offer.productID,
        offerID: offer.offerID,
        allowsIntroductoryOffer: nil,
        transactionID: nil,
        nonce: offer.nonce
      )
    )
  }

  /// Checks a compact JWS that allows an offer: promotional, or an introductory one.
  ///
  /// - Parameters:
  ///   - jws: The text.
  ///   - now: The instant: of the developer's clock, which is usually the real one.
  /// - Returns: What it is worth; refusals are the words of tokens, as `wrongAudience`, and
  ///   `expired` after 24 hours.
  public func checkOffer(jws: String, at now: Date) -> OfferSignatureVerdict {
    let promotional = SignedRequest.check(jws, audience: "promotional-offer", store: self)
    if case .valid(let request) = promotional {
      guard let offer = request.claims["offerIdentifier"]?.stringValue else {
        return .refused("malformed")
      }
      return signedOffer(request, OfferID(offer), nil, at: now)
    }
    let audience = "introductory-offer-eligibility"
    switch SignedRequest.check(jws, audience: audience, store: self) {
    case .refused(let refusal): return .refused(refusal.rawValue)
    case .valid(let request):
      guard let allows = request.claims["allowIntroductoryOffer"]?.boolValue,
        request.claims["transactionId"]?.stringValue != nil
      else { return .refused("malformed") }
      return signedOffer(request, nil, allows, at: now)
    }
  }

  /// Checks a compact JWS with a request of Advanced Commerce, which the store does not carry out.
  ///
  /// - Parameter jws: The text.
  /// - Returns: The request as it came, or nil when it is not the developer's.
  public func checkAdvancedCommerceRequest(jws: String) -> [UInt8]? {
    let checked = SignedRequest.check(jws, audience: "advanced-commerce-api", store: self)
    guard case .valid(let request) = checked, let text = request.claims["request"]?.stringValue
    else { return nil }
    return Base64.decode(text.utf8, .standard)
  }

  private func signedOffer(
    _ request: SignedRequest,
    _ offer: OfferID?,
    _ allows: Bool?,
    at now: Date
  ) -> OfferSignatureVerdict {
    guard let product = request.claims["productId"]?.stringValue,
      let nonce = request.claims["nonce"]?.stringValue.flatMap({ UUID(uuidString: $0) }),
      let issued = request.claims["iat"]?.doubleValue
    else { return .refused("malformed") }
    let age = now.timeIntervalSince1970 - issued
    guard age >= -BearerToken.skewMax else { return .refused("notYetValid") }
    guard age * 1000 <= Double(OfferSignatureParts.validityMilliseconds) else {
      return .refused("expired")
    }
    return .genuine(
      SignedOffer(
        productID: ProductID(product),
        offerID: offer,
        allowsIntroductoryOffer: allows,
        transactionID: request.claims["transactionId"]?.stringValue.map { TransactionID($0) },
        nonce: nonce
      )
    )
  }
}

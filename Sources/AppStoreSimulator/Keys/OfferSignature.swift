public import Foundation
public import IAPModel

/// What a signature of an offer is worth.
public enum OfferSignatureVerdict: Hashable, Sendable {
  /// The developer signed it.
  case genuine(SignedOffer)
  /// It does not allow anything; the reason is a stable word.
  case refused(String)
}

/// What the developer allowed with a signature.
public struct SignedOffer: Hashable, Sendable {
  /// The app.
  public let bundleID: BundleID
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
  ///   - bundleID: The app.
  ///   - productID: The product.
  ///   - offerID: The promotional offer.
  ///   - allowsIntroductoryOffer: Whether the introductory offer is allowed.
  ///   - transactionID: One of the customer's transactions.
  ///   - nonce: What makes it good for one attempt.
  public init(
    bundleID: BundleID,
    productID: ProductID,
    offerID: OfferID?,
    allowsIntroductoryOffer: Bool?,
    transactionID: TransactionID?,
    nonce: UUID
  ) {
    self.bundleID = bundleID
    self.productID = productID
    self.offerID = offerID
    self.allowsIntroductoryOffer = allowsIntroductoryOffer
    self.transactionID = transactionID
    self.nonce = nonce
  }
}

/// A promotional offer with its signature in the form of StoreKit 1, version 1.
///
/// - **Source:** the signed-data facts, section 5.1.
public struct OfferSignatureParts: Hashable, Sendable {
  /// The app.
  public var bundleID: BundleID
  /// The product.
  public var productID: ProductID
  /// The offer.
  public var offerID: OfferID
  /// The account token, or what the app says is the user's name; may be empty.
  public var applicationUsername: String
  /// Key, nonce, time and signature.
  public var signature: OfferSignature

  /// Puts the parts together.
  ///
  /// - Parameters:
  ///   - bundleID: The app.
  ///   - productID: The product.
  ///   - offerID: The offer.
  ///   - applicationUsername: The account token or user name; may be empty.
  ///   - signature: Key, nonce, time and signature.
  public init(
    bundleID: BundleID,
    productID: ProductID,
    offerID: OfferID,
    applicationUsername: String,
    signature: OfferSignature
  ) {
    self.bundleID = bundleID
    self.productID = productID
    self.offerID = offerID
    self.applicationUsername = applicationUsername
    self.signature = signature
  }

  /// What may have been signed: Apple's libraries write the user's name in small letters, and
  /// some servers write it as it is.
  var signedTexts: [[UInt8]] {
    let small = applicationUsername.lowercased()
    let names = small == applicationUsername ? [small] : [small, applicationUsername]
    return names.map { name in
      let fields = [
        bundleID.rawValue, signature.keyID.rawValue, productID.rawValue, offerID.rawValue, name,
        signature.nonce.uuidString.lowercased(), String(signature.timestampMilliseconds),
      ]
      return Array(fields.joined(separator: "\u{2063}").utf8)
    }
  }
}

extension SimulatedAppStore {
  /// Checks a signature in the form of version 1; whether its nonce was used is not looked at.
  ///
  /// - Parameters:
  ///   - offer: The parts.
  ///   - now: The instant: of the developer's clock, which is usually the real one.
  /// - Returns: What it is worth; refusals are `unknownKey`, `unknownBundle`, `wrongSignature`,
  ///   `expired` and `notYetValid`.
  public func check(_ offer: OfferSignatureParts, at now: Date) -> OfferSignatureVerdict {
    offerChecker(at: now).check(offer).verdict
  }

  /// Checks a compact JWS that allows an offer: promotional, or an introductory one.
  ///
  /// - Parameters:
  ///   - jws: The text.
  ///   - now: The instant: of the developer's clock, which is usually the real one.
  /// - Returns: What it is worth; refusals are the words of tokens, as `wrongAudience`, and
  ///   `expired` after 24 hours.
  public func checkOffer(jws: String, at now: Date) -> OfferSignatureVerdict {
    offerChecker(at: now).check(jws: jws).verdict
  }

  /// Checks a compact JWS with a request of Advanced Commerce, which the store does not carry out.
  ///
  /// - Parameter jws: The text.
  /// - Returns: The request as it came, or nil when it is not the developer's.
  public func checkAdvancedCommerceRequest(jws: String) -> [UInt8]? {
    offerChecker(at: now).advancedCommerceRequest(jws: jws)
  }

  private func offerChecker(at now: Date) -> OfferProofChecker {
    OfferProofChecker(
      find: developerKey,
      findForOffers: offerKey,
      isKnown: isApp,
      ageMax: OfferProofChecker.usualAgeMax,
      leadMax: BearerToken.skewMax,
      now: now
    )
  }
}

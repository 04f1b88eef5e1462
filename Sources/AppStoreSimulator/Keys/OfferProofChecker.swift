import Foundation
import IAPModel
import IAPSignatures

/// Checks what a developer's server signed for an offer, in both formats.
///
/// - **Source:** the signed-data facts, section 5.
struct OfferProofChecker {
  /// The developer's key of that name.
  let find: (DeveloperKeyID) -> DeveloperKey?
  /// The key of that name that signs the app's offers.
  let findForOffers: (DeveloperKeyID, BundleID) -> DeveloperKey?
  /// Whether the signature may be for that app.
  let isKnown: (BundleID) -> Bool
  /// How old a signature may be, in seconds; nil for any age.
  let ageMax: TimeInterval?
  /// How far ahead of the clock it may be, in seconds; nil for any distance.
  let leadMax: TimeInterval?
  let now: Date

  /// How old a signature may usually be, in seconds: 24 hours.
  static let usualAgeMax: TimeInterval = 24 * 3600
  static let promotionalAudience = "promotional-offer"
  static let introductoryAudience = "introductory-offer-eligibility"
  static let advancedCommerceAudience = "advanced-commerce-api"

  /// What came of a check, and the nonce when one could be read.
  struct Outcome: Hashable, Sendable {
    let verdict: OfferSignatureVerdict
    let nonce: UUID?
  }

  func check(_ offer: OfferSignatureParts) -> Outcome {
    let signature = offer.signature
    func refused(_ reason: SignedRequest.Refusal) -> Outcome {
      Outcome(verdict: .refused(reason.rawValue), nonce: signature.nonce)
    }
    guard let key = key(signature.keyID, of: offer.bundleID) else { return refused(.unknownKey) }
    guard isKnown(offer.bundleID) else { return refused(.unknownBundle) }
    let isSigned = offer.signedTexts.contains { text in
      key.key.isValid(signature: signature.signature, over: text, digest: .sha256, form: .der)
    }
    guard isSigned else { return refused(.wrongSignature) }
    if let refusal = refusal(age: now.milliseconds - signature.timestampMilliseconds) {
      return refused(refusal)
    }
    let signed = SignedOffer(
      bundleID: offer.bundleID,
      productID: offer.productID,
      offerID: offer.offerID,
      allowsIntroductoryOffer: nil,
      transactionID: nil,
      nonce: signature.nonce
    )
    return Outcome(verdict: .genuine(signed), nonce: signature.nonce)
  }

  func check(jws: String) -> Outcome {
    guard let unchecked = UncheckedRequest(jws) else {
      return Outcome(verdict: .refused(SignedRequest.Refusal.malformed.rawValue), nonce: nil)
    }
    let nonce = unchecked.claims["nonce"]?.stringValue.flatMap { UUID(uuidString: $0) }
    func refused(_ reason: SignedRequest.Refusal) -> Outcome {
      Outcome(verdict: .refused(reason.rawValue), nonce: nonce)
    }
    let bundle = BundleID(unchecked.claims["bid"]?.stringValue ?? "")
    let checked = unchecked.check(
      audiences: [Self.promotionalAudience, Self.introductoryAudience],
      find: { key($0, of: bundle) },
      isKnown: isKnown
    )
    switch checked {
    case .refused(let reason): return refused(reason)
    case .valid(let request):
      guard let offer = offer(request), let issued = request.claims["iat"]?.doubleValue,
        let age = Int64(exactly: ((now.timeIntervalSince1970 - issued) * 1000).rounded())
      else { return refused(.malformed) }
      if let refusal = refusal(age: age) { return refused(refusal) }
      return Outcome(verdict: .genuine(offer), nonce: nonce)
    }
  }

  /// The request of Advanced Commerce inside a JWS; nil when it is not the developer's.
  func advancedCommerceRequest(jws: String) -> [UInt8]? {
    let checked = UncheckedRequest(jws)?.check(
      audiences: [Self.advancedCommerceAudience],
      find: find,
      isKnown: isKnown
    )
    guard case .valid(let request)? = checked, let text = request.claims["request"]?.stringValue
    else { return nil }
    return Base64.decode(text.utf8, .standard)
  }

  private func key(_ id: DeveloperKeyID, of app: BundleID) -> DeveloperKey? {
    findForOffers(id, app) ?? find(id)
  }

  /// What the claims allow; nil when something is missing.
  private func offer(_ request: SignedRequest) -> SignedOffer? {
    let claims = request.claims
    let isPromotional = request.audience == Self.promotionalAudience
    let offer = claims["offerIdentifier"]?.stringValue.map { OfferID($0) }
    let allows = claims["allowIntroductoryOffer"]?.boolValue
    let transaction = claims["transactionId"]?.stringValue.map { TransactionID($0) }
    guard let product = claims["productId"]?.stringValue,
      let nonce = claims["nonce"]?.stringValue.flatMap({ UUID(uuidString: $0) }),
      isPromotional ? offer != nil : allows != nil && transaction != nil
    else { return nil }
    return SignedOffer(
      bundleID: request.bundleID,
      productID: ProductID(product),
      offerID: isPromotional ? offer : nil,
      allowsIntroductoryOffer: isPromotional ? nil : allows,
      transactionID: transaction,
      nonce: nonce
    )
  }

  /// Whether a signature of that age, in milliseconds, is too old or too young.
  private func refusal(age: Int64) -> SignedRequest.Refusal? {
    if let leadMax, age < -Int64(leadMax * 1000) { return .notYetValid }
    if let ageMax, age > Int64(ageMax * 1000) { return .expired }
    return nil
  }
}

public import Foundation
public import IAPModel
import IAPSignatures

/// The signature of a promotional offer in its older form.
public struct SignedPromotionalOffer: Hashable, Sendable {
  /// The key that signed.
  public let keyID: AppStoreKeyID
  /// Good for one attempt.
  public let nonce: UUID
  /// UNIX milliseconds; the signature is good for a day.
  public let timestamp: Int64
  /// DER of an ECDSA signature.
  public let signature: [UInt8]
}

/// Signs offers with an app's In-App Purchase key.
///
/// - **Source:** StoreKit, "Generating a signature for promotional offers"; App Store Server API,
///   "Generating JWS to sign App Store requests".
public struct OfferSigner: Sendable {
  private static let separator = "\u{2063}"

  private let bundleID: BundleID
  private let key: AppStoreServerKey

  /// Makes a signer.
  ///
  /// - Parameters:
  ///   - bundleID: The app.
  ///   - key: The key that signs.
  public init(bundleID: BundleID, key: AppStoreServerKey) {
    self.bundleID = bundleID
    self.key = key
  }

  /// Allows a promotional offer, in the older form.
  ///
  /// - Parameters:
  ///   - offerID: The offer.
  ///   - productID: The product.
  ///   - username: The account token in lower case, or what the app calls the user; may be empty.
  ///   - nonce: Good for one attempt.
  ///   - date: The present instant.
  /// - Returns: The signature and what it is over.
  /// - Throws: ``AppStoreServerError/Code/keyUnusable``.
  public func promotionalOffer(
    _ offerID: OfferID,
    of productID: ProductID,
    username: String,
    nonce: UUID,
    at date: Date
  ) throws(AppStoreServerError) -> SignedPromotionalOffer {
    let timestamp = date.milliseconds
    let text = [
      bundleID.rawValue, key.id.rawValue, productID.rawValue, offerID.rawValue, username,
      nonce.uuidString.lowercased(), String(timestamp),
    ].joined(separator: Self.separator)
    do {
      let signature = try key.key.sign(Array(text.utf8), digest: .sha256, form: .der)
      return SignedPromotionalOffer(
        keyID: key.id,
        nonce: nonce,
        timestamp: timestamp,
        signature: signature
      )
    } catch {
      throw AppStoreServerError(.keyUnusable, "the key does not sign: \(error.code)")
    }
  }

  /// Allows a promotional offer, as a compact JWS.
  ///
  /// - Parameters:
  ///   - offerID: The offer.
  ///   - productID: The product.
  ///   - transactionID: Any transaction of the customer, or their app transaction.
  ///   - nonce: Good for one attempt.
  ///   - date: The present instant.
  /// - Returns: The compact text.
  /// - Throws: ``AppStoreServerError/Code/keyUnusable``.
  public func promotionalOfferJWS(
    _ offerID: OfferID,
    of productID: ProductID,
    transactionID: TransactionID?,
    nonce: UUID,
    at date: Date
  ) throws(AppStoreServerError) -> String {
    var own = [
      JSONMember("productId", .string(productID.rawValue)),
      JSONMember("offerIdentifier", .string(offerID.rawValue)),
    ]
    if let transactionID {
      own.append(JSONMember("transactionId", .string(transactionID.rawValue)))
    }
    return try jws("promotional-offer", own, nonce, date)
  }

  /// Says whether a customer may have the introductory offer, as a compact JWS.
  ///
  /// - Parameters:
  ///   - isAllowed: Whether they may.
  ///   - productID: The product.
  ///   - transactionID: Any transaction of the customer, or their app transaction.
  ///   - nonce: Good for one attempt.
  ///   - date: The present instant.
  /// - Returns: The compact text.
  /// - Throws: ``AppStoreServerError/Code/keyUnusable``.
  public func introductoryOfferJWS(
    isAllowed: Bool,
    of productID: ProductID,
    transactionID: TransactionID,
    nonce: UUID,
    at date: Date
  ) throws(AppStoreServerError) -> String {
    let own = [
      JSONMember("productId", .string(productID.rawValue)),
      JSONMember("allowIntroductoryOffer", .bool(isAllowed)),
      JSONMember("transactionId", .string(transactionID.rawValue)),
    ]
    return try jws("introductory-offer-eligibility", own, nonce, date)
  }

  private func jws(
    _ audience: String,
    _ own: [JSONMember],
    _ nonce: UUID,
    _ date: Date
  ) throws(AppStoreServerError) -> String {
    let common = [
      JSONMember("iss", .string(key.issuer.rawValue)),
      JSONMember("iat", .integer(Int64(date.timeIntervalSince1970))),
      JSONMember("aud", .string(audience)),
      JSONMember("bid", .string(bundleID.rawValue)),
      JSONMember("nonce", .string(nonce.uuidString.lowercased())),
    ]
    return try key.sign(JSONObject(common + own))
  }
}

import AppStoreServerAPI
import Foundation
import IAPModel
import IAPSignatures

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

  /// What is allowed, with what each form needs.
  enum Content: Hashable, Sendable {
    /// A promotional offer for a user, whose name may be empty.
    case promotional(OfferID, username: String)
    /// A promotional offer, for a customer where a transaction is named.
    case promotionalJWS(OfferID, TransactionID?)
    /// Whether a customer may have the introductory offer.
    case introductoryEligibilityJWS(isAllowed: Bool, TransactionID)
  }

  var format: Format
  var productID: ProductID
  var content: Content

  /// Signs the grant.
  ///
  /// - Parameters:
  ///   - signer: Signs for the app.
  ///   - nonce: Good for one attempt.
  ///   - now: When it is signed.
  /// - Returns: The members of the answer.
  /// - Throws: ``AppStoreServerError`` when the key cannot sign.
  func signed(
    by signer: OfferSigner,
    nonce: UUID,
    at now: Date
  ) throws(AppStoreServerError) -> JSONObject {
    let word = JSONValue.string(format.rawValue)
    switch content {
    case .promotional(let offer, let username):
      let signed = try signer.promotionalOffer(
        offer,
        of: productID,
        username: username,
        nonce: nonce,
        at: now
      )
      return [
        "format": word, "keyId": .string(signed.keyID.rawValue),
        "nonce": .string(signed.nonce.uuidString.lowercased()),
        "timestamp": .integer(signed.timestamp),
        "signature": .string(Base64.encode(signed.signature, .standard)),
      ]
    case .promotionalJWS(let offer, let transaction):
      let jws = try signer.promotionalOfferJWS(
        offer,
        of: productID,
        transactionID: transaction,
        nonce: nonce,
        at: now
      )
      return ["format": word, "jws": .string(jws)]
    case .introductoryEligibilityJWS(let isAllowed, let transaction):
      let jws = try signer.introductoryOfferJWS(
        isAllowed: isAllowed,
        of: productID,
        transactionID: transaction,
        nonce: nonce,
        at: now
      )
      return ["format": word, "jws": .string(jws)]
    }
  }
}

public import Foundation
public import IAPModel

/// Names an offer of a product.
public struct OfferReference: Hashable, Sendable {
  /// The kind.
  public let type: OfferType
  /// The identifier; for codes the reference name, absent for introductory offers.
  public let id: OfferID?

  /// Names an offer.
  ///
  /// - Parameters:
  ///   - type: The kind.
  ///   - id: The identifier; for codes the reference name.
  public init(type: OfferType, id: OfferID?) {
    self.type = type
    self.id = id
  }

  /// The introductory offer.
  public static let introductory = OfferReference(type: .introductory, id: nil)
}

/// The offer that a customer wants to use with a purchase.
public enum OfferUse: Hashable, Sendable {
  /// A promotional offer, with what the app's server signed.
  case promotional(OfferID, OfferProof?)
  /// A code.
  case code(OfferCode)
  /// A win-back offer.
  case winBack(OfferID)
  /// The introductory offer, if the server's signed word allows it.
  case introductory(eligibilityJWS: String)
}

/// What an app's server signed so that a customer gets a promotional offer.
///
/// - **Source:** the signed-data facts, section 5.
public enum OfferProof: Hashable, Sendable {
  /// Version 1: a signature over seven fields.
  case signature(OfferSignature)
  /// A compact JWS.
  case jws(String)
}

/// A promotional-offer signature of version 1.
public struct OfferSignature: Hashable, Sendable {
  /// The key.
  public var keyID: DeveloperKeyID
  /// Used for one attempt only.
  public var nonce: UUID
  /// When it was signed, in UNIX milliseconds.
  public var timestampMilliseconds: Int64
  /// The ECDSA signature in DER.
  public var signature: [UInt8]

  /// Takes a signature.
  ///
  /// - Parameters:
  ///   - keyID: The key.
  ///   - nonce: Used for one attempt only.
  ///   - timestampMilliseconds: When it was signed, in UNIX milliseconds.
  ///   - signature: The ECDSA signature in DER.
  public init(keyID: DeveloperKeyID, nonce: UUID, timestampMilliseconds: Int64, signature: [UInt8])
  {
    self.keyID = keyID
    self.nonce = nonce
    self.timestampMilliseconds = timestampMilliseconds
    self.signature = signature
  }
}

public import Foundation

/// Asks whoever holds the key to sign an offer: the app's server.
public protocol OfferSigner: Sendable {
  /// Signs an offer for one purchase.
  ///
  /// - Parameter request: What is to be signed.
  /// - Returns: A signature, or a JWS when the format asks for one.
  /// - Throws: Anything; the purchase ends before the sheet and may be tried again.
  func sign(_ request: OfferSignatureRequest) async throws -> OfferProof
}

/// What is to be signed for an offer.
public struct OfferSignatureRequest: Hashable, Sendable {
  /// The form of a signature.
  public struct Format: RawRepresentable, Hashable, Sendable {
    /// The stable name.
    public let rawValue: String
    /// Makes a format from its name.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// A promotional offer, as both generations of StoreKit take it.
    public static let promotional = Self(rawValue: "promotional")
    /// A promotional offer as a JWS.
    public static let promotionalJWS = Self(rawValue: "promotionalJWS")
    /// Whether the customer may have the introductory offer, as a JWS.
    public static let introductoryEligibilityJWS = Self(rawValue: "introductoryEligibilityJWS")
  }

  /// The form that is wanted.
  public var format: Format
  /// The product.
  public var productId: String
  /// The promotional offer.
  public var offerId: String?
  /// What travels with the payment: `appAccountToken`, or `applicationUsername` in lower case.
  public var accountToken: UUID?
  /// A transaction of the customer.
  public var transactionId: String?
  /// Whether the introductory offer is allowed.
  public var allowsIntroductoryOffer: Bool?

  /// Makes a request; what is left out is absent.
  public init(format: Format, productId: String, offerId: String? = nil, accountToken: UUID? = nil)
  {
    self.format = format
    self.productId = productId
    self.offerId = offerId
    self.accountToken = accountToken
  }

  fileprivate func proof(by signer: (any OfferSigner)?) async throws(IAPError) -> OfferProof {
    guard let signer else { throw .offerRefused(.notSigned) }
    do {
      return try await signer.sign(self)
    } catch {
      throw error as? IAPError ?? .network(underlying: error)
    }
  }

  func signature(by signer: (any OfferSigner)?) async throws(IAPError) -> OfferSignature {
    guard case .signature(let signature) = try await proof(by: signer) else {
      throw .offerRefused(.notSigned)
    }
    return signature
  }

  func jws(by signer: (any OfferSigner)?) async throws(IAPError) -> String {
    guard case .jws(let text) = try await proof(by: signer), !text.isEmpty else {
      throw .offerRefused(.notSigned)
    }
    return text
  }
}

/// What a signer made.
public enum OfferProof: Hashable, Sendable {
  /// For ``OfferSignatureRequest/Format/promotional``.
  case signature(OfferSignature)
  /// For the other formats.
  case jws(String)
}

/// The older signature of a promotional offer.
public struct OfferSignature: Hashable, Sendable, CustomStringConvertible {
  /// The key's id in App Store Connect.
  public let keyId: String
  /// Used once.
  public let nonce: UUID
  /// Milliseconds since 1970; Apple takes a signature for a day.
  public let timestamp: Int64
  /// The bytes in DER.
  public let signature: Data

  /// Makes a signature from what the server answered.
  public init(keyId: String, nonce: UUID, timestamp: Int64, signature: Data) {
    self.keyId = keyId
    self.nonce = nonce
    self.timestamp = timestamp
    self.signature = signature
  }

  /// The key's id alone.
  public var description: String { "OfferSignature(\(keyId))" }
}

/// Gives up on a signer that takes for ever: the purchase ends before its sheet.
struct WatchedSigner: OfferSigner {
  let signer: any OfferSigner
  let world: IAPWorld

  func sign(_ request: OfferSignatureRequest) async throws -> OfferProof {
    try await world.answer { [signer] in try await signer.sign(request) }
  }
}

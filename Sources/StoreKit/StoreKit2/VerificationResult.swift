public import Foundation

@frozen public enum VerificationResult<SignedType> {
  case unverified(SignedType, VerificationResult<SignedType>.VerificationError)
  case verified(SignedType)

  public var payloadValue: SignedType {
    get throws {
      switch self {
      case .verified(let value): return value
      case .unverified(_, let error): throw error
      }
    }
  }

  public var unsafePayloadValue: SignedType {
    switch self {
    case .verified(let value): value
    case .unverified(let value, _): value
    }
  }

  public enum VerificationError: Error, Equatable, Hashable {
    case revokedCertificate
    case invalidCertificateChain
    case invalidDeviceVerification
    case invalidEncoding
    case invalidSignature
    case missingRequiredProperties
  }
}

extension VerificationResult.VerificationError: LocalizedError {
  public var errorDescription: String? {
    switch self {
    case .revokedCertificate: "A certificate of the signature was revoked."
    case .invalidCertificateChain: "The certificates of the signature are not Apple's."
    case .invalidDeviceVerification: "The data was signed for another device."
    case .invalidEncoding: "The data cannot be read."
    case .invalidSignature: "The signature does not match the data."
    case .missingRequiredProperties: "The data lacks a required property."
    }
  }
}

extension VerificationResult: Equatable where SignedType: Equatable {}

extension VerificationResult: Hashable where SignedType: Hashable {}

extension VerificationResult: Sendable where SignedType: Sendable {}

extension VerificationResult: CustomDebugStringConvertible
where SignedType: CustomDebugStringConvertible {
  public var debugDescription: String {
    switch self {
    case .verified(let value): "verified(\(value.debugDescription))"
    case .unverified(let value, let error): "unverified(\(value.debugDescription), \(error))"
    }
  }
}

extension VerificationResult where SignedType == Transaction {
  public var jwsRepresentation: String { unsafePayloadValue.jwsRepresentation }
  public var headerData: Data { CompactJWS(text: jwsRepresentation).header }
  public var payloadData: Data { CompactJWS(text: jwsRepresentation).payload }
  public var signatureData: Data { CompactJWS(text: jwsRepresentation).signature }
  public var signedData: Data { CompactJWS(text: jwsRepresentation).signed }
  public var signedDate: Date { unsafePayloadValue.signedDate }
  public var deviceVerification: Data { unsafePayloadValue.deviceVerification }
  public var deviceVerificationNonce: UUID { unsafePayloadValue.deviceVerificationNonce }
}

extension VerificationResult where SignedType == Product.SubscriptionInfo.RenewalInfo {
  public var jwsRepresentation: String { unsafePayloadValue.jwsRepresentation }
  public var headerData: Data { CompactJWS(text: jwsRepresentation).header }
  public var payloadData: Data { CompactJWS(text: jwsRepresentation).payload }
  public var signatureData: Data { CompactJWS(text: jwsRepresentation).signature }
  public var signedData: Data { CompactJWS(text: jwsRepresentation).signed }
  public var signedDate: Date { unsafePayloadValue.signedDate }
  public var deviceVerification: Data { unsafePayloadValue.deviceVerification }
  public var deviceVerificationNonce: UUID { unsafePayloadValue.deviceVerificationNonce }
}

extension VerificationResult where SignedType == AppTransaction {
  public var jwsRepresentation: String { unsafePayloadValue.jwsRepresentation }
  public var headerData: Data { CompactJWS(text: jwsRepresentation).header }
  public var payloadData: Data { CompactJWS(text: jwsRepresentation).payload }
  public var signatureData: Data { CompactJWS(text: jwsRepresentation).signature }
  public var signedData: Data { CompactJWS(text: jwsRepresentation).signed }
  public var signedDate: Date { unsafePayloadValue.signedDate }
  public var deviceVerification: Data { unsafePayloadValue.deviceVerification }
  public var deviceVerificationNonce: UUID { unsafePayloadValue.deviceVerificationNonce }
}

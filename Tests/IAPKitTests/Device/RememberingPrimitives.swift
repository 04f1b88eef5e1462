import IAPSignatures
import OpenSSLCrypto
import Synchronization

/// Real cryptography that makes each key once: all shops have the same seed, and making an RSA key
/// from one takes longer than a whole purchase.
final class RememberingPrimitives: SigningPrimitives {
  static let standard = Result { try RememberingPrimitives() }

  private let real: OpenSSLPrimitives
  private let keys = Mutex<[KeyKind: [[UInt8]: any SigningKey]]>([:])

  private init() throws { real = try OpenSSLPrimitives() }

  func digest(_ algorithm: DigestAlgorithm, _ bytes: [UInt8]) -> [UInt8] {
    real.digest(algorithm, bytes)
  }

  func makeVerificationKey(
    subjectPublicKeyInfo: [UInt8]
  ) throws(CryptoError) -> any VerificationKey {
    try real.makeVerificationKey(subjectPublicKeyInfo: subjectPublicKeyInfo)
  }

  func makeSigningKey(_ kind: KeyKind, seed: [UInt8]) throws(CryptoError) -> any SigningKey {
    if let key = keys.withLock({ $0[kind]?[seed] }) { return key }
    let key = try real.makeSigningKey(kind, seed: seed)
    keys.withLock { $0[kind, default: [:]][seed] = key }
    return key
  }
}

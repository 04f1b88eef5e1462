/// A digest that signatures or fingerprints are made with.
public enum DigestAlgorithm: String, Hashable, Sendable, CaseIterable {
  /// MD5: recognised so that it can be refused.
  case md5
  /// SHA-1: old receipts and the device hash.
  case sha1
  /// SHA-256.
  case sha256
  /// SHA-384.
  case sha384
  /// SHA-512.
  case sha512
}

/// What kind of key it is, and how strong.
public enum KeyKind: Hashable, Sendable {
  /// An elliptic-curve key on P-256.
  case p256
  /// An elliptic-curve key on P-384.
  case p384
  /// An RSA key with so many bits.
  case rsa(bits: Int)
  /// Anything else, by name.
  case other(String)
}

/// How an ECDSA signature is written down.
public enum SignatureForm: Hashable, Sendable {
  /// r and s, each as long as the curve's order, one behind the other: JWS.
  case raw
  /// An ASN.1 sequence of r and s: certificates. RSA signatures are bytes either way.
  case der
}

/// Cryptography that could not be carried out, which says nothing about the signature.
public struct CryptoError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What went wrong, as a stable word.
  public let code: String
  /// The operation and what the library said; no key material.
  public let reason: String

  /// Makes an error.
  public init(code: String, reason: String) {
    self.code = code
    self.reason = reason
  }

  /// The code and the reason.
  public var description: String { "\(code): \(reason)" }

  /// Errors are equal when their codes are.
  public static func == (left: Self, right: Self) -> Bool { left.code == right.code }

  /// Hashes the code.
  public func hash(into hasher: inout Hasher) { hasher.combine(code) }
}

/// The cryptography that verification needs, supplied from outside.
public protocol VerificationPrimitives: Sendable {
  /// The digest of the bytes.
  func digest(_ algorithm: DigestAlgorithm, _ bytes: [UInt8]) -> [UInt8]

  /// Reads a public key so that it can be used many times.
  ///
  /// - Parameter subjectPublicKeyInfo: The DER of the key as it stands in a certificate.
  /// - Returns: The key.
  /// - Throws: ``CryptoError`` when it is no key that can be used.
  func makeVerificationKey(
    subjectPublicKeyInfo: [UInt8]
  ) throws(CryptoError) -> any VerificationKey
}

/// A public key that is ready for use, from any thread.
public protocol VerificationKey: Sendable {
  /// The kind and strength.
  var kind: KeyKind { get }

  /// Whether the signature is right; a malformed one is wrong.
  func isValid(
    signature: [UInt8],
    over message: [UInt8],
    digest: DigestAlgorithm,
    form: SignatureForm
  ) -> Bool
}

/// The cryptography that a simulated store signs with.
///
/// Everything is a function of its arguments: the same seed gives the same key, and a key gives the
/// same signature for the same message.
public protocol SigningPrimitives: VerificationPrimitives {
  /// Makes the key that belongs to the seed.
  ///
  /// - Parameters:
  ///   - kind: The kind and strength.
  ///   - seed: Any bytes; different seeds give different keys.
  /// - Returns: The key.
  /// - Throws: ``CryptoError`` when keys of that kind cannot be made.
  func makeSigningKey(_ kind: KeyKind, seed: [UInt8]) throws(CryptoError) -> any SigningKey
}

/// A private key that is ready for use, from any thread.
public protocol SigningKey: Sendable {
  /// The kind and strength.
  var kind: KeyKind { get }
  /// The DER of the public half as it stands in a certificate.
  var subjectPublicKeyInfo: [UInt8] { get }
  /// The key itself as PKCS#8, for keys that are made to be given away; nil for all others.
  var privateKeyInfo: [UInt8]? { get }
  /// Signs the message; the same message always gives the same bytes.
  func sign(
    _ message: [UInt8],
    digest: DigestAlgorithm,
    form: SignatureForm
  ) throws(CryptoError) -> [UInt8]
}

extension SigningKey {
  /// Keys are kept unless they are made to be given away.
  public var privateKeyInfo: [UInt8]? { nil }
}

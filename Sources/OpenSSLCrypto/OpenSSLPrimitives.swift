internal import COpenSSL
public import IAPSignatures
import Synchronization

/// The cryptography of libcrypto.
///
/// Make one and pass it on: it keeps the digests that it fetched and the RSA keys that it made.
///
/// - **Concurrency:** safe from any thread.
public final class OpenSSLPrimitives: SigningPrimitives {
  private let digests: Digests
  private let rsaKeys = Mutex<[RSAKeyRequest: RSASigningKey]>([:])

  /// How many RSA keys are kept; beyond that they are made anew.
  public static let rsaKeyCountMax = 64

  /// Fetches the digests.
  ///
  /// - Throws: ``CryptoError`` with code `libraryUnusable` when the library lacks one.
  public init() throws(CryptoError) {
    digests = try Digests()
  }

  /// The digest of the bytes.
  public func digest(_ algorithm: DigestAlgorithm, _ bytes: [UInt8]) -> [UInt8] {
    digests.digest(algorithm, bytes)
  }

  /// Reads a public key so that it can be used many times.
  ///
  /// - Parameter subjectPublicKeyInfo: The DER of the key as it stands in a certificate.
  /// - Returns: The key.
  /// - Throws: ``CryptoError`` with code `malformedKey` when it is no key that can be used.
  public func makeVerificationKey(
    subjectPublicKeyInfo: [UInt8]
  ) throws(CryptoError) -> any VerificationKey {
    try PublicKey(subjectPublicKeyInfo: subjectPublicKeyInfo, digests: digests)
  }

  /// Makes the key that belongs to the seed; it is for test data only.
  ///
  /// Who knows the seed knows the key, and elliptic-curve keys made here sign without protection
  /// against being timed. Simulated stores sign with them, nothing else should.
  ///
  /// - Parameters:
  ///   - kind: P-256, P-384 or RSA with 1024 to 4096 bits.
  ///   - seed: Any bytes; different seeds give different keys.
  /// - Returns: The key.
  /// - Throws: ``CryptoError`` with code `unsupportedKey` for other kinds.
  public func makeSigningKey(
    _ kind: KeyKind,
    seed: [UInt8]
  ) throws(CryptoError) -> any SigningKey {
    switch kind {
    case .p256: return try SeededECKey(curve: .p256, seed: seed, digests: digests)
    case .p384: return try SeededECKey(curve: .p384, seed: seed, digests: digests)
    case .rsa(let bits): return try rsaKey(RSAKeyRequest(bits: bits, seed: seed))
    case .other(let name):
      throw CryptoError(code: "unsupportedKey", reason: "no keys of kind \(name)")
    }
  }

  /// Reads a private key, for example the `.p8` file of App Store Connect.
  ///
  /// Elliptic-curve signatures of such a key contain chance: two signatures of one message differ.
  ///
  /// - Parameter pem: The text, with one block `PRIVATE KEY` that is not encrypted.
  /// - Returns: The key.
  /// - Throws: ``CryptoError`` with code `malformedKey`.
  public func readSigningKey(pem: [UInt8]) throws(CryptoError) -> any SigningKey {
    guard let blocks = PEM.blocks(pem), blocks.count == 1, blocks[0].label == "PRIVATE KEY" else {
      throw CryptoError(code: "malformedKey", reason: "expected one PEM block PRIVATE KEY")
    }
    return try PrivateKey(der: blocks[0].der, digests: digests)
  }

  private func rsaKey(_ request: RSAKeyRequest) throws(CryptoError) -> RSASigningKey {
    if let known = rsaKeys.withLock({ $0[request] }) { return known }
    let key = try RSASigningKey(request, digests: digests)
    rsaKeys.withLock { keys in
      if keys.count < Self.rsaKeyCountMax { keys[request] = key }
    }
    return key
  }
}

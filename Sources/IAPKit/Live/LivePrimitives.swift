#if canImport(CryptoKit) && canImport(Security)
import CryptoKit
import Foundation
package import IAPSignatures
import Security

/// The cryptography of Apple's platforms: CryptoKit for elliptic curves and digests, Security for
/// RSA.
package struct LivePrimitives: VerificationPrimitives {
  /// Makes the primitives.
  package init() {}

  /// The digest of the bytes.
  package func digest(_ algorithm: DigestAlgorithm, _ bytes: [UInt8]) -> [UInt8] {
    switch algorithm {
    case .md5: Array(Insecure.MD5.hash(data: bytes))
    case .sha1: Array(Insecure.SHA1.hash(data: bytes))
    case .sha256: Array(SHA256.hash(data: bytes))
    case .sha384: Array(SHA384.hash(data: bytes))
    case .sha512: Array(SHA512.hash(data: bytes))
    }
  }

  /// Reads a public key.
  ///
  /// - Parameter subjectPublicKeyInfo: The DER of the key as it stands in a certificate.
  /// - Returns: The key.
  /// - Throws: ``CryptoError`` when it is no key that can be used.
  package func makeVerificationKey(
    subjectPublicKeyInfo: [UInt8]
  ) throws(CryptoError) -> any VerificationKey {
    if let key = try? P256.Signing.PublicKey(derRepresentation: subjectPublicKeyInfo) {
      return P256Key(key: key)
    }
    if let key = try? P384.Signing.PublicKey(derRepresentation: subjectPublicKeyInfo) {
      return P384Key(key: key)
    }
    guard let key = RSAKey(subjectPublicKeyInfo: subjectPublicKeyInfo) else {
      throw CryptoError(code: "unusableKey", reason: "neither P-256, P-384 nor RSA")
    }
    return key
  }
}

private struct P256Key: VerificationKey {
  let key: P256.Signing.PublicKey
  var kind: KeyKind { .p256 }

  func isValid(
    signature: [UInt8],
    over message: [UInt8],
    digest: DigestAlgorithm,
    form: SignatureForm
  ) -> Bool {
    let parsed =
      switch form {
      case .raw: try? P256.Signing.ECDSASignature(rawRepresentation: signature)
      case .der: try? P256.Signing.ECDSASignature(derRepresentation: signature)
      }
    guard let parsed else { return false }
    switch digest {
    case .sha256: return key.isValidSignature(parsed, for: SHA256.hash(data: message))
    case .sha384: return key.isValidSignature(parsed, for: SHA384.hash(data: message))
    case .sha512: return key.isValidSignature(parsed, for: SHA512.hash(data: message))
    case .md5, .sha1: return false
    }
  }
}

private struct P384Key: VerificationKey {
  let key: P384.Signing.PublicKey
  var kind: KeyKind { .p384 }

  func isValid(
    signature: [UInt8],
    over message: [UInt8],
    digest: DigestAlgorithm,
    form: SignatureForm
  ) -> Bool {
    let parsed =
      switch form {
      case .raw: try? P384.Signing.ECDSASignature(rawRepresentation: signature)
      case .der: try? P384.Signing.ECDSASignature(derRepresentation: signature)
      }
    guard let parsed else { return false }
    switch digest {
    case .sha256: return key.isValidSignature(parsed, for: SHA256.hash(data: message))
    case .sha384: return key.isValidSignature(parsed, for: SHA384.hash(data: message))
    case .sha512: return key.isValidSignature(parsed, for: SHA512.hash(data: message))
    case .md5, .sha1: return false
    }
  }
}

/// An RSA key by its PKCS#1 bytes: Security's own key type is made anew for each check, because it
/// does not promise to be usable from several threads.
private struct RSAKey: VerificationKey {
  private let pkcs1: Data
  let kind: KeyKind

  init?(subjectPublicKeyInfo: [UInt8]) {
    guard let inner = Self.pkcs1(of: subjectPublicKeyInfo),
      let key = Self.key(Data(inner)),
      let attributes = SecKeyCopyAttributes(key) as? [CFString: Any],
      let bits = attributes[kSecAttrKeySizeInBits] as? Int
    else { return nil }
    pkcs1 = Data(inner)
    kind = .rsa(bits: bits)
  }

  private static func key(_ pkcs1: Data) -> SecKey? {
    let attributes = [
      kSecAttrKeyType: kSecAttrKeyTypeRSA, kSecAttrKeyClass: kSecAttrKeyClassPublic,
    ]
    return SecKeyCreateWithData(pkcs1 as CFData, attributes as CFDictionary, nil)
  }

  /// Takes the bit string out of SEQUENCE { SEQUENCE { algorithm }, BIT STRING }.
  private static func pkcs1(of info: [UInt8]) -> ArraySlice<UInt8>? {
    guard let outer = content(of: info[...], tag: 0x30),
      let algorithm = content(of: outer.value, tag: 0x30),
      let bits = content(of: algorithm.rest, tag: 0x03), bits.value.first == 0
    else { return nil }
    return bits.value.dropFirst()
  }

  private static func content(
    of bytes: ArraySlice<UInt8>,
    tag: UInt8
  ) -> (value: ArraySlice<UInt8>, rest: ArraySlice<UInt8>)? {
    guard bytes.count >= 2, bytes.first == tag else { return nil }
    var body = bytes.dropFirst()
    guard let first = body.popFirst() else { return nil }
    var length = Int(first)
    if first >= 0x80 {
      let count = Int(first & 0x7F)
      guard (1...4).contains(count), body.count >= count else { return nil }
      length = body.prefix(count).reduce(0) { $0 << 8 | Int($1) }
      body = body.dropFirst(count)
    }
    guard body.count >= length else { return nil }
    return (body.prefix(length), body.dropFirst(length))
  }

  func isValid(
    signature: [UInt8],
    over message: [UInt8],
    digest: DigestAlgorithm,
    form: SignatureForm
  ) -> Bool {
    let algorithm: SecKeyAlgorithm
    switch digest {
    case .sha1: algorithm = .rsaSignatureMessagePKCS1v15SHA1
    case .sha256: algorithm = .rsaSignatureMessagePKCS1v15SHA256
    case .sha384: algorithm = .rsaSignatureMessagePKCS1v15SHA384
    case .sha512: algorithm = .rsaSignatureMessagePKCS1v15SHA512
    case .md5: return false
    }
    guard let key = Self.key(pkcs1) else { return false }
    return SecKeyVerifySignature(
      key,
      algorithm,
      Data(message) as CFData,
      Data(signature) as CFData,
      nil
    )
  }
}
#endif

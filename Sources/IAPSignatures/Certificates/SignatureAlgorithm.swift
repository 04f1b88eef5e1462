/// A way to sign certificates and receipts: the family of the key and the digest.
struct SignatureAlgorithm: Hashable, Sendable {
  enum Family: Hashable, Sendable {
    case ecdsa
    case rsa
  }

  let family: Family
  let digest: DigestAlgorithm

  init(family: Family, digest: DigestAlgorithm) {
    self.family = family
    self.digest = digest
  }

  init(key: KeyKind, digest: DigestAlgorithm) throws(CryptoError) {
    switch key {
    case .p256, .p384: family = .ecdsa
    case .rsa: family = .rsa
    case .other(let name):
      throw CryptoError(code: "unsupportedKey", reason: "no signatures with keys of kind \(name)")
    }
    self.digest = digest
  }

  private static let known: [(SignatureAlgorithm, OID)] = [
    (SignatureAlgorithm(family: .ecdsa, digest: .sha1), .ecdsaSHA1),
    (SignatureAlgorithm(family: .ecdsa, digest: .sha256), .ecdsaSHA256),
    (SignatureAlgorithm(family: .ecdsa, digest: .sha384), .ecdsaSHA384),
    (SignatureAlgorithm(family: .ecdsa, digest: .sha512), .ecdsaSHA512),
    (SignatureAlgorithm(family: .rsa, digest: .md5), .rsaMD5),
    (SignatureAlgorithm(family: .rsa, digest: .sha1), .rsaSHA1),
    (SignatureAlgorithm(family: .rsa, digest: .sha256), .rsaSHA256),
    (SignatureAlgorithm(family: .rsa, digest: .sha384), .rsaSHA384),
    (SignatureAlgorithm(family: .rsa, digest: .sha512), .rsaSHA512),
  ]

  /// The algorithm of an identifier, nil when it is none that is known.
  init?(oid: OID) {
    guard let match = Self.known.first(where: { $0.1 == oid }) else { return nil }
    self = match.0
  }

  /// The DER of the algorithm identifier: RSA with NULL parameters, ECDSA without any.
  var identifier: [UInt8] {
    get throws(CryptoError) {
      guard let match = Self.known.first(where: { $0.0 == self }) else {
        throw CryptoError(code: "unsupportedDigest", reason: "no such signature: \(digest)")
      }
      return DERWriter.sequence(
        [DERWriter.oid(match.1)] + (family == .rsa ? [DERWriter.null] : [])
      )
    }
  }
}

extension DigestAlgorithm {
  private static let known: [(DigestAlgorithm, OID)] = [
    (.md5, .md5), (.sha1, .sha1), (.sha256, .sha256), (.sha384, .sha384), (.sha512, .sha512),
  ]

  /// The digest of an identifier, nil when it is none that is known.
  init?(oid: OID) {
    guard let match = Self.known.first(where: { $0.1 == oid }) else { return nil }
    self = match.0
  }

  /// The DER of the algorithm identifier, with NULL parameters as Apple writes them.
  var identifier: [UInt8] {
    let oid = Self.known.first { $0.0 == self }?.1 ?? .sha256
    return DERWriter.sequence([DERWriter.oid(oid), DERWriter.null])
  }
}

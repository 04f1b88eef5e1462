public import Foundation

/// Answers questions about revocation the way that an authority does.
///
/// - **Source:** RFC 6960, section 4.2.
public struct OCSPResponseWriter: Sendable {
  /// What is said about a certificate.
  public enum Standing: Hashable, Sendable {
    /// It is in good standing.
    case good
    /// It was revoked.
    case revoked(Revocation)
    /// It is not known.
    case unknown
  }

  private let issuer: Certificate
  private let key: any SigningKey
  private let signing: any VerificationPrimitives

  /// Prepares a writer for one authority.
  ///
  /// - Parameters:
  ///   - issuer: The authority's certificate.
  ///   - key: The authority's key.
  ///   - signing: Makes digests.
  public init(issuer: Certificate, key: any SigningKey, signing: any VerificationPrimitives) {
    self.issuer = issuer
    self.key = key
    self.signing = signing
  }

  /// An answer that is signed by the authority itself.
  ///
  /// - Parameters:
  ///   - certificate: What was asked about.
  ///   - standing: What is said.
  ///   - digest: The digest that the question names the certificate with.
  ///   - first: From when it may be relied on.
  ///   - last: Until when; nil leaves that open.
  /// - Returns: The DER of the answer.
  /// - Throws: ``CryptoError`` when the key cannot sign.
  public func answer(
    about certificate: Certificate,
    _ standing: Standing,
    named digest: DigestAlgorithm = .sha1,
    from first: Date,
    until last: Date?
  ) throws(CryptoError) -> [UInt8] {
    let id = try OCSPCertificateID(certificate, issuer: issuer, digest: digest, crypto: signing)
    var single = [id.der, Self.encoded(standing), Self.time(first)]
    if let last { single.append(DERWriter.tagged(0, Self.time(last))) }
    let responder = DERWriter.tagged(
      2,
      DERWriter.octetString(signing.digest(.sha1, try issuer.publicKeyBits()))
    )
    let data = DERWriter.sequence([
      responder, Self.time(first), DERWriter.sequence([DERWriter.sequence(single)]),
    ])
    let basic = DERWriter.sequence([
      data,
      try SignatureAlgorithm(key: key.kind, digest: .sha256).identifier,
      DERWriter.bitString(try key.sign(data, digest: .sha256, form: .der)),
    ])
    let typed = DERWriter.sequence([
      DERWriter.oid(.basicOCSPResponse), DERWriter.octetString(basic),
    ])
    return DERWriter.sequence([DERWriter.element(0x0A, [0]), DERWriter.tagged(0, typed)])
  }

  /// The unsigned answer of a responder that has none at present.
  public static let tryLater = DERWriter.sequence([DERWriter.element(0x0A, [3])])
  /// The unsigned answer of a responder to a question that is none.
  public static let malformedRequest = DERWriter.sequence([DERWriter.element(0x0A, [1])])
  /// The unsigned answer of a responder that does not know the certificate's issuer.
  public static let unauthorized = DERWriter.sequence([DERWriter.element(0x0A, [6])])

  private static func encoded(_ standing: Standing) -> [UInt8] {
    switch standing {
    case .good: return DERWriter.element(0x80, [])
    case .unknown: return DERWriter.element(0x82, [])
    case .revoked(let revocation):
      var members = time(revocation.date)
      if let reason = revocation.reason {
        members += DERWriter.tagged(0, DERWriter.element(0x0A, [UInt8(truncatingIfNeeded: reason)]))
      }
      return DERWriter.element(0xA1, members)
    }
  }

  private static func time(_ date: Date) -> [UInt8] { DERWriter.generalizedTime(date) }
}

extension CertificateExtension {
  /// Names the address at which the issuer says whether the certificate was revoked.
  ///
  /// - Parameter address: The address.
  /// - Returns: The extension.
  public static func responder(_ address: String) -> Self {
    let place = DERWriter.element(0x86, Array(address.utf8))
    return Self(
      id: .authorityInformationAccess,
      isCritical: false,
      value: DERWriter.sequence([DERWriter.sequence([DERWriter.oid(.ocsp), place])])
    )
  }
}

extension SigningChain {
  /// The keys of a chain's authorities, which sign answers about revocation.
  ///
  /// - Parameters:
  ///   - shape: What the certificates look like.
  ///   - seed: The seed of the chain.
  ///   - signing: Makes the keys.
  /// - Returns: The keys of the intermediate and of the root.
  /// - Throws: ``CryptoError`` when keys of those kinds cannot be made.
  public static func authorityKeys(
    shape: Shape,
    seed: [UInt8],
    signing: any SigningPrimitives
  ) throws(CryptoError) -> (intermediate: any SigningKey, root: any SigningKey) {
    (
      try key(of: shape.intermediate, "intermediate", seed, signing),
      try key(of: shape.root, "root", seed, signing)
    )
  }

  static func key(
    of member: Member,
    _ label: String,
    _ seed: [UInt8],
    _ signing: any SigningPrimitives
  ) throws(CryptoError) -> any SigningKey {
    try signing.makeSigningKey(member.key, seed: seed + Array(label.utf8))
  }
}

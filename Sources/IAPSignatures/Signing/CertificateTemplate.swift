public import Foundation

/// A name in a certificate: its parts in order.
public struct CertificateName: Hashable, Sendable {
  /// The parts.
  public var parts: [Part]

  /// One part of a name.
  public struct Part: Hashable, Sendable {
    /// What the part is.
    public var kind: OID
    /// Its text.
    public var text: String
  }

  /// Makes a name of the usual parts; those that are nil are left out.
  ///
  /// - Parameters:
  ///   - commonName: The name proper.
  ///   - organizationalUnit: The unit.
  ///   - organization: The organisation.
  ///   - country: The two-letter code.
  public init(
    commonName: String,
    organizationalUnit: String? = nil,
    organization: String? = nil,
    country: String? = nil
  ) {
    let values: [(OID, String?)] = [
      (.commonName, commonName), (.organizationalUnitName, organizationalUnit),
      (.organizationName, organization), (.countryName, country),
    ]
    parts = values.compactMap { kind, text in text.map { Part(kind: kind, text: $0) } }
  }

  /// The DER of the name.
  public var der: [UInt8] {
    DERWriter.sequence(
      parts.map { part in
        let text =
          part.kind == .countryName
          ? DERWriter.element(0x13, Array(part.text.utf8)) : DERWriter.utf8String(part.text)
        return DERWriter.set([DERWriter.sequence([DERWriter.oid(part.kind), text])])
      }
    )
  }
}

/// An extension that goes into a certificate.
public struct CertificateExtension: Hashable, Sendable {
  /// Which extension it is.
  public var id: OID
  /// Whether a reader that does not know it must refuse the certificate.
  public var isCritical: Bool
  /// The DER of its value.
  public var value: [UInt8]

  /// Makes an extension.
  ///
  /// - Parameters:
  ///   - id: Which extension it is.
  ///   - isCritical: Whether a reader that does not know it must refuse the certificate.
  ///   - value: The DER of its value.
  public init(id: OID, isCritical: Bool, value: [UInt8]) {
    self.id = id
    self.isCritical = isCritical
    self.value = value
  }

  /// Says whether the subject may issue certificates, and how many authorities may follow it.
  public static func basicConstraints(isAuthority: Bool, pathLength: Int? = nil) -> Self {
    var members: [[UInt8]] = []
    if isAuthority { members.append(DERWriter.boolean(true)) }
    if let pathLength { members.append(DERWriter.integer(Int64(pathLength))) }
    return Self(id: .basicConstraints, isCritical: true, value: DERWriter.sequence(members))
  }

  /// Says what the key may be used for.
  public static func keyUsage(_ usage: KeyUsage) -> Self {
    Self(id: .keyUsage, isCritical: true, value: DERWriter.namedBits(usage.bits))
  }

  /// Names the subject's key.
  public static func subjectKeyIdentifier(_ identifier: [UInt8]) -> Self {
    Self(
      id: .subjectKeyIdentifier,
      isCritical: false,
      value: DERWriter.octetString(identifier)
    )
  }

  /// Names the issuer's key.
  public static func authorityKeyIdentifier(_ identifier: [UInt8]) -> Self {
    Self(
      id: .authorityKeyIdentifier,
      isCritical: false,
      value: DERWriter.sequence([DERWriter.element(0x80, identifier)])
    )
  }

  /// Names the policies under which the certificate was issued.
  public static func policies(_ policies: [OID]) -> Self {
    Self(
      id: .certificatePolicies,
      isCritical: false,
      value: DERWriter.sequence(policies.map { DERWriter.sequence([DERWriter.oid($0)]) })
    )
  }

  /// A mark of Apple's: an extension that says something by being there, with the value NULL.
  public static func marker(_ id: OID, isCritical: Bool = false) -> Self {
    Self(id: id, isCritical: isCritical, value: DERWriter.null)
  }
}

/// What a certificate's key may be used for.
///
/// - **Source:** RFC 5280, section 4.2.1.3.
public struct KeyUsage: OptionSet, Hashable, Sendable {
  /// Bit n of the number is bit n of the extension.
  public let rawValue: UInt16
  /// Makes a set from its bits.
  public init(rawValue: UInt16) { self.rawValue = rawValue }
  /// Signatures over data.
  public static let digitalSignature = Self(rawValue: 1 << 0)
  /// Signatures that shall hold later.
  public static let nonRepudiation = Self(rawValue: 1 << 1)
  /// Encrypting keys.
  public static let keyEncipherment = Self(rawValue: 1 << 2)
  /// Signatures over certificates.
  public static let certificateSigning = Self(rawValue: 1 << 5)
  /// Signatures over revocation lists.
  public static let revocationListSigning = Self(rawValue: 1 << 6)

  var bits: Set<Int> { Set((0..<9).filter { rawValue & 1 << UInt16($0) != 0 }) }
}

/// What goes into a certificate before it is signed.
public struct CertificateTemplate: Hashable, Sendable {
  /// The serial number, big-endian; it is never negative.
  public var serialNumber: [UInt8]
  /// The authority that signs.
  public var issuer: CertificateName
  /// The first instant at which the certificate is valid.
  public var notBefore: Date
  /// The last instant at which the certificate is valid.
  public var notAfter: Date
  /// Whom the certificate is about.
  public var subject: CertificateName
  /// The DER of the subject's public key.
  public var subjectPublicKeyInfo: [UInt8]
  /// The extensions, in order.
  public var extensions: [CertificateExtension]

  /// Makes a template.
  ///
  /// - Parameters:
  ///   - serialNumber: The serial number, big-endian.
  ///   - issuer: The authority that signs.
  ///   - subject: Whom the certificate is about.
  ///   - notBefore: The first valid instant.
  ///   - notAfter: The last valid instant.
  ///   - subjectPublicKeyInfo: The DER of the subject's public key.
  ///   - extensions: The extensions, in order.
  public init(
    serialNumber: [UInt8],
    issuer: CertificateName,
    subject: CertificateName,
    notBefore: Date,
    notAfter: Date,
    subjectPublicKeyInfo: [UInt8],
    extensions: [CertificateExtension]
  ) {
    self.serialNumber = serialNumber
    self.issuer = issuer
    self.subject = subject
    self.notBefore = notBefore
    self.notAfter = notAfter
    self.subjectPublicKeyInfo = subjectPublicKeyInfo
    self.extensions = extensions
  }

  /// Signs the certificate.
  ///
  /// - Parameters:
  ///   - key: The issuer's key.
  ///   - digest: The digest to sign with.
  /// - Returns: The DER of an X.509 certificate of version 3.
  /// - Throws: ``CryptoError`` when the key cannot sign so.
  public func signed(
    by key: any SigningKey,
    digest: DigestAlgorithm
  ) throws(CryptoError) -> [UInt8] {
    let algorithm = try SignatureAlgorithm(key: key.kind, digest: digest).identifier
    var members: [[UInt8]] = [
      DERWriter.tagged(0, DERWriter.integer(2)),
      DERWriter.unsignedInteger(serialNumber),
      algorithm,
      issuer.der,
      DERWriter.sequence([DERWriter.time(notBefore), DERWriter.time(notAfter)]),
      subject.der,
      subjectPublicKeyInfo,
    ]
    if !extensions.isEmpty {
      members.append(DERWriter.tagged(3, DERWriter.sequence(extensions.map(Self.encoded))))
    }
    let toBeSigned = DERWriter.sequence(members)
    let signature = try key.sign(toBeSigned, digest: digest, form: .der)
    return DERWriter.sequence([toBeSigned, algorithm, DERWriter.bitString(signature)])
  }

  private static func encoded(_ item: CertificateExtension) -> [UInt8] {
    var members = [DERWriter.oid(item.id)]
    if item.isCritical { members.append(DERWriter.boolean(true)) }
    members.append(DERWriter.octetString(item.value))
    return DERWriter.sequence(members)
  }
}

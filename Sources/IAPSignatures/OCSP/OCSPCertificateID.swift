/// A certificate, named the way that OCSP names it: by its issuer's name and key, and its number.
///
/// - **Source:** RFC 6960, section 4.1.1.
struct OCSPCertificateID: Hashable, Sendable {
  let digest: DigestAlgorithm
  let issuerName: [UInt8]
  let issuerKey: [UInt8]
  let serialNumber: [UInt8]

  /// Names a certificate.
  init(
    _ certificate: Certificate,
    issuer: Certificate,
    digest: DigestAlgorithm,
    crypto: any VerificationPrimitives
  ) throws(CryptoError) {
    self.digest = digest
    issuerName = crypto.digest(digest, issuer.subject)
    issuerKey = crypto.digest(digest, try issuer.publicKeyBits())
    serialNumber = certificate.serialNumber
  }

  /// Reads a name; nil when its digest is none that is known.
  init?(_ reader: DERReader) throws(CryptoError) {
    var reader = reader
    var algorithm = try reader.inside(try reader.read(0x30))
    let oid = OID(bytes: algorithm.content(try algorithm.read(0x06)))
    issuerName = reader.content(try reader.read(0x04))
    issuerKey = reader.content(try reader.read(0x04))
    serialNumber = reader.content(try reader.read(0x02))
    try reader.finish()
    guard let digest = DigestAlgorithm(oid: oid) else { return nil }
    self.digest = digest
  }

  var der: [UInt8] {
    DERWriter.sequence([
      digest.identifier,
      DERWriter.octetString(issuerName),
      DERWriter.octetString(issuerKey),
      DERWriter.element(0x02, serialNumber),
    ])
  }
}

extension Certificate {
  /// The bits of the subject's key, without what says of which kind it is.
  func publicKeyBits() throws(CryptoError) -> [UInt8] {
    var text = try DERReader(subjectPublicKeyInfo)
    var members = try text.inside(try text.read(0x30))
    _ = try members.read(0x30)
    let bits = members.content(try members.read(0x03))
    guard bits.first == 0 else { throw Self.malformed("a key that is no whole bytes") }
    return Array(bits.dropFirst())
  }
}

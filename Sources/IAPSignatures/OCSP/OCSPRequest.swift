/// A question to a responder about the standing of one certificate.
///
/// Without a nonce, because responders give out answers that were made before, and the time in an
/// answer says how old it is.
///
/// - **Source:** RFC 6960, section 4.1; RFC 5019, section 2.1.
public struct OCSPRequest: Hashable, Sendable {
  /// The DER of the question.
  public let der: [UInt8]

  /// Asks about a certificate.
  ///
  /// - Parameters:
  ///   - certificate: The certificate.
  ///   - issuer: The certificate of the authority that issued it.
  ///   - crypto: Makes digests.
  /// - Throws: ``CryptoError`` when the issuer's key cannot be read.
  public init(
    about certificate: Certificate,
    issuer: Certificate,
    crypto: any VerificationPrimitives
  ) throws(CryptoError) {
    // SHA-1 names a certificate here and protects nothing; every responder knows it.
    let id = try OCSPCertificateID(certificate, issuer: issuer, digest: .sha1, crypto: crypto)
    let list = DERWriter.sequence([DERWriter.sequence([id.der])])
    der = DERWriter.sequence([DERWriter.sequence([list])])
  }
}

extension Certificate {
  /// The most responders that are read from one certificate.
  static let respondersMax = 4

  /// The addresses at which the issuer says whether the certificate was revoked, in order.
  ///
  /// They are words of the certificate and no more: ask there only when its chain ends at a trusted
  /// root, and only hosts that are known.
  public var ocspResponders: [String] {
    guard let item = `extension`(.authorityInformationAccess),
      let addresses = try? Self.responders(item.value)
    else { return [] }
    return addresses
  }

  private static func responders(_ value: [UInt8]) throws(CryptoError) -> [String] {
    var text = try DERReader(value)
    var list = try text.inside(try text.read(0x30))
    var result: [String] = []
    while !list.isAtEnd, result.count < respondersMax {
      var item = try list.inside(try list.read(0x30))
      let method = OID(bytes: item.content(try item.read(0x06)))
      let place = try item.read()
      // [6] is a uniform resource identifier; other forms of names are passed over.
      guard method == .ocsp, place.tag == 0x86 else { continue }
      result.append(String(decoding: item.content(place), as: UTF8.self))
    }
    return result
  }
}

public import Foundation

/// Signs receipts the way the App Store does: PKCS#7 signed data with one signer.
///
/// - **Shape:** DER with definite lengths; the three certificates attached; no signed attributes
///   unless they are asked for.
public struct PKCS7Writer: Sendable {
  private let chain: SigningChain
  private let signing: any VerificationPrimitives

  /// Prepares a writer.
  ///
  /// - Parameters:
  ///   - chain: Leaf, intermediate and root, with the leaf's key.
  ///   - signing: Makes digests.
  public init(chain: SigningChain, signing: any VerificationPrimitives) {
    self.chain = chain
    self.signing = signing
  }

  /// Signs content.
  ///
  /// - Parameters:
  ///   - content: The bytes, for receipts the set of attributes.
  ///   - digest: The digest that is signed.
  ///   - attributesSignedAt: When to say that it was signed; nil leaves signed attributes out.
  /// - Returns: The DER of the whole container.
  /// - Throws: ``CryptoError`` when the key cannot sign or the leaf is no certificate.
  public func sign(
    _ content: [UInt8],
    digest: DigestAlgorithm = .sha256,
    attributesSignedAt: Date? = nil
  ) throws(CryptoError) -> [UInt8] {
    guard let leaf = chain.certificates.first, let names = Self.issuerAndSerial(of: leaf) else {
      throw CryptoError(code: "malformedCertificate", reason: "the chain has no readable leaf")
    }
    let attributes = attributesSignedAt.map {
      self.attributes(content: content, digest: digest, signedAt: $0)
    }
    let signed = attributes.map { DERWriter.set($0) } ?? content
    let signature = try chain.leafKey.sign(signed, digest: digest, form: .der)
    var signer: [[UInt8]] = [DERWriter.integer(1), names, digest.identifier]
    if let attributes {
      signer.append(DERWriter.tagged(0, Array(DERWriter.setOrder(attributes).joined())))
    }
    signer.append(try signatureIdentifier(digest))
    signer.append(DERWriter.octetString(signature))
    let signedData = DERWriter.sequence([
      DERWriter.integer(1),
      DERWriter.set([digest.identifier]),
      DERWriter.sequence([
        DERWriter.oid(.pkcs7Data), DERWriter.tagged(0, DERWriter.octetString(content)),
      ]),
      DERWriter.tagged(0, Array(chain.certificates.joined())),
      DERWriter.set([DERWriter.sequence(signer)]),
    ])
    return DERWriter.sequence([
      DERWriter.oid(.pkcs7SignedData), DERWriter.tagged(0, signedData),
    ])
  }

  private func attributes(
    content: [UInt8],
    digest: DigestAlgorithm,
    signedAt: Date
  ) -> [[UInt8]] {
    let values: [(OID, [UInt8])] = [
      (.contentTypeAttribute, DERWriter.oid(.pkcs7Data)),
      (.signingTimeAttribute, DERWriter.time(signedAt)),
      (.messageDigestAttribute, DERWriter.octetString(signing.digest(digest, content))),
    ]
    return values.map { DERWriter.sequence([DERWriter.oid($0), DERWriter.set([$1])]) }
  }

  // Apple names the bare key algorithm for RSA; ECDSA has no such name.
  private func signatureIdentifier(_ digest: DigestAlgorithm) throws(CryptoError) -> [UInt8] {
    let algorithm = try SignatureAlgorithm(key: chain.leafKey.kind, digest: digest)
    guard algorithm.family == .rsa else { return try algorithm.identifier }
    return DERWriter.sequence([DERWriter.oid(.rsaEncryption), DERWriter.null])
  }

  private static func issuerAndSerial(of certificate: [UInt8]) -> [UInt8]? {
    guard let parsed = try? Certificate(der: certificate) else { return nil }
    return DERWriter.sequence([parsed.issuer, DERWriter.element(0x02, parsed.serialNumber)])
  }
}

public import Foundation

/// Answers questions about the certificates of one chain, in the place of its authorities.
public struct OCSPResponder: Sendable {
  private let writers: [OCSPResponseWriter]
  private let links: [(certificate: Certificate, issuer: Certificate)]
  private let signing: any VerificationPrimitives

  /// Prepares a responder.
  ///
  /// - Parameters:
  ///   - chain: Leaf, intermediate and root.
  ///   - intermediateKey: The key of the leaf's issuer.
  ///   - rootKey: The key of the intermediate's issuer.
  ///   - signing: Makes digests.
  /// - Throws: ``CryptoError`` when the chain has not three certificates.
  public init(
    chain: SigningChain,
    intermediateKey: any SigningKey,
    rootKey: any SigningKey,
    signing: any VerificationPrimitives
  ) throws(CryptoError) {
    var certificates: [Certificate] = []
    for der in chain.certificates { certificates.append(try Certificate(der: der)) }
    guard certificates.count == 3 else {
      throw CryptoError(code: "malformedCertificate", reason: "a chain has three certificates")
    }
    links = [(certificates[0], certificates[1]), (certificates[1], certificates[2])]
    writers = [
      OCSPResponseWriter(issuer: certificates[1], key: intermediateKey, signing: signing),
      OCSPResponseWriter(issuer: certificates[2], key: rootKey, signing: signing),
    ]
    self.signing = signing
  }

  /// Answers a question.
  ///
  /// - Parameters:
  ///   - request: The DER of the question; the first certificate in it counts.
  ///   - standing: What is said about the leaf; the intermediate is in good standing.
  ///   - first: From when the answer may be relied on.
  ///   - last: Until when; nil leaves that open.
  /// - Returns: The DER of the answer; nil when the question is none, or is about another chain.
  /// - Throws: ``CryptoError`` when a key cannot sign.
  public func answer(
    _ request: [UInt8],
    _ standing: OCSPResponseWriter.Standing,
    from first: Date,
    until last: Date?
  ) throws(CryptoError) -> [UInt8]? {
    guard let id = try? OCSPRequest.firstID(request) else { return nil }
    for (index, link) in links.enumerated() {
      let own = try OCSPCertificateID(
        link.certificate,
        issuer: link.issuer,
        digest: id.digest,
        crypto: signing
      )
      guard own == id else { continue }
      return try writers[index].answer(
        about: link.certificate,
        index == 0 ? standing : .good,
        named: id.digest,
        from: first,
        until: last
      )
    }
    return nil
  }
}

extension OCSPRequest {
  /// The first certificate that a question is about; nil when its digest is not known here.
  static func firstID(_ request: [UInt8]) throws(CryptoError) -> OCSPCertificateID? {
    var text = try DERReader(request)
    var outer = try text.inside(try text.read(0x30))
    var fields = try outer.inside(try outer.read(0x30))
    _ = try fields.readIf(0xA0)
    _ = try fields.readIf(0xA1)
    var list = try fields.inside(try fields.read(0x30))
    var item = try list.inside(try list.read(0x30))
    return try OCSPCertificateID(item.inside(try item.read(0x30)))
  }
}

/// A PKCS#7 container with signed data, read but not trusted.
///
/// - **Shape:** DER as the App Store writes it, or BER with indefinite lengths as Xcode does.
/// - **Source:** RFC 2315, sections 7 and 9; RFC 5652, section 5.
struct PKCS7Container: Sendable {
  /// One signature over the content.
  struct Signer: Sendable {
    /// The DER of the issuer's name in the signer's certificate.
    var issuer: [UInt8]
    /// The serial number of the signer's certificate.
    var serialNumber: [UInt8]
    /// The digest, nil when it is not known here.
    var digest: DigestAlgorithm?
    /// What is signed in place of the content: the DER of a SET of attributes.
    var signedAttributes: [UInt8]?
    /// The attributes by kind, each with the DER of its values.
    var attributes: [Attribute]
    /// How it is signed: the identifier alone.
    var algorithm: OID
    /// The signature.
    var signature: [UInt8]
  }

  /// A signed attribute.
  struct Attribute: Sendable {
    var id: OID
    /// The DER of each value.
    var values: [[UInt8]]
  }

  /// What kind of content is signed.
  let contentType: OID
  /// The content, nil when it is elsewhere.
  let content: [UInt8]?
  /// The certificates that came along, each as DER.
  let certificates: [[UInt8]]
  /// The signers.
  let signers: [Signer]

  /// How many certificates are looked at.
  static let certificateCountMax = 8

  /// Reads a container.
  ///
  /// - Parameters:
  ///   - bytes: The whole container and nothing behind it.
  ///   - limits: How much is read.
  /// - Throws: ``CryptoError`` with code `malformedASN1` or `malformedContainer`.
  init(_ bytes: [UInt8], limits: DERLimits) throws(CryptoError) {
    var text = try DERReader(bytes, rules: .basic, limits: limits)
    let outer = try text.read(0x30)
    try text.finish()
    var info = try text.inside(outer)
    guard OID(bytes: info.content(try info.read(0x06))) == .pkcs7SignedData else {
      throw Self.malformed("it is not signed data")
    }
    let explicit = try info.read(0xA0)
    try info.finish()
    var wrapper = try info.inside(explicit)
    let sequence = try wrapper.read(0x30)
    try wrapper.finish()
    var data = try wrapper.inside(sequence)
    _ = try data.read(0x02)
    _ = try data.read(0x31)
    (contentType, content) = try Self.content(data.inside(try data.read(0x30)))
    certificates =
      try data.readIf(0xA0).map { node throws(CryptoError) in
        try Self.certificates(data.inside(node))
      } ?? []
    _ = try data.readIf(0xA1)
    signers = try Self.signers(data.inside(try data.read(0x31)))
    try data.finish()
  }

  private static func malformed(_ reason: String) -> CryptoError {
    CryptoError(code: "malformedContainer", reason: reason)
  }

  private static func content(_ reader: DERReader) throws(CryptoError) -> (OID, [UInt8]?) {
    var reader = reader
    let type = OID(bytes: reader.content(try reader.read(0x06)))
    guard let explicit = try reader.readIf(0xA0) else {
      try reader.finish()
      return (type, nil)
    }
    try reader.finish()
    var wrapper = try reader.inside(explicit)
    let node = try wrapper.read()
    try wrapper.finish()
    return (type, try octets(node, in: wrapper))
  }

  /// The bytes of an OCTET STRING, put together when it comes in pieces.
  static func octets(_ node: DERNode, in reader: DERReader) throws(CryptoError) -> [UInt8] {
    guard node.tag == 0x04 || node.tag == 0x24 else { throw malformed("not an octet string") }
    guard node.isConstructed else { return reader.content(node) }
    var pieces = try reader.inside(node)
    var bytes: [UInt8] = []
    while !pieces.isAtEnd { bytes += try octets(pieces.read(), in: pieces) }
    return bytes
  }

  private static func certificates(_ reader: DERReader) throws(CryptoError) -> [[UInt8]] {
    var reader = reader
    var result: [[UInt8]] = []
    while !reader.isAtEnd {
      guard result.count < certificateCountMax else {
        throw malformed("more than \(certificateCountMax) certificates")
      }
      result.append(reader.whole(try reader.read(0x30)))
    }
    return result
  }

  private static func signers(_ reader: DERReader) throws(CryptoError) -> [Signer] {
    var reader = reader
    var result: [Signer] = []
    while !reader.isAtEnd {
      // One is expected; a second one is enough to refuse the container.
      guard result.count < 2 else { throw malformed("more than two signers") }
      result.append(try signer(reader.inside(try reader.read(0x30))))
    }
    return result
  }

  private static func signer(_ reader: DERReader) throws(CryptoError) -> Signer {
    var reader = reader
    _ = try reader.read(0x02)
    var names = try reader.inside(try reader.read(0x30))
    let issuer = names.whole(try names.read(0x30))
    let serialNumber = names.content(try names.read(0x02))
    try names.finish()
    let digest = DigestAlgorithm(oid: try identifier(reader.inside(try reader.read(0x30))))
    let signed = try reader.readIf(0xA0)
    let algorithm = try identifier(reader.inside(try reader.read(0x30)))
    let signature = try octets(try reader.read(), in: reader)
    _ = try reader.readIf(0xA1)
    try reader.finish()
    var attributes: [Attribute] = []
    if let signed { attributes = try Self.attributes(reader.inside(signed)) }
    return Signer(
      issuer: issuer,
      serialNumber: serialNumber,
      digest: digest,
      signedAttributes: try signed.map { node throws(CryptoError) in
        // Signed is the SET, which stands here under another tag.
        guard !node.isIndefinite else { throw malformed("signed attributes of no length") }
        return DERWriter.element(0x31, reader.content(node))
      },
      attributes: attributes,
      algorithm: algorithm,
      signature: signature
    )
  }

  private static func identifier(_ reader: DERReader) throws(CryptoError) -> OID {
    var reader = reader
    return OID(bytes: reader.content(try reader.read(0x06)))
  }

  private static func attributes(_ reader: DERReader) throws(CryptoError) -> [Attribute] {
    var reader = reader
    var result: [Attribute] = []
    while !reader.isAtEnd {
      var item = try reader.inside(try reader.read(0x30))
      let id = OID(bytes: item.content(try item.read(0x06)))
      let list = try item.read(0x31)
      try item.finish()
      var members = try item.inside(list)
      var values: [[UInt8]] = []
      while !members.isAtEnd { values.append(members.whole(try members.read())) }
      result.append(Attribute(id: id, values: values))
    }
    return result
  }
}

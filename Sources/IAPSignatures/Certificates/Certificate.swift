public import Foundation

/// An X.509 certificate, read but not trusted.
///
/// It never changes; it is a reference because every rule about a chain looks at it.
///
/// - **Source:** RFC 5280, section 4.1.
public final class Certificate: Hashable, Sendable {
  /// The bytes that it was read from.
  public let der: [UInt8]
  /// The content of the serial number, as it is encoded.
  public let serialNumber: [UInt8]
  /// The DER of the issuer's name.
  public let issuer: [UInt8]
  /// The DER of the subject's name.
  public let subject: [UInt8]
  /// The first instant at which the certificate is valid.
  public let notBefore: Date
  /// The last instant at which the certificate is valid.
  public let notAfter: Date
  /// The DER of the subject's public key.
  public let subjectPublicKeyInfo: [UInt8]
  /// The extensions, in order; none stands twice.
  public let extensions: [CertificateExtension]
  /// Whether the subject may issue certificates; nil when the extension is absent.
  public let isAuthority: Bool?
  /// How many authorities may follow; nil when that is not limited.
  public let pathLength: Int?
  /// What the key may be used for; nil when the extension is absent.
  public let usage: KeyUsage?

  /// The bytes that are signed.
  let toBeSigned: [UInt8]
  /// How they are signed, nil when that is not known here.
  let algorithm: SignatureAlgorithm?
  /// The signature.
  let signature: [UInt8]

  /// Reads a certificate.
  ///
  /// - Parameter der: The whole encoding and nothing else.
  /// - Throws: ``CryptoError`` with code `malformedASN1` or `malformedCertificate`.
  public init(der: [UInt8]) throws(CryptoError) {
    var text = try DERReader(der)
    let outer = try text.read(0x30)
    try text.finish()
    var members = try text.inside(outer)
    let body = try members.read(0x30)
    let outerAlgorithm = try members.read(0x30)
    let signatureBits = try members.read(0x03)
    try members.finish()

    var fields = try members.inside(body)
    guard let version = try fields.readIf(0xA0) else { throw Self.malformed("no version") }
    var versionReader = try fields.inside(version)
    guard versionReader.content(try versionReader.read(0x02)) == [2] else {
      throw Self.malformed("not version 3")
    }
    serialNumber = fields.content(try fields.read(0x02))
    let innerAlgorithm = try fields.read(0x30)
    guard fields.content(innerAlgorithm) == members.content(outerAlgorithm) else {
      throw Self.malformed("two signature algorithms")
    }
    algorithm = try Self.algorithm(fields.inside(innerAlgorithm))
    issuer = fields.whole(try fields.read(0x30))
    (notBefore, notAfter) = try Self.validity(fields.inside(try fields.read(0x30)))
    subject = fields.whole(try fields.read(0x30))
    subjectPublicKeyInfo = fields.whole(try fields.read(0x30))
    _ = try fields.readIf(0x81)
    _ = try fields.readIf(0x82)
    let list = try fields.readIf(0xA3)
    try fields.finish()

    extensions =
      try list.map { node throws(CryptoError) in
        try Self.extensions(fields.inside(node))
      } ?? []
    (isAuthority, pathLength) = try Self.basicConstraints(extensions)
    usage = try Self.usage(extensions)
    toBeSigned = members.whole(body)
    signature = try Self.wholeBytes(members.content(signatureBits))
    self.der = der
  }

  /// The extension of a kind, nil when there is none.
  ///
  /// - Parameter id: The kind.
  /// - Returns: The extension.
  public func `extension`(_ id: OID) -> CertificateExtension? {
    extensions.first { $0.id == id }
  }

  /// Certificates are equal when their bytes are.
  public static func == (left: Certificate, right: Certificate) -> Bool {
    left === right || left.der == right.der
  }

  /// Hashes what tells one authority's certificates apart: the bytes are many.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(serialNumber)
    hasher.combine(der.count)
  }

  static func malformed(_ reason: String) -> CryptoError {
    CryptoError(code: "malformedCertificate", reason: reason)
  }

  private static func algorithm(
    _ reader: DERReader
  ) throws(CryptoError) -> SignatureAlgorithm? {
    var reader = reader
    let oid = OID(bytes: reader.content(try reader.read(0x06)))
    if !reader.isAtEnd { _ = try reader.read() }
    try reader.finish()
    return SignatureAlgorithm(oid: oid)
  }

  private static func validity(_ reader: DERReader) throws(CryptoError) -> (Date, Date) {
    var reader = reader
    let first = try ASN1Time.date(reader.read(), in: reader)
    let last = try ASN1Time.date(reader.read(), in: reader)
    try reader.finish()
    return (first, last)
  }

  private static func extensions(
    _ reader: DERReader
  ) throws(CryptoError) -> [CertificateExtension] {
    var outer = reader
    let sequence = try outer.read(0x30)
    try outer.finish()
    var list = try outer.inside(sequence)
    var result: [CertificateExtension] = []
    var seen: Set<OID> = []
    while !list.isAtEnd {
      var item = try list.inside(try list.read(0x30))
      let id = OID(bytes: item.content(try item.read(0x06)))
      let critical = try item.readIf(0x01).map { item.content($0) }
      let value = item.content(try item.read(0x04))
      try item.finish()
      guard seen.insert(id).inserted else { throw malformed("an extension stands twice") }
      guard critical == nil || critical == [0xFF] || critical == [0] else {
        throw malformed("a truth value that is none")
      }
      result.append(
        CertificateExtension(id: id, isCritical: critical == [0xFF], value: value)
      )
    }
    return result
  }

  private static func basicConstraints(
    _ extensions: [CertificateExtension]
  ) throws(CryptoError) -> (Bool?, Int?) {
    guard let item = extensions.first(where: { $0.id == .basicConstraints }) else {
      return (nil, nil)
    }
    var text = try DERReader(item.value)
    var members = try text.inside(try text.read(0x30))
    try text.finish()
    let flag = try members.readIf(0x01).map { members.content($0) }
    let length = try members.readIf(0x02).map { members.content($0) }
    try members.finish()
    guard flag == nil || flag == [0xFF] || flag == [0] else {
      throw malformed("a truth value that is none")
    }
    guard let length else { return (flag == [0xFF], nil) }
    guard length.count == 1, length[0] < 0x80 else { throw malformed("a path length too long") }
    return (flag == [0xFF], Int(length[0]))
  }

  private static func usage(
    _ extensions: [CertificateExtension]
  ) throws(CryptoError) -> KeyUsage? {
    guard let item = extensions.first(where: { $0.id == .keyUsage }) else { return nil }
    var text = try DERReader(item.value)
    let bits = text.content(try text.read(0x03))
    try text.finish()
    guard let unused = bits.first, unused < 8, bits.count <= 3 else {
      throw malformed("a key usage that is none")
    }
    var usage: KeyUsage = []
    for (place, byte) in bits.dropFirst().enumerated() {
      for bit in 0..<8 where byte & 0x80 >> UInt8(bit) != 0 {
        usage.insert(KeyUsage(rawValue: 1 << UInt16(place * 8 + bit)))
      }
    }
    return usage
  }

  private static func wholeBytes(_ bits: [UInt8]) throws(CryptoError) -> [UInt8] {
    guard bits.first == 0 else { throw malformed("a signature that is no whole bytes") }
    return Array(bits.dropFirst())
  }
}

/// Reads the two forms of a time in a certificate.
enum ASN1Time {
  /// The instant of a UTCTime or GeneralizedTime element in the one form that is allowed.
  ///
  /// - **Source:** RFC 5280, section 4.1.2.5.
  static func date(_ node: DERNode, in reader: DERReader) throws(CryptoError) -> Date {
    var digits = reader.content(node)[...]
    guard digits.popLast() == UInt8(ascii: "Z"),
      digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
    else { throw Certificate.malformed("a time in another form") }
    func take(_ count: Int) -> Int {
      defer { digits = digits.dropFirst(count) }
      return digits.prefix(count).reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }
    let year: Int
    switch (node.tag, digits.count) {
    case (0x17, 12):
      let short = take(2)
      year = short < 50 ? 2000 + short : 1900 + short
    case (0x18, 14): year = take(4)
    default: throw Certificate.malformed("a time in another form")
    }
    let civil = CivilTime(
      year: year,
      month: take(2),
      day: take(2),
      hour: take(2),
      minute: take(2),
      second: take(2)
    )
    guard civil.isValid else { throw Certificate.malformed("a time that is none") }
    return civil.date
  }
}

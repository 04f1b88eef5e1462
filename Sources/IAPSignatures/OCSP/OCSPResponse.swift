import Foundation

/// An answer of a responder, read but not trusted.
///
/// - **Source:** RFC 6960, section 4.2.
struct OCSPResponse: Sendable {
  /// How much is read: genuine answers have less than 4 kB.
  static let limits = DERLimits(sizeBytesMax: 64 * 1024, depthMax: 16)
  /// The most certificates that may come along.
  static let certificatesMax = 8
  /// The most certificates that one answer may be about.
  static let answersMax = 32

  /// Who says that it is the responder.
  enum Responder: Hashable, Sendable {
    case name([UInt8])
    case keyHash([UInt8])
  }

  enum Standing: Hashable, Sendable {
    case good
    case revoked(Date, reason: Int64?)
    case unknown
  }

  /// What is said about one certificate.
  struct Answer: Hashable, Sendable {
    /// Nil when it is named with a digest that is not known here.
    let id: OCSPCertificateID?
    let standing: Standing
    let thisUpdate: Date
    let nextUpdate: Date?
  }

  /// What is signed.
  let toBeSigned: [UInt8]
  let algorithm: SignatureAlgorithm?
  let signature: [UInt8]
  let responder: Responder
  let answers: [Answer]
  /// The DER of the certificates that came along.
  let certificates: [[UInt8]]

  /// What can be read of the bytes.
  enum Reading: Sendable {
    case response(OCSPResponse)
    /// The responder says that it has no answer: the number of its status.
    case declined(Int64)
  }

  static func read(_ bytes: [UInt8]) throws(CryptoError) -> Reading {
    var text = try DERReader(bytes, limits: limits)
    var outer = try text.inside(try text.read(0x30))
    try text.finish()
    let status = outer.content(try outer.read(0x0A))
    guard status.count == 1, let number = status.first else { throw malformed("no status") }
    guard number == 0 else { return .declined(Int64(number)) }
    var wrapped = try outer.inside(try outer.read(0xA0))
    try outer.finish()
    var typed = try wrapped.inside(try wrapped.read(0x30))
    guard OID(bytes: typed.content(try typed.read(0x06))) == .basicOCSPResponse else {
      throw malformed("another type of answer")
    }
    let basic = typed.content(try typed.read(0x04))
    try typed.finish()
    return .response(try OCSPResponse(basic))
  }

  private init(_ bytes: [UInt8]) throws(CryptoError) {
    var text = try DERReader(bytes, limits: Self.limits)
    var members = try text.inside(try text.read(0x30))
    try text.finish()
    let data = try members.read(0x30)
    toBeSigned = members.whole(data)
    var identifier = try members.inside(try members.read(0x30))
    algorithm = SignatureAlgorithm(oid: OID(bytes: identifier.content(try identifier.read(0x06))))
    let bits = members.content(try members.read(0x03))
    guard bits.first == 0 else { throw Self.malformed("a signature that is no whole bytes") }
    signature = Array(bits.dropFirst())
    var attached: [[UInt8]] = []
    if let list = try members.readIf(0xA0) {
      var wrapped = try members.inside(list)
      var certificates = try wrapped.inside(try wrapped.read(0x30))
      while !certificates.isAtEnd {
        guard attached.count < Self.certificatesMax else {
          throw Self.malformed("more than \(Self.certificatesMax) certificates")
        }
        attached.append(certificates.whole(try certificates.read(0x30)))
      }
    }
    try members.finish()
    certificates = attached
    (responder, answers) = try Self.data(members.inside(data))
  }

  private static func data(_ reader: DERReader) throws(CryptoError) -> (Responder, [Answer]) {
    var fields = reader
    if let version = try fields.readIf(0xA0) {
      var number = try fields.inside(version)
      guard number.content(try number.read(0x02)) == [0] else { throw malformed("not version 1") }
    }
    let who = try fields.read()
    var naming = try fields.inside(who)
    let responder: Responder
    switch who.tag {
    case 0xA1: responder = .name(naming.whole(try naming.read(0x30)))
    case 0xA2: responder = .keyHash(naming.content(try naming.read(0x04)))
    default: throw malformed("a responder without a name")
    }
    _ = try ASN1Time.date(fields.read(0x18), in: fields)
    var list = try fields.inside(try fields.read(0x30))
    var answers: [Answer] = []
    while !list.isAtEnd {
      guard answers.count < answersMax else { throw malformed("more than \(answersMax) answers") }
      answers.append(try answer(list.inside(try list.read(0x30))))
    }
    if let extensions = try fields.readIf(0xA1) { try check(fields.inside(extensions)) }
    try fields.finish()
    return (responder, answers)
  }

  private static func answer(_ reader: DERReader) throws(CryptoError) -> Answer {
    var fields = reader
    let id = try OCSPCertificateID(fields.inside(try fields.read(0x30)))
    let standing = try standing(&fields)
    let thisUpdate = try ASN1Time.date(fields.read(0x18), in: fields)
    var nextUpdate: Date?
    if let next = try fields.readIf(0xA0) {
      var time = try fields.inside(next)
      nextUpdate = try ASN1Time.date(time.read(0x18), in: time)
    }
    if let extensions = try fields.readIf(0xA1) { try check(fields.inside(extensions)) }
    try fields.finish()
    return Answer(id: id, standing: standing, thisUpdate: thisUpdate, nextUpdate: nextUpdate)
  }

  private static func standing(_ fields: inout DERReader) throws(CryptoError) -> Standing {
    let node = try fields.read()
    switch node.tag {
    case 0x80: return .good
    case 0x82: return .unknown
    case 0xA1:
      var members = try fields.inside(node)
      let date = try ASN1Time.date(members.read(0x18), in: members)
      guard let reason = try members.readIf(0xA0) else { return .revoked(date, reason: nil) }
      var inner = try members.inside(reason)
      let number = inner.content(try inner.read(0x0A))
      return .revoked(date, reason: number.count == 1 ? number.first.map { Int64($0) } : nil)
    default: throw malformed("a standing that is none")
    }
  }

  /// Demands that no extension has to be understood: none is, here.
  private static func check(_ wrapped: DERReader) throws(CryptoError) {
    var wrapped = wrapped
    var list = try wrapped.inside(try wrapped.read(0x30))
    while !list.isAtEnd {
      var item = try list.inside(try list.read(0x30))
      let id = OID(bytes: item.content(try item.read(0x06)))
      guard try item.readIf(0x01).map({ item.content($0) }) != [0xFF] else {
        throw malformed("the critical extension \(id) is not known here")
      }
    }
  }

  private static func malformed(_ reason: String) -> CryptoError {
    CryptoError(code: "malformedOCSP", reason: reason)
  }
}

/// An ASN.1 object identifier.
///
/// Kept as its encoded content, so that two are compared by their bytes.
public struct OID: Hashable, Sendable, CustomStringConvertible, ExpressibleByStringLiteral {
  /// The content bytes, without tag and length.
  public let bytes: [UInt8]

  /// Takes the content bytes as they stand in an encoding.
  public init(bytes: [UInt8]) { self.bytes = bytes }

  /// Makes an identifier from its dotted form, for example `1.2.840.10045.2.1`.
  ///
  /// - Parameter value: At least two numbers; anything else is a programmer's error.
  public init(stringLiteral value: String) {
    let arcs = value.split(separator: ".").compactMap { UInt64($0) }
    precondition(arcs.count >= 2 && arcs[0] <= 2, "an object identifier has at least two numbers")
    bytes = ([arcs[0] * 40 + arcs[1]] + arcs.dropFirst(2)).flatMap(Self.base128)
  }

  private static func base128(_ arc: UInt64) -> [UInt8] {
    var digits = [UInt8(arc & 0x7F)]
    var rest = arc >> 7
    while rest > 0 {
      digits.append(UInt8(rest & 0x7F) | 0x80)
      rest >>= 7
    }
    return digits.reversed()
  }

  /// The dotted form, or hexadecimal digits when a number is too large for 64 bits.
  public var description: String {
    var arcs: [UInt64] = []
    var arc: UInt64 = 0
    for byte in bytes {
      guard arc >> 57 == 0 else { return "oid-" + bytes.map { String($0, radix: 16) }.joined() }
      arc = arc << 7 | UInt64(byte & 0x7F)
      if byte & 0x80 == 0 {
        arcs.append(arc)
        arc = 0
      }
    }
    guard let first = arcs.first else { return "oid-" }
    let top = min(first / 40, 2)
    return ([top, first - top * 40] + arcs.dropFirst()).map { String($0) }.joined(separator: ".")
  }
}

extension OID {
  /// The mark of a certificate that signs receipts and transactions.
  public static let receiptSigningMarker: OID = "1.2.840.113635.100.6.11.1"
  /// The mark of the intermediate certificate of Apple's developer relations.
  public static let intermediateMarker: OID = "1.2.840.113635.100.6.2.1"
  /// Apple's policy for receipt signing.
  public static let receiptSigningPolicy: OID = "1.2.840.113635.100.5.6.1"

  static let commonName: OID = "2.5.4.3"
  static let countryName: OID = "2.5.4.6"
  static let organizationName: OID = "2.5.4.10"
  static let organizationalUnitName: OID = "2.5.4.11"

  static let subjectKeyIdentifier: OID = "2.5.29.14"
  static let keyUsage: OID = "2.5.29.15"
  static let subjectAlternativeName: OID = "2.5.29.17"
  static let basicConstraints: OID = "2.5.29.19"
  static let nameConstraints: OID = "2.5.29.30"
  static let certificatePolicies: OID = "2.5.29.32"
  static let authorityKeyIdentifier: OID = "2.5.29.35"
  static let extendedKeyUsage: OID = "2.5.29.37"
  static let authorityInformationAccess: OID = "1.3.6.1.5.5.7.1.1"
  static let ocsp: OID = "1.3.6.1.5.5.7.48.1"
  static let basicOCSPResponse: OID = "1.3.6.1.5.5.7.48.1.1"
  static let ocspNoCheck: OID = "1.3.6.1.5.5.7.48.1.5"
  static let ocspSigning: OID = "1.3.6.1.5.5.7.3.9"

  static let ecPublicKey: OID = "1.2.840.10045.2.1"
  static let p256: OID = "1.2.840.10045.3.1.7"
  static let p384: OID = "1.3.132.0.34"
  static let ecdsaSHA1: OID = "1.2.840.10045.4.1"
  static let ecdsaSHA256: OID = "1.2.840.10045.4.3.2"
  static let ecdsaSHA384: OID = "1.2.840.10045.4.3.3"
  static let ecdsaSHA512: OID = "1.2.840.10045.4.3.4"
  static let rsaEncryption: OID = "1.2.840.113549.1.1.1"
  static let rsaMD5: OID = "1.2.840.113549.1.1.4"
  static let rsaSHA1: OID = "1.2.840.113549.1.1.5"
  static let rsaSHA256: OID = "1.2.840.113549.1.1.11"
  static let rsaSHA384: OID = "1.2.840.113549.1.1.12"
  static let rsaSHA512: OID = "1.2.840.113549.1.1.13"

  static let md5: OID = "1.2.840.113549.2.5"
  static let sha1: OID = "1.3.14.3.2.26"
  static let sha256: OID = "2.16.840.1.101.3.4.2.1"
  static let sha384: OID = "2.16.840.1.101.3.4.2.2"
  static let sha512: OID = "2.16.840.1.101.3.4.2.3"

  static let pkcs7Data: OID = "1.2.840.113549.1.7.1"
  static let pkcs7SignedData: OID = "1.2.840.113549.1.7.2"
  static let contentTypeAttribute: OID = "1.2.840.113549.1.9.3"
  static let messageDigestAttribute: OID = "1.2.840.113549.1.9.4"
  static let signingTimeAttribute: OID = "1.2.840.113549.1.9.5"
}

public import Foundation

/// One attribute of a receipt: a number and a value.
///
/// - **Shape:** SEQUENCE of type INTEGER, version INTEGER, value OCTET STRING.
public struct ReceiptAttribute: Hashable, Sendable {
  /// What the attribute says.
  public var type: Int
  /// The version of its form.
  public var version: Int
  /// The bytes of its value, for most types an ASN.1 element of its own.
  public var value: [UInt8]

  /// Makes an attribute from the bytes of its value.
  ///
  /// - Parameters:
  ///   - type: What the attribute says.
  ///   - value: The bytes of its value.
  ///   - version: The version of its form.
  public init(type: Int, value: [UInt8], version: Int = 1) {
    self.type = type
    self.version = version
    self.value = value
  }

  /// An attribute with a UTF-8 text.
  public static func text(_ type: Int, _ text: String) -> Self {
    Self(type: type, value: DERWriter.utf8String(text))
  }

  /// An attribute with an ASCII text.
  public static func ascii(_ type: Int, _ text: String) -> Self {
    Self(type: type, value: DERWriter.ia5String(text))
  }

  /// An attribute with a number.
  public static func integer(_ type: Int, _ value: Int64) -> Self {
    Self(type: type, value: DERWriter.integer(value))
  }

  /// An attribute with an instant, to the second; nil is written as an empty text.
  public static func date(_ type: Int, _ date: Date?) -> Self {
    ascii(type, date.map { CivilTime($0).text } ?? "")
  }

  /// The bytes of a set of attributes, in the order that the distinguished encoding wants.
  ///
  /// - Parameter attributes: The attributes in any order.
  /// - Returns: A SET; it is the content of a receipt, or the value of attribute 17.
  public static func encodeSet(_ attributes: [ReceiptAttribute]) -> [UInt8] {
    DERWriter.set(
      attributes.map { attribute in
        DERWriter.sequence([
          DERWriter.integer(Int64(attribute.type)),
          DERWriter.integer(Int64(attribute.version)),
          DERWriter.octetString(attribute.value),
        ])
      }
    )
  }
}

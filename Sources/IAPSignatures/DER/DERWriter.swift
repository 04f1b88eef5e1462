public import Foundation

/// Writes ASN.1 in the distinguished encoding: each function returns one whole element.
///
/// - **Source:** ITU-T X.690, sections 8 and 11.
public enum DERWriter {
  /// An element with any tag byte.
  ///
  /// - Parameters:
  ///   - tag: The identifier byte, class and constructed bit included.
  ///   - content: The content.
  /// - Returns: Tag, length and content.
  public static func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
    element(tag, of: CollectionOfOne(content))
  }

  /// A SEQUENCE of whole elements.
  public static func sequence(_ elements: [[UInt8]]) -> [UInt8] { element(0x30, of: elements) }

  /// A SET OF whole elements, in the order that the distinguished encoding wants.
  public static func set(_ elements: [[UInt8]]) -> [UInt8] {
    element(0x31, of: setOrder(elements))
  }

  private static func element(_ tag: UInt8, of pieces: some Collection<[UInt8]>) -> [UInt8] {
    let count = pieces.reduce(0) { $0 + $1.count }
    var output: [UInt8] = []
    output.reserveCapacity(count + 6)
    output.append(tag)
    if count < 0x80 {
      output.append(UInt8(count))
    } else {
      let digits = bigEndian(UInt64(count))
      output.append(0x80 | UInt8(digits.count))
      output += digits
    }
    for piece in pieces { output += piece }
    return output
  }

  /// A context-specific, constructed element: `[number]`.
  public static func tagged(_ number: UInt8, _ content: [UInt8]) -> [UInt8] {
    precondition(number < 31, "larger tag numbers are not used here")
    return element(0xA0 | number, content)
  }

  /// An INTEGER from a number.
  public static func integer(_ value: Int64) -> [UInt8] {
    withUnsafeBytes(of: value.bigEndian) { bytes in
      var start = 0
      while start < bytes.count - 1,
        bytes[start] == 0 && bytes[start + 1] < 0x80
          || bytes[start] == 0xFF && bytes[start + 1] >= 0x80
      {
        start += 1
      }
      return element(0x02, Array(bytes[start...]))
    }
  }

  /// An INTEGER from the big-endian magnitude of a number that is not negative.
  public static func unsignedInteger(_ magnitude: some Sequence<UInt8>) -> [UInt8] {
    var bytes = Array(magnitude.drop { $0 == 0 })
    if bytes.isEmpty || bytes[0] >= 0x80 { bytes.insert(0, at: 0) }
    return element(0x02, bytes)
  }

  /// An OBJECT IDENTIFIER.
  public static func oid(_ value: OID) -> [UInt8] { element(0x06, value.bytes) }

  /// NULL.
  public static var null: [UInt8] { [0x05, 0x00] }

  /// A BOOLEAN.
  public static func boolean(_ value: Bool) -> [UInt8] { [0x01, 0x01, value ? 0xFF : 0x00] }

  /// An OCTET STRING.
  public static func octetString(_ bytes: [UInt8]) -> [UInt8] { element(0x04, bytes) }

  /// A BIT STRING whose bits fill whole bytes.
  public static func bitString(_ bytes: [UInt8]) -> [UInt8] { element(0x03, [0] + bytes) }

  /// A BIT STRING of named bits: trailing zero bits are left out.
  ///
  /// - Parameter bits: The numbers of the bits that are set, below 16.
  /// - Returns: The element.
  public static func namedBits(_ bits: Set<Int>) -> [UInt8] {
    guard let last = bits.max() else { return element(0x03, [0]) }
    var bytes = [UInt8](repeating: 0, count: last / 8 + 1)
    for bit in bits { bytes[bit / 8] |= 0x80 >> UInt8(bit % 8) }
    return element(0x03, [UInt8(7 - last % 8)] + bytes)
  }

  /// A UTF8String.
  public static func utf8String(_ text: String) -> [UInt8] { element(0x0C, Array(text.utf8)) }

  /// An IA5String; the text is ASCII.
  public static func ia5String(_ text: String) -> [UInt8] { element(0x16, Array(text.utf8)) }

  /// A time as certificates want it: UTCTime until 2049, GeneralizedTime from then on.
  ///
  /// - Parameter date: The instant; fractions of a second are cut off.
  /// - Returns: The element.
  public static func time(_ date: Date) -> [UInt8] {
    let civil = CivilTime(date)
    guard (1950..<2050).contains(civil.year) else { return generalizedTime(date) }
    return element(0x17, Array((CivilTime.padded(civil.year % 100, 2) + rest(civil)).utf8))
  }

  /// A GeneralizedTime, to the second.
  ///
  /// - Parameter date: The instant; fractions of a second are cut off.
  /// - Returns: The element.
  public static func generalizedTime(_ date: Date) -> [UInt8] {
    let civil = CivilTime(date)
    return element(0x18, Array((CivilTime.padded(civil.year, 4) + rest(civil)).utf8))
  }

  private static func rest(_ civil: CivilTime) -> String {
    [civil.month, civil.day, civil.hour, civil.minute, civil.second]
      .map { CivilTime.padded($0, 2) }.joined() + "Z"
  }

  static func setOrder(_ elements: [[UInt8]]) -> [[UInt8]] {
    elements.sorted { $0.lexicographicallyPrecedes($1) }
  }

  private static func bigEndian(_ value: UInt64) -> [UInt8] {
    Array(withUnsafeBytes(of: value.bigEndian) { Array($0) }.drop { $0 == 0 })
  }
}

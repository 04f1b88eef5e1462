/// Percent-encoding of URL parts.
///
/// - **Source:** RFC 3986, section 2.1.
public enum PercentCoding {
  /// Decodes percent-encoded bytes; an escape that is none stays as it is, and what is no UTF-8 is
  /// repaired with U+FFFD.
  ///
  /// - Parameter text: A part of a path.
  /// - Returns: The decoded text.
  public static func decode(_ text: some StringProtocol) -> String {
    decode(text, plusIsSpace: false)
  }

  /// Decodes a part of a query, where a plus sign is a space.
  ///
  /// - Parameter text: A name or value of a query.
  /// - Returns: The decoded text.
  public static func decodeForm(_ text: some StringProtocol) -> String {
    decode(text, plusIsSpace: true)
  }

  /// Encodes a text so that it can stand as one part of a path or query.
  ///
  /// - Parameter text: Any text.
  /// - Returns: The text with everything escaped but letters, digits and `-._~`.
  public static func encode(_ text: some StringProtocol) -> String {
    var result = ""
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
        UInt8(ascii: "_"), UInt8(ascii: "~"):
        result.unicodeScalars.append(Unicode.Scalar(byte))
      default:
        let digits = String(byte, radix: 16, uppercase: true)
        result += digits.utf8.count == 1 ? "%0\(digits)" : "%\(digits)"
      }
    }
    return result
  }

  private static func decode(_ text: some StringProtocol, plusIsSpace: Bool) -> String {
    let source = Array(text.utf8)
    guard source.contains(where: { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "+") }) else {
      return String(text)
    }
    var output: [UInt8] = []
    output.reserveCapacity(source.count)
    var index = 0
    while index < source.count {
      let byte = source[index]
      if byte == UInt8(ascii: "%"), index + 2 < source.count,
        let high = digit(source[index + 1]), let low = digit(source[index + 2])
      {
        output.append(high << 4 | low)
        index += 3
        continue
      }
      output.append(plusIsSpace && byte == UInt8(ascii: "+") ? 0x20 : byte)
      index += 1
    }
    return String(decoding: output, as: UTF8.self)
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}

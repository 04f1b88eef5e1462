import IAPModel

/// Base64 in both alphabets, over bytes and by table.
///
/// Strict: no white space, no padding in the URL alphabet and full padding in the standard one, and
/// the unused bits of the last digit are zero, so that each text has one meaning and each meaning
/// one text.
///
/// - **Source:** RFC 4648, sections 3.5, 4 and 5; RFC 7515, section 2.
public enum Base64 {
  /// The two alphabets.
  public enum Alphabet: Sendable {
    /// `+` and `/`, padded with `=`.
    case standard
    /// `-` and `_`, without padding.
    case url
  }

  /// Encodes bytes.
  ///
  /// - Parameters:
  ///   - bytes: Any bytes.
  ///   - alphabet: The alphabet.
  /// - Returns: ASCII bytes of the text.
  public static func encodedBytes(
    _ bytes: some Collection<UInt8>,
    _ alphabet: Alphabet
  ) -> [UInt8] {
    let digits = alphabet == .url ? Tables.urlDigits : Tables.standardDigits
    var output: [UInt8] = []
    output.reserveCapacity((bytes.count + 2) / 3 * 4)
    var bits: UInt32 = 0
    var held = 0
    for byte in bytes {
      bits = bits << 8 | UInt32(byte)
      held += 8
      while held >= 6 {
        held -= 6
        output.append(digits[Int(bits >> UInt32(held)) & 63])
      }
    }
    if held > 0 { output.append(digits[Int(bits << UInt32(6 - held)) & 63]) }
    if alphabet == .standard {
      while output.count % 4 != 0 { output.append(UInt8(ascii: "=")) }
    }
    return output
  }

  /// Encodes bytes as a text.
  ///
  /// - Parameters:
  ///   - bytes: Any bytes.
  ///   - alphabet: The alphabet.
  /// - Returns: The text.
  public static func encode(_ bytes: some Collection<UInt8>, _ alphabet: Alphabet) -> String {
    String(decoding: encodedBytes(bytes, alphabet), as: UTF8.self)
  }

  /// Decodes a text, strictly.
  ///
  /// - Parameters:
  ///   - text: The ASCII bytes of the text.
  ///   - alphabet: The alphabet.
  /// - Returns: The bytes, or nil when the text is not in the one right form.
  public static func decode(_ text: some Collection<UInt8>, _ alphabet: Alphabet) -> [UInt8]? {
    let result = text.withContiguousStorageIfAvailable { decodeBuffer($0, alphabet) }
    if let result { return result }
    return Array(text).withUnsafeBufferPointer { decodeBuffer($0, alphabet) }
  }

  private static func decodeBuffer(
    _ text: UnsafeBufferPointer<UInt8>,
    _ alphabet: Alphabet
  ) -> [UInt8]? {
    var count = text.count
    if alphabet == .standard {
      guard count % 4 == 0 else { return nil }
      var padding = 0
      while padding < 2, count > 0, text[count - 1] == UInt8(ascii: "=") {
        count -= 1
        padding += 1
      }
    }
    let digits = alphabet == .url ? Tables.urlValues : Tables.standardValues
    return digits.decode(UnsafeBufferPointer(rebasing: text[..<count]))
  }

  private enum Tables {
    static let standardDigits = digits(plus: "+", slash: "/")
    static let urlDigits = digits(plus: "-", slash: "_")
    static let standardValues = Base64Digits(standardDigits)
    static let urlValues = Base64Digits(urlDigits)

    private static func digits(plus: Unicode.Scalar, slash: Unicode.Scalar) -> [UInt8] {
      let letters =
        (0..<26).map { UInt8(ascii: "A") + $0 } + (0..<26).map { UInt8(ascii: "a") + $0 }
      let numerals = (0..<10).map { UInt8(ascii: "0") + $0 }
      return letters + numerals + [UInt8(ascii: plus), UInt8(ascii: slash)]
    }
  }
}

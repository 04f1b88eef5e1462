import IAPModel

/// Base64url without padding, strict: only texts that encoding would give are decoded.
enum Base64URL {
  private static let alphabet = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8
  )
  private static let digits = Base64Digits(alphabet)

  /// The bytes that a text stands for; nil when it is not the one text that stands for them.
  static func decode(_ text: UnsafeBufferPointer<UInt8>) -> [UInt8]? { digits.decode(text) }

  /// The text that stands for bytes.
  static func encode(_ bytes: some Collection<UInt8>) -> [UInt8] {
    let digits = alphabet
    var output: [UInt8] = []
    output.reserveCapacity(bytes.count * 4 / 3 + 2)
    var buffer: UInt32 = 0
    var bits = 0
    for byte in bytes {
      buffer = (buffer << 8 | UInt32(byte)) & 0x3FFF
      bits += 8
      while bits >= 6 {
        bits -= 6
        output.append(digits[Int(buffer >> UInt32(bits)) & 63])
      }
    }
    if bits > 0 { output.append(digits[Int(buffer << UInt32(6 - bits)) & 63]) }
    return output
  }
}

/// Base64url without padding, strict: only texts that encoding would give are decoded.
enum Base64URL {
  private static let alphabet = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8
  )
  /// The value of each digit, and 0xFF for bytes that are none.
  private static let values: [UInt8] = {
    var table = [UInt8](repeating: 0xFF, count: 256)
    for (value, character) in alphabet.enumerated() { table[Int(character)] = UInt8(value) }
    return table
  }()

  /// The bytes that a text stands for; nil when it is not the one text that stands for them.
  static func decode(_ text: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
    let count = text.count
    guard count % 4 != 1 else { return nil }
    let table = values
    var seen: UInt8 = 0
    var last: UInt8 = 0
    let output = table.withUnsafeBufferPointer { table in
      [UInt8](unsafeUninitializedCapacity: count * 3 / 4) { output, written in
        var read = 0
        while read + 4 <= count {
          let (a, b) = (table[Int(text[read])], table[Int(text[read + 1])])
          let (c, d) = (table[Int(text[read + 2])], table[Int(text[read + 3])])
          seen |= a | b | c | d
          output[written] = a << 2 | b >> 4
          output[written + 1] = b << 4 | c >> 2
          output[written + 2] = c << 6 | d
          read += 4
          written += 3
        }
        guard read < count else { return }
        let (a, b) = (table[Int(text[read])], table[Int(text[read + 1])])
        seen |= a | b
        output[written] = a << 2 | b >> 4
        written += 1
        last = b & 0x0F
        guard read + 2 < count else { return }
        let c = table[Int(text[read + 2])]
        seen |= c
        output[written] = b << 4 | c >> 2
        written += 1
        last = c & 0x03
      }
    }
    // Digits are below 64, so a high bit comes from a byte that is none; the bits behind the last
    // whole byte have to be zero.
    return seen & 0xC0 == 0 && last == 0 ? output : nil
  }

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

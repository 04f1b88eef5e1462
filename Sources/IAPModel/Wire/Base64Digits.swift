/// The digits of one base64 alphabet, in the form in which four of them are read at once.
///
/// Most of what a server reads is base64 of base64, so this is the innermost of its loops.
package struct Base64Digits: Sendable {
  /// For each of the four places of a digit in a group, what each byte adds to the group's 24 bits;
  /// a byte that is no digit sets bits above those.
  private let table: [UInt32]

  private static let wrong: UInt32 = 0xFF00_0000

  /// Takes an alphabet.
  ///
  /// - Parameter alphabet: The 64 digits in order.
  package init(_ alphabet: [UInt8]) {
    precondition(alphabet.count == 64, "base64 has 64 digits")
    var table = [UInt32](repeating: Self.wrong, count: 4 * 256)
    for (value, digit) in alphabet.enumerated() {
      for place in 0..<4 { table[256 * place + Int(digit)] = UInt32(value) << (18 - 6 * place) }
    }
    self.table = table
  }

  /// Decodes a text without padding.
  ///
  /// - Parameter text: The digits.
  /// - Returns: The bytes; nil when it is not the one text that stands for them.
  package func decode(_ text: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
    let tail = text.count % 4
    guard tail != 1 else { return nil }
    let size = text.count / 4 * 3 + max(tail - 1, 0)
    var union: UInt32 = 0
    let bytes = table.withUnsafeBufferPointer { table in
      [UInt8](unsafeUninitializedCapacity: size) { output, filled in
        union = Self.decode(UnsafeRawBufferPointer(text), table, output)
        filled = size
      }
    }
    return union & Self.wrong == 0 ? bytes : nil
  }

  /// - Returns: All groups united: one look at them finds a byte that is no digit.
  private static func decode(
    _ text: UnsafeRawBufferPointer,
    _ table: UnsafeBufferPointer<UInt32>,
    _ output: UnsafeMutableBufferPointer<UInt8>
  ) -> UInt32 {
    var union: UInt32 = 0
    var from = 0
    var to = 0
    let bytes = UnsafeMutableRawBufferPointer(output)
    // Four bytes are written for three, as long as a further group will follow.
    while from + 8 <= text.count {
      let word = text.loadUnaligned(fromByteOffset: from, as: UInt32.self).littleEndian
      let bits =
        table[Int(word & 0xFF)] | table[256 + Int(word >> 8 & 0xFF)]
        | table[512 + Int(word >> 16 & 0xFF)] | table[768 + Int(word >> 24)]
      union |= bits
      bytes.storeBytes(of: (bits << 8).bigEndian, toByteOffset: to, as: UInt32.self)
      from += 4
      to += 3
    }
    while from + 4 <= text.count {
      let word = text.loadUnaligned(fromByteOffset: from, as: UInt32.self).littleEndian
      let bits =
        table[Int(word & 0xFF)] | table[256 + Int(word >> 8 & 0xFF)]
        | table[512 + Int(word >> 16 & 0xFF)] | table[768 + Int(word >> 24)]
      union |= bits
      output[to] = UInt8(truncatingIfNeeded: bits >> 16)
      output[to + 1] = UInt8(truncatingIfNeeded: bits >> 8)
      output[to + 2] = UInt8(truncatingIfNeeded: bits)
      from += 4
      to += 3
    }
    guard from < text.count else { return union }
    var bits: UInt32 = 0
    for place in 0..<(text.count - from) { bits |= table[256 * place + Int(text[from + place])] }
    let isLong = text.count - from == 3
    output[to] = UInt8(truncatingIfNeeded: bits >> 16)
    if isLong { output[to + 1] = UInt8(truncatingIfNeeded: bits >> 8) }
    // What stands behind the last whole byte has to be zero.
    return union | bits | (bits & (isLong ? 0xFF : 0xFFFF) == 0 ? 0 : wrong)
  }
}

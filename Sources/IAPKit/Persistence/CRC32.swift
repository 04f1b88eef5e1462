/// The checksum of a journal's lines: it finds damage, it does not protect against forgery.
///
/// - **Source:** ISO 3309; the polynomial is the reflected `EDB88320`.
enum CRC32 {
  private static let table: [UInt32] = (0..<256).map { index in
    (0..<8).reduce(UInt32(index)) { value, _ in
      value & 1 == 1 ? (value >> 1) ^ 0xEDB8_8320 : value >> 1
    }
  }

  static func checksum(_ bytes: some Sequence<UInt8>) -> UInt32 {
    var value: UInt32 = 0xFFFF_FFFF
    for byte in bytes { value = (value >> 8) ^ table[Int((value ^ UInt32(byte)) & 0xFF)] }
    return ~value
  }

  /// Eight lower-case hexadecimal digits.
  static func hex(_ bytes: some Sequence<UInt8>) -> [UInt8] {
    let value = checksum(bytes)
    let digits = Array("0123456789abcdef".utf8)
    return (0..<8).map { digits[Int((value >> (28 - 4 * UInt32($0))) & 0xF)] }
  }
}

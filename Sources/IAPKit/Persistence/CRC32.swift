/// The checksum of a journal's lines: it finds damage, it does not protect against forgery.
///
/// Eight bytes a step, because a launch reads the whole journal.
///
/// - **Source:** ISO 3309; the polynomial is the reflected `EDB88320`.
enum CRC32 {
  /// Eight tables of 256, one after the other.
  private static let tables: [UInt32] = {
    var tables: [UInt32] = (0..<256).map { (index: UInt32) -> UInt32 in
      var value = index
      for _ in 0..<8 { value = value & 1 == 1 ? (value >> 1) ^ 0xEDB8_8320 : value >> 1 }
      return value
    }
    for index in 256..<2048 {
      let value = tables[index - 256]
      tables.append((value >> 8) ^ tables[Int(value & 0xFF)])
    }
    return tables
  }()

  static func checksum(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
    tables.withUnsafeBufferPointer { tables in
      var value: UInt32 = 0xFFFF_FFFF
      var index = 0
      while index + 8 <= bytes.count {
        let next = bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
        let word = UInt64(littleEndian: next) ^ UInt64(value)
        let first = tables[0x700 + Int(word & 0xFF)] ^ tables[0x600 + Int(word >> 8 & 0xFF)]
        let second = tables[0x500 + Int(word >> 16 & 0xFF)] ^ tables[0x400 + Int(word >> 24 & 0xFF)]
        let third = tables[0x300 + Int(word >> 32 & 0xFF)] ^ tables[0x200 + Int(word >> 40 & 0xFF)]
        let fourth = tables[0x100 + Int(word >> 48 & 0xFF)] ^ tables[Int(word >> 56)]
        value = first ^ second ^ third ^ fourth
        index += 8
      }
      while index < bytes.count {
        value = (value >> 8) ^ tables[Int((value ^ UInt32(bytes[index])) & 0xFF)]
        index += 1
      }
      return ~value
    }
  }

  /// The checksum of some bytes as eight digits.
  static func hex(_ bytes: [UInt8]) -> [UInt8] { hex(bytes.withUnsafeBytes(checksum)) }

  /// Eight lower-case hexadecimal digits.
  static func hex(_ value: UInt32) -> [UInt8] {
    let digits = Array("0123456789abcdef".utf8)
    return (0..<8).map { digits[Int((value >> (28 - 4 * UInt32($0))) & 0xF)] }
  }

  /// The value of eight lower-case hexadecimal digits; nil when they are none.
  static func value(hex digits: some Collection<UInt8>) -> UInt32? {
    guard digits.count == 8 else { return nil }
    var value: UInt32 = 0
    for digit in digits {
      switch digit {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): value = value << 4 | UInt32(digit - 48)
      case UInt8(ascii: "a")...UInt8(ascii: "f"): value = value << 4 | UInt32(digit - 87)
      case _: return nil
      }
    }
    return value
  }
}

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

  static func checksum(_ bytes: UnsafeBufferPointer<UInt8>) -> UInt32 {
    tables.withUnsafeBufferPointer { tables in
      var value: UInt32 = 0xFFFF_FFFF
      var index = 0
      let count = bytes.count
      while index + 8 <= count {
        var next: UInt32 = 0
        for place in 0..<8 {
          var byte = Int(bytes[index + place])
          if place < 4 { byte ^= Int(value >> UInt32(8 * place)) & 0xFF }
          next ^= tables[256 * (7 - place) + byte]
        }
        value = next
        index += 8
      }
      while index < count {
        value = (value >> 8) ^ tables[Int((value ^ UInt32(bytes[index])) & 0xFF)]
        index += 1
      }
      return ~value
    }
  }

  /// Eight lower-case hexadecimal digits.
  static func hex(_ bytes: [UInt8]) -> [UInt8] {
    let value = bytes.withUnsafeBufferPointer(checksum)
    let digits = Array("0123456789abcdef".utf8)
    return (0..<8).map { digits[Int((value >> (28 - 4 * UInt32($0))) & 0xF)] }
  }

  /// The value of eight lower-case hexadecimal digits; nil when they are none.
  static func value(hex digits: Slice<UnsafeBufferPointer<UInt8>>) -> UInt32? {
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

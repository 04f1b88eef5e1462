/// Reads gzip files, in which Apple hands out its reports.
///
/// The limit is on what comes out: a small file may hold a very long one.
///
/// - **Source:** RFC 1951 and RFC 1952; decision 0341.
package enum Gzip {
  /// Why a file could not be read to its end.
  package enum Fault: String, Hashable, Sendable {
    /// It ends in the middle.
    case truncated
    /// It holds what no packer writes, or its check sum is another.
    case damaged
    /// More than the limit comes out.
    case tooLong
  }

  /// Whether bytes begin like a gzip file.
  package static func isOne(_ bytes: [UInt8]) -> Bool { bytes.starts(with: [0x1F, 0x8B]) }

  /// Unpacks a file, piece by piece; several files behind each other are one.
  ///
  /// - Parameters:
  ///   - input: The file.
  ///   - bytesMax: The most bytes that may come out.
  ///   - take: Is given each piece.
  /// - Returns: What was wrong; nil when all of it was read. Pieces before a fault were given.
  package static func unpack(
    _ input: [UInt8],
    bytesMax: Int,
    _ take: (ArraySlice<UInt8>) -> Void
  ) -> Fault? {
    var position = 0
    var left = bytesMax
    repeat {
      guard let start = headerEnd(input, position) else {
        return input.count - position < 18 ? .truncated : .damaged
      }
      var inflater = Inflater(input, from: start, bytesMax: left)
      if let fault = inflater.run(take) { return fault }
      let end = inflater.position
      guard input.count >= end + 8 else { return .truncated }
      guard number(input, end) == inflater.checkSum,
        number(input, end + 4) == UInt32(truncatingIfNeeded: inflater.count)
      else { return .damaged }
      left -= inflater.count
      position = end + 8
    } while position < input.count && isOne(Array(input[position..<min(position + 2, input.count)]))
    return nil
  }

  /// Where the packed data begins; nil when this is no header.
  private static func headerEnd(_ input: [UInt8], _ start: Int) -> Int? {
    guard input.count >= start + 18, input[start] == 0x1F, input[start + 1] == 0x8B,
      input[start + 2] == 8
    else { return nil }
    let flags = input[start + 3]
    guard flags & 0xE0 == 0 else { return nil }
    var position = start + 10
    if flags & 4 != 0 {
      guard input.count > position + 1 else { return nil }
      position += 2 + Int(input[position]) + Int(input[position + 1]) << 8
    }
    // A name and a remark, each with a zero behind it.
    for flag in [UInt8(8), 16] where flags & flag != 0 {
      guard position < input.count,
        let zero = input[position...].firstIndex(of: 0)
      else { return nil }
      position = zero + 1
    }
    if flags & 2 != 0 { position += 2 }
    return position < input.count ? position : nil
  }

  private static func number(_ input: [UInt8], _ start: Int) -> UInt32 {
    (0..<4).reduce(0) { $0 | UInt32(input[start + $1]) << (8 * UInt32($1)) }
  }
}

/// Adds bytes up to the check sum of RFC 1952.
struct CheckSum: Sendable {
  private var value: UInt32 = 0xFFFF_FFFF

  var result: UInt32 { ~value }

  mutating func add(_ bytes: ArraySlice<UInt8>) {
    for byte in bytes {
      value = Self.table[Int((value ^ UInt32(byte)) & 0xFF)] ^ (value >> 8)
    }
  }

  private static let table: [UInt32] = (0..<256).map { index in
    (0..<8).reduce(UInt32(index)) { value, _ in
      value & 1 == 1 ? 0xEDB8_8320 ^ (value >> 1) : value >> 1
    }
  }
}

/// How a journal looks on the disk.
///
/// Pure: bytes in, values out.
///
/// - **Shape:** the first line is `IAPKit journal 2`. Every other line is
///   `checksum kind id body`, parted by one space: the CRC-32 of the rest of the line as eight
///   hexadecimal digits, a word, a percent-encoded name, and either text without line breaks or
///   `-` for a removal. Lines end with a line feed.
/// - **Versions:** lines look the same in version 1, whose bodies are JSON only; version 2 also has
///   ``FinishedLine`` and lines that only remember an effect. An older client would take these for
///   damage, so the header tells it to keep away.
enum JournalFormat {
  static let version = 2
  static let header = Array("IAPKit journal 2\n".utf8)

  private static let headerPrefix = Array("IAPKit journal ".utf8)
  private static let space = UInt8(ascii: " ")
  private static let lineFeed = UInt8(ascii: "\n")

  /// What was found in a file.
  struct Contents: Equatable {
    var entries: [StorageEntry] = []
    /// How far the file is good; what is behind it is a record that was never finished.
    var goodLength = 0
    /// Bytes behind ``goodLength``.
    var tornBytes = 0
    /// Lines that are complete but do not match their checksum.
    var damaged: [[UInt8]] = []
    /// The version in the header, when it is not ours.
    var otherVersion: Int?
  }

  static func line(_ entry: StorageEntry) -> [UInt8] {
    var rest = Array(entry.key.kind.utf8)
    rest.append(space)
    rest += percentEncoded(entry.key.id)
    rest.append(space)
    rest += entry.body ?? StorageEntry.removal
    var line = CRC32.hex(rest)
    line.append(space)
    line += rest
    line.append(lineFeed)
    return line
  }

  static func parse(_ bytes: [UInt8]) -> Contents {
    bytes.withUnsafeBufferPointer { bytes in
      var contents = Contents()
      var start = 0
      while let end = bytes[start...].firstIndex(of: lineFeed) {
        let line = UnsafeBufferPointer(rebasing: bytes[start..<end])
        if start == 0, let version = headerVersion(line) {
          if version != Self.version { contents.otherVersion = version }
          guard version <= Self.version else { return contents }
        } else if let entry = entry(line) {
          contents.entries.append(entry)
        } else {
          contents.damaged.append(Array(line))
        }
        start = end + 1
      }
      contents.goodLength = start
      contents.tornBytes = bytes.count - start
      return contents
    }
  }

  private static func headerVersion(_ line: UnsafeBufferPointer<UInt8>) -> Int? {
    guard line.starts(with: headerPrefix) else { return nil }
    return Int(String(decoding: line.dropFirst(headerPrefix.count), as: UTF8.self))
  }

  private static func entry(_ line: UnsafeBufferPointer<UInt8>) -> StorageEntry? {
    guard line.count > 9, line[8] == space else { return nil }
    let rest = UnsafeBufferPointer(rebasing: line[9...])
    guard CRC32.value(hex: line[..<8]) == CRC32.checksum(rest),
      let kindEnd = rest.firstIndex(of: space),
      let idEnd = rest[(kindEnd + 1)...].firstIndex(of: space),
      let id = percentDecoded(rest[(kindEnd + 1)..<idEnd])
    else { return nil }
    let key = StorageKey(kind: String(decoding: rest[..<kindEnd], as: UTF8.self), id: id)
    let body = rest[(idEnd + 1)...]
    return StorageEntry(key, body.elementsEqual(StorageEntry.removal) ? nil : Array(body))
  }

  private static func percentEncoded(_ text: String) -> [UInt8] {
    let digits = Array("0123456789ABCDEF".utf8)
    var result: [UInt8] = []
    for byte in text.utf8 {
      if byte > 0x20, byte < 0x7F, byte != UInt8(ascii: "%") {
        result.append(byte)
      } else {
        result += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 0xF)]]
      }
    }
    return result
  }

  private static func percentDecoded(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> String? {
    guard bytes.contains(UInt8(ascii: "%")) else { return String(validating: Array(bytes)) }
    var result: [UInt8] = []
    var index = bytes.startIndex
    while index < bytes.endIndex {
      if bytes[index] != UInt8(ascii: "%") {
        result.append(bytes[index])
        index += 1
        continue
      }
      guard index + 2 < bytes.endIndex else { return nil }
      let digits = String(decoding: bytes[(index + 1)...(index + 2)], as: UTF8.self)
      guard let byte = UInt8(digits, radix: 16) else { return nil }
      result.append(byte)
      index += 3
    }
    return String(validating: result)
  }
}

extension String {
  /// The text of UTF-8 bytes; nil when they are none.
  fileprivate init?(validating bytes: [UInt8]) {
    let text = String(decoding: bytes, as: UTF8.self)
    guard text.utf8.elementsEqual(bytes) else { return nil }
    self = text
  }
}

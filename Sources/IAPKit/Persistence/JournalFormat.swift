import IAPModel

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
  private static let percent = UInt8(ascii: "%")
  /// Where the checksum will stand, and the space behind it.
  private static let checksumPlace = [UInt8](repeating: space, count: 9)

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
    var bytes: [UInt8] = []
    write(entry, to: &bytes)
    return bytes
  }

  /// Puts an entry's line behind the bytes that are there.
  static func write(_ entry: StorageEntry, to bytes: inout [UInt8]) {
    let start = bytes.count
    let body = entry.body ?? StorageEntry.removal
    bytes += checksumPlace
    bytes.append(contentsOf: entry.key.kind.utf8)
    bytes.append(space)
    writePercentEncoded(entry.key.id, to: &bytes)
    bytes.append(space)
    bytes += body
    let sum = bytes.withUnsafeBytes { all in
      CRC32.checksum(UnsafeRawBufferPointer(rebasing: all[(start + checksumPlace.count)...]))
    }
    bytes.replaceSubrange(start..<(start + 8), with: CRC32.hex(sum))
    bytes.append(lineFeed)
  }

  static func parse(_ bytes: [UInt8]) -> Contents {
    bytes.withUnsafeBytes { bytes in
      var contents = Contents()
      var start = 0
      while let end = bytes.offset(of: lineFeed, from: start) {
        let line = UnsafeRawBufferPointer(rebasing: bytes[start..<end])
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

  private static func headerVersion(_ line: UnsafeRawBufferPointer) -> Int? {
    guard line.starts(with: headerPrefix) else { return nil }
    return Int(String(decoding: line.dropFirst(headerPrefix.count), as: UTF8.self))
  }

  private static func entry(_ line: UnsafeRawBufferPointer) -> StorageEntry? {
    guard line.count > 9, line[8] == space else { return nil }
    let rest = UnsafeRawBufferPointer(rebasing: line[9...])
    guard CRC32.value(hex: line[..<8]) == CRC32.checksum(rest),
      let kindEnd = rest.offset(of: space, from: 0),
      let idEnd = rest.offset(of: space, from: kindEnd + 1),
      let id = percentDecoded(UnsafeRawBufferPointer(rebasing: rest[(kindEnd + 1)..<idEnd]))
    else { return nil }
    let key = StorageKey(kind: String(decoding: rest[..<kindEnd], as: UTF8.self), id: id)
    let body = Array(rest[(idEnd + 1)...])
    return StorageEntry(key, body == StorageEntry.removal ? nil : body)
  }

  private static func writePercentEncoded(_ text: String, to bytes: inout [UInt8]) {
    let digits = Array("0123456789ABCDEF".utf8)
    for byte in text.utf8 {
      if byte > 0x20, byte < 0x7F, byte != percent {
        bytes.append(byte)
      } else {
        bytes += [percent, digits[Int(byte >> 4)], digits[Int(byte & 0xF)]]
      }
    }
  }

  private static func percentDecoded(_ bytes: UnsafeRawBufferPointer) -> String? {
    guard bytes.contains(percent) else { return String(validating: bytes) }
    var result: [UInt8] = []
    var index = 0
    while index < bytes.count {
      if bytes[index] != percent {
        result.append(bytes[index])
        index += 1
        continue
      }
      guard index + 2 < bytes.count else { return nil }
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
  fileprivate init?(validating bytes: some Collection<UInt8>) {
    let text = String(decoding: bytes, as: UTF8.self)
    guard text.utf8.elementsEqual(bytes) else { return nil }
    self = text
  }
}

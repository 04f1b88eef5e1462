/// How a journal looks on the disk.
///
/// Pure: bytes in, values out.
///
/// - **Shape:** the first line is `IAPKit journal 1`. Every other line is
///   `checksum kind id body`, parted by one space: the CRC-32 of the rest of the line as eight
///   hexadecimal digits, a word, a percent-encoded name, and either text without line breaks or
///   `-` for a removal. Lines end with a line feed.
enum JournalFormat {
  static let version = 1
  static let header = Array("IAPKit journal 1\n".utf8)
  /// The longest body of one record.
  static let bodyBytesMax = 4 << 20
  /// The longest name of one record.
  static let idBytesMax = 1024

  private static let headerPrefix = Array("IAPKit journal ".utf8)
  private static let space = UInt8(ascii: " ")
  private static let lineFeed = UInt8(ascii: "\n")
  private static let removal = [UInt8(ascii: "-")]

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

  static func check(_ entry: StorageEntry) throws(IAPError) {
    guard (entry.body?.count ?? 0) <= bodyBytesMax, entry.key.id.utf8.count <= idBytesMax else {
      throw .storage(.tooLarge)
    }
    let isWord = entry.key.kind.utf8.allSatisfy { (UInt8(ascii: "a")...UInt8(ascii: "z")) ~= $0 }
    guard isWord, !entry.key.kind.isEmpty, !entry.key.id.isEmpty else {
      throw .storage(.unencodable)
    }
    guard let body = entry.body else { return }
    guard !body.isEmpty, body != removal, !body.contains(lineFeed) else {
      throw .storage(.unencodable)
    }
  }

  static func line(_ entry: StorageEntry) -> [UInt8] {
    var rest = Array(entry.key.kind.utf8)
    rest.append(space)
    rest += percentEncoded(entry.key.id)
    rest.append(space)
    rest += entry.body ?? removal
    var line = CRC32.hex(rest)
    line.append(space)
    line += rest
    line.append(lineFeed)
    return line
  }

  static func parse(_ bytes: [UInt8]) -> Contents {
    var contents = Contents()
    var start = 0
    while let end = bytes[start...].firstIndex(of: lineFeed) {
      let line = bytes[start..<end]
      if start == 0, let version = headerVersion(line) {
        guard version == Self.version else {
          contents.otherVersion = version
          return contents
        }
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

  private static func headerVersion(_ line: ArraySlice<UInt8>) -> Int? {
    guard line.starts(with: headerPrefix) else { return nil }
    return Int(String(decoding: line.dropFirst(headerPrefix.count), as: UTF8.self))
  }

  private static func entry(_ line: ArraySlice<UInt8>) -> StorageEntry? {
    let (begin, end) = (line.startIndex, line.endIndex)
    guard line.count > 9, line[begin + 8] == space else { return nil }
    let rest = line[(begin + 9)..<end]
    guard CRC32.hex(rest).elementsEqual(line[begin..<(begin + 8)]) else { return nil }
    let parts = rest.split(separator: space, maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3, let id = percentDecoded(parts[1]) else { return nil }
    let key = StorageKey(kind: String(decoding: parts[0], as: UTF8.self), id: id)
    return StorageEntry(key, parts[2].elementsEqual(removal) ? nil : Array(parts[2]))
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

  private static func percentDecoded(_ bytes: ArraySlice<UInt8>) -> String? {
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

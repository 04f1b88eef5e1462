/// A numeric address of the Internet, version 4 or 6.
struct InternetAddress: Hashable, Sendable {
  /// Four or sixteen bytes.
  let bytes: [UInt8]

  /// Reads the usual spellings: a strict dotted quad, or IPv6 with `::` and a quad at its end.
  ///
  /// - Source: RFC 4291, section 2.2; RFC 6943, section 3.1.1 (what looser readers take for IPv4).
  init?(_ text: String) {
    if let quad = Self.quad(Substring(text)) {
      bytes = quad
    } else if let words = Self.words(text) {
      bytes = words
    } else {
      return nil
    }
  }

  init(bytes: [UInt8]) { self.bytes = bytes }

  var isVersion4: Bool { bytes.count == 4 }

  private static func quad(_ text: Substring) -> [UInt8]? {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 4 else { return nil }
    var bytes: [UInt8] = []
    for part in parts {
      // A leading zero means octal to some readers.
      guard (1...3).contains(part.utf8.count), part.utf8.allSatisfy({ (48...57).contains($0) }),
        part == "0" || !part.hasPrefix("0"), let byte = UInt8(part)
      else { return nil }
      bytes.append(byte)
    }
    return bytes
  }

  private static func words(_ text: String) -> [UInt8]? {
    guard text.utf8.count <= 45 else { return nil }
    let halves = text.components(splitBy: "::")
    guard halves.count <= 2, let head = groups(halves[0]) else { return nil }
    guard halves.count == 2 else { return head.count == 16 ? head : nil }
    guard let tail = groups(halves[1]), head.count + tail.count <= 14 else { return nil }
    return head + [UInt8](repeating: 0, count: 16 - head.count - tail.count) + tail
  }

  /// The bytes of groups between colons; the last one may be a dotted quad.
  private static func groups(_ text: Substring) -> [UInt8]? {
    guard !text.isEmpty else { return [] }
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    var bytes: [UInt8] = []
    for (index, part) in parts.enumerated() {
      if index == parts.count - 1, let quad = quad(part) {
        bytes += quad
        continue
      }
      guard (1...4).contains(part.utf8.count), part.utf8.allSatisfy({ Self.isHexadecimal($0) }),
        let word = UInt16(part, radix: 16)
      else { return nil }
      bytes += [UInt8(word >> 8), UInt8(word & 0xFF)]
    }
    return bytes
  }

  private static func isHexadecimal(_ byte: UInt8) -> Bool {
    (48...57).contains(byte) || (97...102).contains(byte | 0x20)
  }
}

extension String {
  /// The parts between the first occurrences of a separator of two characters.
  fileprivate func components(splitBy separator: String) -> [Substring] {
    var parts: [Substring] = []
    var rest = self[...]
    while let range = rest.firstRange(of: separator) {
      parts.append(rest[..<range.lowerBound])
      rest = rest[range.upperBound...]
    }
    return parts + [rest]
  }
}

import IAPSignatures

/// Texts that say where a page ended: opaque to whoever gets them.
enum PageToken {
  /// The longest that is read, in bytes.
  static let sizeBytesMax = 512

  static func write(_ number: Int64, _ text: String, kind: String) -> String {
    Base64.encode(Array("\(kind).\(number).\(text)".utf8), .url)
  }

  /// The number and the text; nil when it is not one of that kind.
  static func read(_ token: String, kind: String) -> (Int64, String)? {
    guard token.utf8.count <= sizeBytesMax, let bytes = Base64.decode(token.utf8, .url) else {
      return nil
    }
    let parts = String(decoding: bytes, as: UTF8.self)
      .split(separator: ".", maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3, parts[0] == kind, let number = Int64(parts[1]), number >= 0 else {
      return nil
    }
    return (number, String(parts[2]))
  }
}

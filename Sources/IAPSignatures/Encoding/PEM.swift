/// Texts that carry DER between lines of dashes.
///
/// - **Source:** RFC 7468.
public enum PEM {
  /// One piece of such a text.
  public struct Block: Hashable, Sendable {
    /// What the dashes name, for example `CERTIFICATE`.
    public let label: String
    /// The bytes.
    public let der: [UInt8]
  }

  /// Finds the pieces of a text.
  ///
  /// - Parameter text: The text; whatever stands outside the dashes is passed over.
  /// - Returns: The pieces in order, or nil when one of them is cut off or is not base64.
  public static func blocks(_ text: [UInt8]) -> [Block]? {
    var blocks: [Block] = []
    var label: String?
    var digits: [UInt8] = []
    for line in text.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }) {
      let line = line.filter { $0 != 0x20 && $0 != 0x09 }
      if let name = marked(line, "BEGIN") {
        guard label == nil else { return nil }
        label = name
        digits = []
      } else if let name = marked(line, "END") {
        guard name == label, let der = Base64.decode(digits, .standard) else { return nil }
        blocks.append(Block(label: spaced(name), der: der))
        label = nil
      } else if label != nil {
        digits += line
      }
    }
    return label == nil ? blocks : nil
  }

  // White space is gone by now, also inside the label.
  private static func marked(_ line: [UInt8], _ word: String) -> String? {
    let text = String(decoding: line, as: UTF8.self)
    guard text.hasPrefix("-----" + word), text.hasSuffix("-----") else { return nil }
    return String(text.dropFirst(5 + word.count).dropLast(5))
  }

  private static func spaced(_ squeezed: String) -> String {
    squeezed == "PRIVATEKEY" ? "PRIVATE KEY" : squeezed
  }
}

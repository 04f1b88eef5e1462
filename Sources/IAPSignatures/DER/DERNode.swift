/// One ASN.1 element of a larger text, found but not copied.
struct DERNode: Sendable {
  /// The identifier byte: class, constructed bit, number below 31.
  let tag: UInt8
  /// Tag, length and content, in the text's bytes.
  let whole: Range<Int>
  /// The content alone.
  let content: Range<Int>
  /// Whether the length was indefinite, which only BER allows.
  let isIndefinite: Bool

  var isConstructed: Bool { tag & 0x20 != 0 }
}

/// How much ASN.1 is read before it is refused.
public struct DERLimits: Hashable, Sendable {
  /// The longest text, in bytes.
  public var sizeBytesMax: Int
  /// How deep elements may be nested; the outermost counts as one.
  public var depthMax: Int

  /// Makes limits.
  ///
  /// - Parameters:
  ///   - sizeBytesMax: The longest text, in bytes.
  ///   - depthMax: How deep elements may be nested.
  public init(sizeBytesMax: Int, depthMax: Int) {
    self.sizeBytesMax = sizeBytesMax
    self.depthMax = depthMax
  }

  /// For one certificate: 16 KiB, 16 levels.
  public static let certificate = DERLimits(sizeBytesMax: 16 * 1024, depthMax: 16)
  /// For a receipt's container and content: 4 MiB, 24 levels.
  public static let receipt = DERLimits(sizeBytesMax: 4 * 1024 * 1024, depthMax: 24)
}

/// Which encodings are taken.
enum DERRules: Sendable {
  /// The distinguished encoding: definite lengths in the shortest form.
  case distinguished
  /// The basic encoding too: indefinite lengths, long forms, strings in pieces.
  case basic
}

/// Reads elements one behind the other out of a stretch of bytes.
///
/// Nothing is trusted: lengths are compared with what is left before they are used, and the depth
/// is bounded.
struct DERReader {
  let bytes: [UInt8]
  let rules: DERRules
  let limits: DERLimits
  private(set) var offset: Int
  private let end: Int
  private let depth: Int

  /// Starts at the beginning of a text.
  init(
    _ bytes: [UInt8],
    rules: DERRules = .distinguished,
    limits: DERLimits = .certificate
  ) throws(CryptoError) {
    guard bytes.count <= limits.sizeBytesMax else {
      throw Self.malformed("\(bytes.count) bytes, at most \(limits.sizeBytesMax)")
    }
    self.init(bytes, rules, limits, 0..<bytes.count, depth: 1)
  }

  private init(
    _ bytes: [UInt8],
    _ rules: DERRules,
    _ limits: DERLimits,
    _ range: Range<Int>,
    depth: Int
  ) {
    self.bytes = bytes
    self.rules = rules
    self.limits = limits
    self.depth = depth
    offset = range.lowerBound
    end = range.upperBound
  }

  static func malformed(_ reason: String) -> CryptoError {
    CryptoError(code: "malformedASN1", reason: reason)
  }

  var isAtEnd: Bool { offset >= end }

  /// The tag of the next element, nil at the end.
  var nextTag: UInt8? { offset < end ? bytes[offset] : nil }

  /// Reads the next element.
  mutating func read() throws(CryptoError) -> DERNode {
    let node = try element(at: offset, end: end, depth: depth)
    offset = node.whole.upperBound
    return node
  }

  /// Reads the next element, which has a certain tag.
  mutating func read(_ tag: UInt8) throws(CryptoError) -> DERNode {
    guard nextTag == tag else {
      throw Self.malformed("at byte \(offset): expected tag \(tag), found \(nextTag ?? 0)")
    }
    return try read()
  }

  /// Reads the next element if it has a certain tag.
  mutating func readIf(_ tag: UInt8) throws(CryptoError) -> DERNode? {
    nextTag == tag ? try read() : nil
  }

  /// Says that nothing may follow.
  func finish() throws(CryptoError) {
    guard isAtEnd else { throw Self.malformed("\(end - offset) bytes too many at \(offset)") }
  }

  /// A reader of what is inside an element.
  func inside(_ node: DERNode) throws(CryptoError) -> DERReader {
    guard node.isConstructed else {
      throw Self.malformed("at byte \(node.whole.lowerBound): an element without members")
    }
    guard depth < limits.depthMax else {
      throw Self.malformed("nested deeper than \(limits.depthMax)")
    }
    return DERReader(bytes, rules, limits, node.content, depth: depth + 1)
  }

  /// A copy of what an element contains.
  func content(_ node: DERNode) -> [UInt8] { Array(bytes[node.content]) }

  /// The number in an INTEGER, nil when it does not fit in 64 bits.
  func integer(_ node: DERNode) -> Int64? {
    guard node.tag == 0x02, (1...8).contains(node.content.count) else { return nil }
    var value: Int64 = bytes[node.content.lowerBound] >= 0x80 ? -1 : 0
    for index in node.content { value = value << 8 | Int64(bytes[index]) }
    return value
  }

  /// A copy of an element with tag and length.
  func whole(_ node: DERNode) -> [UInt8] { Array(bytes[node.whole]) }

  private func element(at start: Int, end: Int, depth: Int) throws(CryptoError) -> DERNode {
    guard depth <= limits.depthMax else {
      throw Self.malformed("nested deeper than \(limits.depthMax)")
    }
    guard start + 2 <= end else { throw Self.malformed("at byte \(start): cut off") }
    let tag = bytes[start]
    guard tag & 0x1F != 0x1F else { throw Self.malformed("at byte \(start): a long tag") }
    let first = bytes[start + 1]
    if first == 0x80 { return try indefinite(tag, start, end, depth) }
    guard let (length, header) = length(first, after: start + 2, end: end) else {
      throw Self.malformed("at byte \(start): a length that cannot be")
    }
    guard length <= end - header else {
      throw Self.malformed("at byte \(start): longer than what is left")
    }
    return DERNode(
      tag: tag,
      whole: start..<(header + length),
      content: header..<(header + length),
      isIndefinite: false
    )
  }

  private func length(_ first: UInt8, after start: Int, end: Int) -> (Int, Int)? {
    if first < 0x80 { return (Int(first), start) }
    let count = Int(first & 0x7F)
    // Four bytes say more than any limit allows; BER may put zeros in front.
    guard count >= 1, count <= 8, start + count <= end else { return nil }
    var value: UInt64 = 0
    for index in 0..<count { value = value << 8 | UInt64(bytes[start + index]) }
    if rules == .distinguished {
      guard value >= 0x80, bytes[start] != 0 else { return nil }
    }
    guard value <= UInt64(limits.sizeBytesMax) else { return nil }
    return (Int(value), start + count)
  }

  private func indefinite(
    _ tag: UInt8,
    _ start: Int,
    _ end: Int,
    _ depth: Int
  ) throws(CryptoError) -> DERNode {
    guard rules == .basic, tag & 0x20 != 0 else {
      throw Self.malformed("at byte \(start): an indefinite length")
    }
    var position = start + 2
    while position + 2 <= end {
      if bytes[position] == 0, bytes[position + 1] == 0 {
        return DERNode(
          tag: tag,
          whole: start..<(position + 2),
          content: (start + 2)..<position,
          isIndefinite: true
        )
      }
      position = try element(at: position, end: end, depth: depth + 1).whole.upperBound
    }
    throw Self.malformed("at byte \(start): an indefinite length without an end")
  }
}

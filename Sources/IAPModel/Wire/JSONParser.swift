/// Reads JSON from bytes.
///
/// Strict by RFC 8259: UTF-8 without a byte order mark, nothing behind the value, no name twice in
/// an object. One pass over the bytes; texts without escapes are copied once.
public enum JSONParser {
  /// Reads one value.
  ///
  /// - Parameters:
  ///   - bytes: The UTF-8 bytes of the whole text.
  ///   - limits: How much is read before it is refused.
  /// - Returns: The value.
  /// - Throws: ``PayloadError`` with `notJSON`, `tooLarge`, `tooDeep` or `duplicateMember`.
  public static func parse(
    _ bytes: some Collection<UInt8>,
    limits: JSONLimits = .signedPayload
  ) throws(PayloadError) -> JSONValue {
    let result = bytes.withContiguousStorageIfAvailable { buffer in
      Result { () throws(PayloadError) in try parseWhole(buffer, limits) }
    }
    if let result { return try result.get() }
    let copy = ContiguousArray(bytes)
    return try copy.withUnsafeBufferPointer { buffer in
      Result { () throws(PayloadError) in try parseWhole(buffer, limits) }
    }.get()
  }

  /// Reads one object.
  ///
  /// - Parameters:
  ///   - bytes: The UTF-8 bytes of the whole text.
  ///   - limits: How much is read before it is refused.
  /// - Returns: The members.
  /// - Throws: ``PayloadError`` as ``parse(_:limits:)``, and `wrongType` when it is no object.
  public static func parseObject(
    _ bytes: some Collection<UInt8>,
    limits: JSONLimits = .signedPayload
  ) throws(PayloadError) -> JSONObject {
    guard case .object(let object) = try parse(bytes, limits: limits) else {
      throw PayloadError(.wrongType, "the text is JSON but no object")
    }
    return object
  }

  private static func parseWhole(
    _ buffer: UnsafeBufferPointer<UInt8>,
    _ limits: JSONLimits
  ) throws(PayloadError) -> JSONValue {
    guard buffer.count <= limits.sizeBytesMax else {
      throw PayloadError(.tooLarge, "\(buffer.count) bytes, at most \(limits.sizeBytesMax)")
    }
    var cursor = JSONCursor(bytes: buffer, depthMax: limits.depthMax)
    let value = try cursor.value(depth: 0)
    cursor.skipWhiteSpace()
    guard cursor.isAtEnd else { throw cursor.unexpected("the end") }
    return value
  }
}

/// The place in the text, and the rules of the grammar.
private struct JSONCursor {
  let bytes: UnsafeBufferPointer<UInt8>
  let depthMax: Int
  var offset = 0

  init(bytes: UnsafeBufferPointer<UInt8>, depthMax: Int) {
    self.bytes = bytes
    self.depthMax = depthMax
  }

  var isAtEnd: Bool { offset >= bytes.count }
  var current: UInt8? { offset < bytes.count ? bytes[offset] : nil }

  func unexpected(_ wanted: String) -> PayloadError {
    PayloadError(.notJSON, "expected \(wanted) at byte \(offset)")
  }

  mutating func skipWhiteSpace() {
    while offset < bytes.count {
      switch bytes[offset] {
      case 0x20, 0x09, 0x0A, 0x0D: offset += 1
      default: return
      }
    }
  }

  mutating func take(_ byte: UInt8, _ name: String) throws(PayloadError) {
    guard current == byte else { throw unexpected(name) }
    offset += 1
  }

  mutating func value(depth: Int) throws(PayloadError) -> JSONValue {
    skipWhiteSpace()
    guard let first = current else { throw unexpected("a value") }
    switch first {
    case UInt8(ascii: "{"): return .object(try object(depth: depth + 1))
    case UInt8(ascii: "["): return .array(try array(depth: depth + 1))
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "t"): return try word("true", .bool(true))
    case UInt8(ascii: "f"): return try word("false", .bool(false))
    case UInt8(ascii: "n"): return try word("null", .null)
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number(try number())
    default: throw unexpected("a value")
    }
  }

  mutating func word(_ text: StaticString, _ value: JSONValue) throws(PayloadError) -> JSONValue {
    let length = text.utf8CodeUnitCount
    guard offset + length <= bytes.count else { throw unexpected("\(text)") }
    for index in 0..<length where bytes[offset + index] != text.utf8Start[index] {
      throw unexpected("\(text)")
    }
    offset += length
    return value
  }

  func checkDepth(_ depth: Int) throws(PayloadError) {
    guard depth <= depthMax else {
      throw PayloadError(.tooDeep, "nested deeper than \(depthMax) at byte \(offset)")
    }
  }

  mutating func object(depth: Int) throws(PayloadError) -> JSONObject {
    try checkDepth(depth)
    offset += 1
    var members: [JSONMember] = []
    var names = NameSet()
    skipWhiteSpace()
    if current == UInt8(ascii: "}") {
      offset += 1
      return JSONObject()
    }
    repeat {
      skipWhiteSpace()
      guard current == UInt8(ascii: "\"") else { throw unexpected("a member name") }
      let name = try string()
      guard names.insert(name, members) else {
        throw PayloadError(.duplicateMember, "a member name stands twice before byte \(offset)")
      }
      skipWhiteSpace()
      try take(UInt8(ascii: ":"), "a colon")
      members.append(JSONMember(name, try value(depth: depth)))
      skipWhiteSpace()
    } while takeComma()
    try take(UInt8(ascii: "}"), "a closing brace")
    return JSONObject(checked: members)
  }

  mutating func array(depth: Int) throws(PayloadError) -> [JSONValue] {
    try checkDepth(depth)
    offset += 1
    var values: [JSONValue] = []
    skipWhiteSpace()
    if current == UInt8(ascii: "]") {
      offset += 1
      return values
    }
    repeat {
      values.append(try value(depth: depth))
      skipWhiteSpace()
    } while takeComma()
    try take(UInt8(ascii: "]"), "a closing bracket")
    return values
  }

  mutating func takeComma() -> Bool {
    guard current == UInt8(ascii: ",") else { return false }
    offset += 1
    return true
  }

  mutating func string() throws(PayloadError) -> String {
    offset += 1
    let start = offset
    let isASCII = skipPlain()
    guard let byte = current else { throw unexpected("a closing quote") }
    switch byte {
    case UInt8(ascii: "\""):
      let range = start..<offset
      let text =
        isASCII
        ? String(decoding: UnsafeBufferPointer(rebasing: bytes[range]), as: UTF8.self)
        : try decoded(range)
      offset += 1
      return text
    case UInt8(ascii: "\\"):
      return try escapedString(from: start)
    default:
      throw unexpected("no control character in a text")
    }
  }

  /// Goes to the next quote, backslash or control character, eight bytes at a time: most of a
  /// signed text is one long text.
  ///
  /// - Returns: Whether everything on the way was ASCII.
  private mutating func skipPlain() -> Bool {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let raw = UnsafeRawBufferPointer(bytes)
    while offset + 8 <= raw.count {
      let word = raw.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
      let quotes = word ^ (ones * 0x22)
      let slashes = word ^ (ones * 0x5C)
      // The top bit of each byte that is zero in either, or below a space. From the first one on
      // others may be marked as well, and the loop below looks at those one by one.
      let marks = (quotes &- ones) | (slashes &- ones) | (word &- ones * 0x20)
      guard (marks | word) & (ones << 7) == 0 else { break }
      offset += 8
    }
    var rest: UInt8 = 0
    while offset < bytes.count {
      let byte = bytes[offset]
      if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") || byte < 0x20 { break }
      rest |= byte
      offset += 1
    }
    return rest < 0x80
  }

  func decoded(_ range: Range<Int>) throws(PayloadError) -> String {
    guard let text = validText(bytes[range]) else {
      throw PayloadError(.notJSON, "a text is not UTF-8 before byte \(range.upperBound)")
    }
    return text
  }

  /// The text of valid UTF-8; nil for other bytes.
  ///
  /// Decoding repairs what is not valid, so that the bytes then differ from what came. (The
  /// library's own validating initialiser is newer than the client's oldest systems.)
  private func validText(_ utf8: some Collection<UInt8>) -> String? {
    let text = String(decoding: utf8, as: UTF8.self)
    return text.utf8.count == utf8.count && text.utf8.elementsEqual(utf8) ? text : nil
  }

  mutating func escapedString(from start: Int) throws(PayloadError) -> String {
    var text = Array(bytes[start..<offset])
    while let byte = current {
      offset += 1
      switch byte {
      case UInt8(ascii: "\""):
        guard let result = validText(text) else {
          throw PayloadError(.notJSON, "a text is not UTF-8 before byte \(offset)")
        }
        return result
      case UInt8(ascii: "\\"):
        try escape(into: &text)
      case 0..<0x20:
        throw unexpected("no control character in a text")
      default:
        text.append(byte)
      }
    }
    throw unexpected("a closing quote")
  }

  mutating func escape(into text: inout [UInt8]) throws(PayloadError) {
    guard let byte = current else { throw unexpected("an escape") }
    offset += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
    case UInt8(ascii: "b"): text.append(0x08)
    case UInt8(ascii: "f"): text.append(0x0C)
    case UInt8(ascii: "n"): text.append(0x0A)
    case UInt8(ascii: "r"): text.append(0x0D)
    case UInt8(ascii: "t"): text.append(0x09)
    case UInt8(ascii: "u"): text.append(contentsOf: String(try unicodeEscape()).utf8)
    default: throw unexpected("a known escape")
    }
  }

  mutating func unicodeEscape() throws(PayloadError) -> Unicode.Scalar {
    let first = try hexUnit()
    if let scalar = Unicode.Scalar(first) { return scalar }
    guard (0xD800...0xDBFF).contains(first) else { throw unexpected("a high surrogate") }
    try take(UInt8(ascii: "\\"), "a low surrogate")
    try take(UInt8(ascii: "u"), "a low surrogate")
    let second = try hexUnit()
    guard (0xDC00...0xDFFF).contains(second),
      let scalar = Unicode.Scalar(
        0x10000 + ((UInt32(first) - 0xD800) << 10) + (UInt32(second) - 0xDC00)
      )
    else { throw unexpected("a low surrogate") }
    return scalar
  }

  mutating func hexUnit() throws(PayloadError) -> UInt16 {
    var unit: UInt16 = 0
    for _ in 0..<4 {
      guard let byte = current, let digit = Character(Unicode.Scalar(byte)).hexDigitValue
      else { throw unexpected("four hexadecimal digits") }
      unit = unit << 4 | UInt16(digit)
      offset += 1
    }
    return unit
  }

  mutating func number() throws(PayloadError) -> JSONNumber {
    let start = offset
    if current == UInt8(ascii: "-") { offset += 1 }
    if current == UInt8(ascii: "0") {
      offset += 1
    } else {
      try digits()
    }
    if current == UInt8(ascii: ".") {
      offset += 1
      try digits()
    }
    if current == UInt8(ascii: "e") || current == UInt8(ascii: "E") {
      offset += 1
      if current == UInt8(ascii: "+") || current == UInt8(ascii: "-") { offset += 1 }
      try digits()
    }
    return JSONNumber(checked: String(decoding: bytes[start..<offset], as: UTF8.self))
  }

  mutating func digits() throws(PayloadError) {
    let start = offset
    while let byte = current, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { offset += 1 }
    guard offset > start else { throw unexpected("a digit") }
  }
}

extension JSONMember {
  /// Whether it has the name; lengths are compared first, which settles most.
  func isNamed(_ other: String) -> Bool {
    name.utf8.count == other.utf8.count && name == other
  }
}

/// The names seen in one object: a scan while it is small, a set beyond that.
private struct NameSet {
  private static let scanned = 32
  private var names: Set<String> = []

  mutating func insert(_ name: String, _ members: [JSONMember]) -> Bool {
    if members.count < Self.scanned { return !members.contains { $0.isNamed(name) } }
    if names.isEmpty { names = Set(members.map(\.name)) }
    return names.insert(name).inserted
  }
}

import Foundation

/// Writes values as the JSON of a journal's line, several times as fast as Foundation's encoder: a
/// save should cost little more than its flush.
///
/// Members stand in the order in which they are declared, dates are UNIX milliseconds, and maps of
/// texts are sorted by their keys. What Foundation writes in a way of its own (bytes, addresses,
/// decimal numbers) it writes here too.
package struct LineEncoder: Encoder {
  /// Two containers of one value were written to in turns, or a number that is none.
  fileprivate static let refusal = IAPError.storage(.unencodable)

  fileprivate let line: Line

  package var codingPath: [any CodingKey] { [] }
  package var userInfo: [CodingUserInfoKey: Any] { [:] }

  /// The JSON of a value, without line breaks, and whether reading it gives the same value: a date
  /// between two milliseconds comes back as one of them.
  ///
  /// - Parameter value: The value.
  /// - Returns: The JSON.
  /// - Throws: ``IAPError/storage(_:)``.
  package static func line(
    _ value: some Encodable
  ) throws(IAPError) -> (json: [UInt8], isExact: Bool) {
    let line = Line()
    do { try line.write(value) } catch { throw .storage(.unencodable) }
    return (line.bytes, line.isExact)
  }

  package func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(LineMembers(line: line, depth: line.open(.object)))
  }

  package func unkeyedContainer() -> any UnkeyedEncodingContainer {
    LineElements(line: line, depth: line.open(.array))
  }

  package func singleValueContainer() -> any SingleValueEncodingContainer { LineValue(line: line) }
}

/// The bytes of a line while it is written, and the containers that are open.
private final class Line {
  enum Shape: UInt8 {
    case object = 0x7D
    case array = 0x5D
  }

  private static let quote = UInt8(ascii: "\"")
  private static let backslash = UInt8(ascii: "\\")
  private static let comma = UInt8(ascii: ",")
  private static let digits = Array("0123456789abcdef".utf8)

  private(set) var bytes: [UInt8] = []
  /// Whether every date is one that milliseconds can tell.
  private(set) var isExact = true
  /// The open containers from the outermost on, and whether they are empty yet.
  private var containers: [(shape: Shape, isEmpty: Bool)] = []

  init() { bytes.reserveCapacity(8_192) }

  /// Begins a container; its depth names it.
  func open(_ shape: Shape) -> Int {
    bytes.append(shape == .object ? UInt8(ascii: "{") : UInt8(ascii: "["))
    containers.append((shape, true))
    return containers.count
  }

  /// Begins a member of the container at this depth; what is deeper has come to its end.
  func begin(_ name: String?, at depth: Int) throws {
    guard depth <= containers.count else { throw LineEncoder.refusal }
    close(to: depth)
    if !containers[depth - 1].isEmpty { bytes.append(Self.comma) }
    containers[depth - 1].isEmpty = false
    guard let name else { return }
    write(text: name)
    bytes.append(UInt8(ascii: ":"))
  }

  private func close(to depth: Int) {
    while containers.count > depth {  // bound: the containers
      bytes.append(containers.removeLast().shape.rawValue)
    }
  }

  func writeNull() { bytes += Array("null".utf8) }

  // Compared by type, because a cast costs more than all that is written.
  func write<Value: Encodable>(_ value: Value) throws {
    if Value.self == String.self, let text = value as? String { return write(text: text) }
    if Value.self == Int.self, let number = value as? Int { return write(number: number) }
    if Value.self == Bool.self, let flag = value as? Bool { return write(flag: flag) }
    if Value.self == Date.self, let date = value as? Date {
      let milliseconds = date.milliseconds
      if Date(milliseconds: milliseconds) != date { isExact = false }
      return write(number: milliseconds)
    }
    if Value.self == Int64.self, let number = value as? Int64 { return write(number: number) }
    if Value.self == Double.self, let number = value as? Double { return try write(number: number) }
    if Value.self is any BinaryInteger.Type { return write(number: value) }
    if Self.isFoundations(Value.self) {
      do { return bytes += try RecordCoding.encode(value) } catch { throw LineEncoder.refusal }
    }
    let depth = containers.count
    let start = bytes.count
    if Value.self == [String: String].self, let map = value as? [String: String] {
      let members = LineMembers<TextKey>(line: self, depth: open(.object))
      for (key, text) in map.sorted(by: { $0.key < $1.key }) {
        try members.encode(text, forKey: TextKey(key))
      }
    } else {
      try value.encode(to: LineEncoder(line: self))
    }
    guard depth <= containers.count else { throw LineEncoder.refusal }
    close(to: depth)
    // A value that writes nothing is an empty object, as Foundation has it.
    if bytes.count == start { bytes += Array("{}".utf8) }
  }

  private static func isFoundations(_ type: Any.Type) -> Bool {
    type == Data.self || type == URL.self || type == Decimal.self || type == Float.self
  }

  private func write(number: some Any) { bytes += Array("\(number)".utf8) }

  func write(number: some FixedWidthInteger) {
    bytes.append(contentsOf: String(number).utf8)
  }

  func write(flag: Bool) { bytes.append(contentsOf: (flag ? "true" : "false").utf8) }

  /// As Foundation has it: a whole number without its fraction.
  func write(number: Double) throws {
    guard number.isFinite else { throw LineEncoder.refusal }
    let text = number.description
    bytes.append(contentsOf: (text.hasSuffix(".0") ? text.dropLast(2) : text[...]).utf8)
  }

  func write(text: String) {
    var text = text
    text.withUTF8 { characters in
      bytes.append(Self.quote)
      if Self.isPlain(characters) {
        bytes.append(contentsOf: characters)
      } else {
        for character in characters { write(escaped: character) }
      }
      bytes.append(Self.quote)
    }
  }

  /// Whether nothing has to be escaped; without an early end, so that many are looked at at once.
  private static func isPlain(_ characters: UnsafeBufferPointer<UInt8>) -> Bool {
    var special: UInt8 = 0
    for character in characters {
      special |= character < 0x20 || character == quote || character == backslash ? 1 : 0
    }
    return special == 0
  }

  private func write(escaped character: UInt8) {
    switch character {
    case Self.quote, Self.backslash: bytes += [Self.backslash, character]
    case 0..<0x20:
      bytes += Array("\\u00".utf8)
      bytes += [Self.digits[Int(character >> 4)], Self.digits[Int(character & 0xF)]]
    default: bytes.append(character)
    }
  }
}

/// An object's members.
private struct LineMembers<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let line: Line
  let depth: Int

  var codingPath: [any CodingKey] { [] }

  func encodeNil(forKey key: Key) throws {
    try line.begin(key.stringValue, at: depth)
    line.writeNull()
  }

  func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
    try line.begin(key.stringValue, at: depth)
    try line.write(value)
  }

  func encode(_ value: String, forKey key: Key) throws {
    try line.begin(key.stringValue, at: depth)
    line.write(text: value)
  }

  func encode(_ value: Bool, forKey key: Key) throws {
    try line.begin(key.stringValue, at: depth)
    line.write(flag: value)
  }

  func encode(_ value: Int, forKey key: Key) throws {
    try line.begin(key.stringValue, at: depth)
    line.write(number: value)
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type,
    forKey key: Key
  ) -> KeyedEncodingContainer<Nested> {
    KeyedEncodingContainer(LineMembers<Nested>(line: line, depth: nested(.object, key)))
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    LineElements(line: line, depth: nested(.array, key))
  }

  func superEncoder() -> any Encoder { superEncoder("super") }

  func superEncoder(forKey key: Key) -> any Encoder { superEncoder(key.stringValue) }

  /// A container out of turn gets a depth that nothing has: what is written to it throws.
  private func nested(_ shape: Line.Shape, _ key: Key) -> Int {
    guard (try? line.begin(key.stringValue, at: depth)) != nil else { return .max }
    return line.open(shape)
  }

  private func superEncoder(_ name: String) -> any Encoder {
    try? line.begin(name, at: depth)
    return LineEncoder(line: line)
  }
}

/// An array's elements.
private struct LineElements: UnkeyedEncodingContainer {
  let line: Line
  let depth: Int
  private(set) var count = 0

  init(line: Line, depth: Int) {
    self.line = line
    self.depth = depth
  }

  var codingPath: [any CodingKey] { [] }

  mutating func encodeNil() throws {
    try begin()
    line.writeNull()
  }

  mutating func encode<Value: Encodable>(_ value: Value) throws {
    try begin()
    try line.write(value)
  }

  mutating func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type
  ) -> KeyedEncodingContainer<Nested> {
    KeyedEncodingContainer(LineMembers<Nested>(line: line, depth: nested(.object)))
  }

  mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
    LineElements(line: line, depth: nested(.array))
  }

  mutating func superEncoder() -> any Encoder {
    try? begin()
    return LineEncoder(line: line)
  }

  private mutating func begin() throws {
    try line.begin(nil, at: depth)
    count += 1
  }

  private mutating func nested(_ shape: Line.Shape) -> Int {
    guard (try? begin()) != nil else { return .max }
    return line.open(shape)
  }
}

/// A value by itself.
private struct LineValue: SingleValueEncodingContainer {
  let line: Line

  var codingPath: [any CodingKey] { [] }

  func encodeNil() throws { line.writeNull() }

  func encode<Value: Encodable>(_ value: Value) throws { try line.write(value) }

  func encode(_ value: String) throws { line.write(text: value) }
}

/// A key of a map.
private struct TextKey: CodingKey {
  let stringValue: String
  var intValue: Int? { nil }

  init(_ text: String) { stringValue = text }
  init?(stringValue: String) { self.init(stringValue) }
  init?(intValue: Int) { nil }
}

/// Header fields in the order they had; names are compared without regard to case.
///
/// A field is one line: a name or value with a line break or a NUL would let its author write
/// further headers, so putting one in is a programmer error and traps.
///
/// - **Source:** RFC 9110, section 5.
public struct HTTPHeaders: Hashable, Sendable, ExpressibleByDictionaryLiteral, Sequence {
  /// One header field.
  public struct Field: Hashable, Sendable {
    /// The name in the case it had.
    public let name: String
    /// The value without white space around it.
    public let value: String
    /// Makes a field.
    public init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }

  /// The fields in their order.
  public private(set) var fields: [Field]

  /// Makes headers without fields.
  public init() { fields = [] }

  /// Makes headers from a literal, in its order.
  public init(dictionaryLiteral elements: (String, String)...) {
    fields = []
    for (name, value) in elements { append(name, value) }
  }

  /// The value of the first field of that name; setting replaces all fields of that name.
  public subscript(name: String) -> String? {
    get { fields.first { Self.areEqual($0.name, name) }?.value }
    set {
      fields.removeAll { Self.areEqual($0.name, name) }
      if let newValue { append(name, newValue) }
    }
  }

  /// The values of all fields of that name, in their order.
  public func values(_ name: String) -> [String] {
    fields.filter { Self.areEqual($0.name, name) }.map(\.value)
  }

  /// Adds a field behind the others.
  ///
  /// - Parameters:
  ///   - name: A token.
  ///   - value: One line of text.
  public mutating func append(_ name: String, _ value: String) {
    precondition(Self.isName(name), "a header name is a token")
    precondition(Self.isValue(value), "a header value is one line")
    fields.append(Field(name, value))
  }

  /// Adds a field that came from outside.
  ///
  /// - Parameters:
  ///   - name: Any text.
  ///   - value: Any text.
  /// - Returns: False, and nothing added, when this cannot be a field.
  public mutating func appendIfValid(_ name: String, _ value: String) -> Bool {
    guard Self.isName(name), Self.isValue(value) else { return false }
    fields.append(Field(name, value))
    return true
  }

  /// The fields in their order.
  public func makeIterator() -> IndexingIterator<[Field]> { fields.makeIterator() }

  /// Whether a text can be the name of a field.
  public static func isName(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: ":") }
  }

  /// Whether a text can be the value of a field.
  public static func isValue(_ text: String) -> Bool {
    text.utf8.allSatisfy { ($0 >= 0x20 && $0 != 0x7F) || $0 == 0x09 }
  }

  private static func areEqual(_ left: String, _ right: String) -> Bool {
    left.utf8.elementsEqual(right.utf8) { lowered($0) == lowered($1) }
  }

  private static func lowered(_ byte: UInt8) -> UInt8 {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
  }
}

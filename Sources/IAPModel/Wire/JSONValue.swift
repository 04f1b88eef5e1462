/// A JSON value that keeps the order of members and the spelling of numbers.
///
/// Written for signed payloads: what was read is written back with the same meaning, whatever
/// members Apple adds.
public enum JSONValue: Hashable, Sendable {
  /// `null`.
  case null
  /// `true` or `false`.
  case bool(Bool)
  /// A number in the spelling it had.
  case number(JSONNumber)
  /// A text.
  case string(String)
  /// A list.
  case array([JSONValue])
  /// Members in the order they had.
  case object(JSONObject)

  /// A whole number.
  public static func integer(_ value: Int64) -> JSONValue { .number(JSONNumber(value)) }

  /// The text, when this is a text.
  public var stringValue: String? {
    if case .string(let value) = self { value } else { nil }
  }

  /// The truth value, when this is one.
  public var boolValue: Bool? {
    if case .bool(let value) = self { value } else { nil }
  }

  /// The number, when this is a whole number that fits; a fraction of zero counts as whole.
  public var integerValue: Int64? {
    if case .number(let value) = self { value.integer } else { nil }
  }

  /// The number, when this is a number.
  public var doubleValue: Double? {
    if case .number(let value) = self { value.double } else { nil }
  }

  /// The members, when this is an object.
  public var objectValue: JSONObject? {
    if case .object(let value) = self { value } else { nil }
  }

  /// The elements, when this is a list.
  public var arrayValue: [JSONValue]? {
    if case .array(let value) = self { value } else { nil }
  }
}

/// A JSON number in the spelling it had.
public struct JSONNumber: Hashable, Sendable {
  /// The spelling, valid by RFC 8259.
  public let text: String

  /// Makes a whole number.
  public init(_ value: Int64) { text = String(value) }

  /// Takes a spelling that the parser has checked.
  init(checked text: String) { self.text = text }

  /// The value, when it is whole and fits in 64 bits.
  public var integer: Int64? {
    if let exact = Int64(text) { return exact }
    guard let value = Double(text), value.rounded(.towardZero) == value, abs(value) < 9.0e15
    else { return nil }
    return Int64(value)
  }

  /// The nearest floating-point value.
  public var double: Double? {
    // Dates are whole numbers of milliseconds: reading them so is ten times as fast.
    if let exact = Int64(text) { return Double(exact) }
    return Double(text)
  }
}

/// One member of a JSON object.
public struct JSONMember: Hashable, Sendable {
  /// The name.
  public let name: String
  /// The value.
  public let value: JSONValue

  /// Makes a member.
  public init(_ name: String, _ value: JSONValue) {
    self.name = name
    self.value = value
  }
}

/// The members of a JSON object, in order; no name stands twice.
public struct JSONObject: Hashable, Sendable, ExpressibleByDictionaryLiteral {
  /// The members in the order they had.
  public private(set) var members: [JSONMember]

  /// Makes an object without members.
  public init() { members = [] }

  /// Makes an object from members whose names are all different.
  public init(_ members: [JSONMember]) {
    precondition(Self.areNamesDifferent(members), "a member name stands twice")
    self.members = members
  }

  /// Up to here comparing each with each is faster than a set is made.
  private static let comparedMax = 16

  private static func areNamesDifferent(_ members: [JSONMember]) -> Bool {
    guard members.count <= comparedMax else {
      return Set(members.map(\.name)).count == members.count
    }
    return members.indices.allSatisfy { index in
      !members[..<index].contains { $0.isNamed(members[index].name) }
    }
  }

  /// Takes members that the parser has checked.
  init(checked members: [JSONMember]) { self.members = members }

  /// Makes an object from a literal, in its order.
  public init(dictionaryLiteral elements: (String, JSONValue)...) {
    self.init(elements.map { JSONMember($0.0, $0.1) })
  }

  /// The value of a member, nil when there is none; setting nil removes the member.
  public subscript(name: String) -> JSONValue? {
    get { members.first { $0.isNamed(name) }?.value }
    set {
      let index = members.firstIndex { $0.isNamed(name) }
      switch (index, newValue) {
      case (let index?, let value?): members[index] = JSONMember(name, value)
      case (let index?, nil): members.remove(at: index)
      case (nil, let value?): members.append(JSONMember(name, value))
      case (nil, nil): break
      }
    }
  }

  /// Whether there are no members.
  public var isEmpty: Bool { members.isEmpty }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral,
  ExpressibleByIntegerLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  /// Makes a text.
  public init(stringLiteral value: String) { self = .string(value) }
  /// Makes a truth value.
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  /// Makes a whole number.
  public init(integerLiteral value: Int64) { self = .integer(value) }
  /// Makes a list.
  public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
  /// Makes an object, in the literal's order.
  public init(dictionaryLiteral elements: (String, JSONValue)...) {
    self = .object(JSONObject(elements.map { JSONMember($0.0, $0.1) }))
  }
}

import Foundation
import IAPModel

/// What a JSON value looks like: requests are checked against it and the documentation shows it.
indirect enum Shape: Hashable, Sendable {
  /// A text of so many UTF-8 bytes.
  case text(min: Int, max: Int)
  /// One of these words.
  case word([String])
  /// A UUID.
  case uuid
  /// A whole number.
  case integer(ClosedRange<Int64>)
  /// UNIX milliseconds.
  case date
  /// True or false.
  case bool
  /// Elements of one shape, so many at most.
  case list(Shape, max: Int)
  /// Members; others are left alone.
  case object([Field])
  /// Members; others are a mistake.
  case exactly([Field])
  /// Any names, each with a value of the shape.
  case map(Shape, max: Int)
  /// Any JSON object.
  case anything

  struct Field: Hashable, Sendable {
    let name: String
    let shape: Shape
    let isRequired: Bool
  }

  /// A text of at least one and at most so many UTF-8 bytes.
  static func text(max: Int) -> Shape { .text(min: 1, max: max) }

  /// A whole number that is not negative.
  static let count = Shape.integer(0...Int64.max)

  /// Why a value has another shape: where, and what it would have to be.
  struct Mismatch: Hashable, Sendable {
    let place: String
    let wanted: String
    let isMissing: Bool
  }

  /// Checks a value.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - place: Where it stands, for example `products[2].id`.
  /// - Returns: The first mismatch; nil when there is none.
  func mismatch(_ value: JSONValue, at place: String) -> Mismatch? {
    switch self {
    case .object(let fields): Self.members(value, fields, at: place, isClosed: false)
    case .exactly(let fields): Self.members(value, fields, at: place, isClosed: true)
    case .list(let element, let max): Self.elements(value, element, max, at: place)
    case .map(let shape, let max): Self.entries(value, shape, max, at: place)
    case .text, .word, .uuid, .integer, .date, .bool, .anything:
      isScalarRight(value) ? nil : Mismatch(place: place, wanted: wanted, isMissing: false)
    }
  }

  private func isScalarRight(_ value: JSONValue) -> Bool {
    switch self {
    case .text(let min, let max):
      value.stringValue.map { (min...max).contains($0.utf8.count) } ?? false
    case .word(let words): value.stringValue.map { words.contains($0) } ?? false
    case .uuid: value.stringValue.map { UUID(uuidString: $0) != nil } ?? false
    case .integer(let range): value.integerValue.map { range.contains($0) } ?? false
    case .date: value.integerValue.map { (0...Shape.dateMax).contains($0) } ?? false
    case .bool: value.boolValue != nil
    case .anything: value.objectValue != nil
    case .list, .object, .exactly, .map: preconditionFailure("this is no scalar")
    }
  }

  /// The end of the year 9999 in UNIX milliseconds.
  static let dateMax: Int64 = 253_402_300_799_999

  /// What a value would have to be, in words.
  var wanted: String {
    switch self {
    case .text(let min, let max): "a text of \(min) to \(max) bytes"
    case .word(let words): "one of " + words.joined(separator: ", ")
    case .uuid: "a UUID"
    case .integer(let range):
      range.upperBound == .max
        ? "a whole number from \(range.lowerBound)"
        : "a whole number from \(range.lowerBound) to \(range.upperBound)"
    case .date: "a date in UNIX milliseconds"
    case .bool: "true or false"
    case .list(_, let max): "a list of at most \(max)"
    case .object, .exactly, .anything: "an object"
    case .map(_, let max): "an object of at most \(max) members"
    }
  }

  private static func members(
    _ value: JSONValue,
    _ fields: [Field],
    at place: String,
    isClosed: Bool
  ) -> Mismatch? {
    guard let object = value.objectValue else {
      return Mismatch(place: place, wanted: "an object", isMissing: false)
    }
    let inside = place.isEmpty ? "" : place + "."
    for field in fields {
      let member = object[field.name].flatMap { $0 == .null ? nil : $0 }
      guard let member else {
        guard field.isRequired else { continue }
        return Mismatch(place: inside + field.name, wanted: field.shape.wanted, isMissing: true)
      }
      if let found = field.shape.mismatch(member, at: inside + field.name) { return found }
    }
    guard isClosed else { return nil }
    let known = Set(fields.map(\.name))
    // The name is somebody else's text: only one that could be a member is repeated.
    guard let other = object.members.first(where: { !known.contains($0.name) }) else { return nil }
    let isPlain = other.name.utf8.count <= 64 && other.name.utf8.allSatisfy { isNameByte($0) }
    return Mismatch(
      place: inside + (isPlain ? other.name : "?"),
      wanted: "one of the members " + fields.map(\.name).joined(separator: ", "),
      isMissing: false
    )
  }

  private static func isNameByte(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
      || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte == UInt8(ascii: "_")
  }

  private static func elements(
    _ value: JSONValue,
    _ element: Shape,
    _ max: Int,
    at place: String
  ) -> Mismatch? {
    guard let values = value.arrayValue, values.count <= max else {
      return Mismatch(place: place, wanted: "a list of at most \(max)", isMissing: false)
    }
    for (index, value) in values.enumerated() {
      if let found = element.mismatch(value, at: "\(place)[\(index)]") { return found }
    }
    return nil
  }

  private static func entries(
    _ value: JSONValue,
    _ shape: Shape,
    _ max: Int,
    at place: String
  ) -> Mismatch? {
    guard let object = value.objectValue, object.members.count <= max else {
      return Mismatch(place: place, wanted: "an object of at most \(max) members", isMissing: false)
    }
    for member in object.members {
      if let found = shape.mismatch(member.value, at: place) { return found }
    }
    return nil
  }
}

extension Shape.Field {
  static func required(_ name: String, _ shape: Shape) -> Shape.Field {
    Shape.Field(name: name, shape: shape, isRequired: true)
  }

  static func optional(_ name: String, _ shape: Shape) -> Shape.Field {
    Shape.Field(name: name, shape: shape, isRequired: false)
  }
}

extension Shape {
  /// The JSON Schema of the shape.
  var schema: JSONValue {
    switch self {
    case .text(let min, let max):
      [
        "type": "string", "minLength": .integer(Int64(min)), "maxLength": .integer(Int64(max)),
      ]
    case .word(let words): ["type": "string", "enum": .array(words.map { .string($0) })]
    case .uuid: ["type": "string", "format": "uuid"]
    case .integer(let range): .object(Self.integerSchema(range))
    case .date:
      [
        "type": "integer", "minimum": 0, "maximum": .integer(Self.dateMax),
        "description": "UNIX milliseconds.",
      ]
    case .bool: ["type": "boolean"]
    case .list(let element, let max):
      ["type": "array", "items": element.schema, "maxItems": .integer(Int64(max))]
    case .object(let fields): .object(Self.objectSchema(fields, isClosed: false))
    case .exactly(let fields): .object(Self.objectSchema(fields, isClosed: true))
    case .map(let shape, let max):
      [
        "type": "object", "additionalProperties": shape.schema,
        "maxProperties": .integer(Int64(max)),
      ]
    case .anything: ["type": "object"]
    }
  }

  private static func integerSchema(_ range: ClosedRange<Int64>) -> JSONObject {
    var schema: JSONObject = ["type": "integer"]
    schema["minimum"] = .integer(range.lowerBound)
    if range.upperBound != .max { schema["maximum"] = .integer(range.upperBound) }
    return schema
  }

  private static func objectSchema(_ fields: [Field], isClosed: Bool) -> JSONObject {
    var schema: JSONObject = ["type": "object"]
    schema["properties"] = .object(
      JSONObject(fields.map { JSONMember($0.name, $0.shape.schema) })
    )
    let required = fields.filter(\.isRequired).map { JSONValue.string($0.name) }
    if !required.isEmpty { schema["required"] = .array(required) }
    if isClosed { schema["additionalProperties"] = false }
    return schema
  }
}

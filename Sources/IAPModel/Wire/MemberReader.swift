package import Foundation

/// Takes known members out of an object and keeps the others.
///
/// A member that is `null` counts as absent: Apple leaves members out, but samples exist in which
/// one is null.
package struct MemberReader {
  private let members: [JSONMember]
  private var isTaken: [Bool]
  /// Behind the member that was taken last: members are mostly asked for in their order.
  private var next = 0

  package init(_ object: JSONObject) {
    members = object.members
    isTaken = Array(repeating: false, count: members.count)
  }

  /// The members that nobody asked for, in their order.
  package var others: [JSONMember] {
    members.indices.compactMap { isTaken[$0] ? nil : members[$0] }
  }

  private mutating func take<Value>(
    _ name: String,
    _ wanted: String,
    _ read: (JSONValue) -> Value?
  ) throws(PayloadError) -> Value? {
    guard let index = index(of: name) else { return nil }
    isTaken[index] = true
    next = index + 1
    if case .null = members[index].value { return nil }
    guard let result = read(members[index].value) else {
      throw PayloadError(.wrongType, "member \(name) is not \(wanted)")
    }
    return result
  }

  /// Where a member stands; no name stands twice.
  private func index(of name: String) -> Int? {
    members[next...].firstIndex { $0.isNamed(name) }
      ?? members[..<next].firstIndex { $0.isNamed(name) }
  }

  package mutating func text(_ name: String) throws(PayloadError) -> String? {
    try take(name, "a text", \.stringValue)
  }

  package mutating func requiredText(_ name: String) throws(PayloadError) -> String {
    guard let value = try text(name), !value.isEmpty else {
      throw PayloadError(.missingMember, "member \(name) is missing")
    }
    return value
  }

  package mutating func integer(_ name: String) throws(PayloadError) -> Int64? {
    try take(name, "a whole number", \.integerValue)
  }

  package mutating func smallInteger(_ name: String) throws(PayloadError) -> Int? {
    try take(name, "a whole number") { $0.integerValue.flatMap { Int(exactly: $0) } }
  }

  package mutating func bool(_ name: String) throws(PayloadError) -> Bool? {
    try take(name, "true or false", \.boolValue)
  }

  package mutating func date(_ name: String) throws(PayloadError) -> Date? {
    try take(name, "a number of milliseconds") { value in
      guard let milliseconds = value.doubleValue,
        abs(milliseconds) <= Date.millisecondsMax
      else { return nil }
      return Date(timeIntervalSince1970: milliseconds / 1000)
    }
  }

  package mutating func requiredDate(_ name: String) throws(PayloadError) -> Date {
    guard let value = try date(name) else {
      throw PayloadError(.missingMember, "member \(name) is missing")
    }
    return value
  }

  package mutating func object(_ name: String) throws(PayloadError) -> JSONObject? {
    try take(name, "an object", \.objectValue)
  }

  package mutating func objects(_ name: String) throws(PayloadError) -> [JSONObject]? {
    try take(name, "a list of objects") { value in
      guard let values = value.arrayValue else { return nil }
      let objects = values.compactMap(\.objectValue)
      return objects.count == values.count ? objects : nil
    }
  }

  package mutating func texts(_ name: String) throws(PayloadError) -> [String]? {
    try take(name, "a list of texts") { value in
      guard let values = value.arrayValue else { return nil }
      let texts = values.compactMap(\.stringValue)
      return texts.count == values.count ? texts : nil
    }
  }

  package mutating func token(_ name: String) throws(PayloadError) -> AppAccountToken? {
    // An empty text is how some clients say that there is none.
    guard let value = try text(name), !value.isEmpty else { return nil }
    guard let token = AppAccountToken(value) else {
      throw PayloadError(.wrongType, "member \(name) is not a UUID")
    }
    return token
  }

  package mutating func identifier<ID: Identifier>(_ name: String) throws(PayloadError) -> ID? {
    try text(name).map { ID($0) }
  }

  package mutating func open<Value: OpenValue>(
    _ name: String
  ) throws(PayloadError) -> Value? where Value.RawValue == String {
    try text(name).map { Value(rawValue: $0) }
  }

  package mutating func open<Value: OpenValue>(
    _ name: String
  ) throws(PayloadError) -> Value? where Value.RawValue == Int {
    try smallInteger(name).map { Value(rawValue: $0) }
  }
}

/// Puts known members into an object, leaving out what is absent.
struct MemberWriter {
  private(set) var members: [JSONMember] = []

  mutating func text(_ name: String, _ value: String?) {
    if let value { members.append(JSONMember(name, .string(value))) }
  }

  mutating func integer(_ name: String, _ value: (some BinaryInteger)?) {
    if let value { members.append(JSONMember(name, .integer(Int64(value)))) }
  }

  mutating func bool(_ name: String, _ value: Bool?) {
    if let value { members.append(JSONMember(name, .bool(value))) }
  }

  mutating func date(_ name: String, _ value: Date?) {
    integer(name, value?.milliseconds)
  }

  mutating func object(_ name: String, _ value: JSONObject?) {
    if let value { members.append(JSONMember(name, .object(value))) }
  }

  mutating func value(_ name: String, _ value: JSONValue?) {
    if let value { members.append(JSONMember(name, value)) }
  }

  /// The object; the names that are known here are all different.
  func object(with others: [JSONMember]) -> JSONObject {
    others.isEmpty ? JSONObject(checked: members) : JSONObject(members + others)
  }
}

import Foundation
import IAPModel

/// Reads the members of a JSON object and notes everything that is wrong with them.
///
/// Reading never stops at the first problem: whoever wrote the file hears of all at once. A problem
/// names the place and what is expected, never the value.
struct CheckedMembers {
  /// What is wrong, in the order of reading.
  private(set) var problems: [String] = []

  private let members: JSONObject
  private let path: String
  private var known: Set<String> = []

  /// Reads an object.
  ///
  /// - Parameters:
  ///   - members: What is in it.
  ///   - path: Where the object stands, with what separates it from a member's name.
  init(_ members: JSONObject, at path: String = "") {
    self.members = members
    self.path = path
  }

  mutating func note(_ name: String, _ problem: String) {
    problems.append("\(path)\(name) \(problem)")
  }

  mutating func take(_ problems: [String]) { self.problems += problems }

  private mutating func value<Value>(
    _ name: String,
    _ expected: String,
    isRequired: Bool,
    _ read: (JSONValue) -> Value?
  ) -> Value? {
    known.insert(name)
    guard let member = members[name], member != .null else {
      if isRequired { note(name, "is missing: \(expected)") }
      return nil
    }
    let value = read(member)
    if value == nil { note(name, "is not \(expected)") }
    return value
  }

  mutating func text(_ name: String, isRequired: Bool = false) -> String? {
    value(name, "a text", isRequired: isRequired) { value in
      value.stringValue.flatMap { $0.isEmpty ? nil : $0 }
    }
  }

  mutating func flag(_ name: String) -> Bool? {
    value(name, "true or false", isRequired: false, \.boolValue)
  }

  mutating func count(_ name: String) -> Int? {
    value(name, "a whole number from 0", isRequired: false) { value in
      value.integerValue.flatMap { $0 >= 0 ? Int(exactly: $0) : nil }
    }
  }

  mutating func number(_ name: String) -> Double? {
    value(name, "a number from 0", isRequired: false) { value in
      value.doubleValue.flatMap { $0 >= 0 && $0.isFinite ? $0 : nil }
    }
  }

  mutating func texts(_ name: String, isRequired: Bool = false) -> [String]? {
    value(name, "an array of texts", isRequired: isRequired, Self.texts)
  }

  mutating func url(_ name: String) -> URL? {
    value(name, "a web address", isRequired: false) { value in
      guard let url = value.stringValue.flatMap({ URL(string: $0) }),
        url.scheme == "https" || url.scheme == "http", url.host != nil
      else { return nil }
      return url
    }
  }

  mutating func objects(_ name: String, isRequired: Bool = false) -> [JSONObject]? {
    value(name, "an array of objects", isRequired: isRequired) { value in
      guard let array = value.arrayValue else { return nil }
      let objects = array.compactMap(\.objectValue)
      return objects.count == array.count ? objects : nil
    }
  }

  mutating func object(_ name: String) -> JSONObject? {
    value(name, "an object", isRequired: false, \.objectValue)
  }

  /// An object in which each member has a value of one kind.
  mutating func table<Value>(
    _ name: String,
    of expected: String,
    _ read: (JSONValue) -> Value?
  ) -> [String: Value]? {
    value(name, "an object whose members are \(expected)", isRequired: false) { value in
      guard let members = value.objectValue?.members else { return nil }
      let pairs = members.compactMap { member in read(member.value).map { (member.name, $0) } }
      guard pairs.count == members.count else { return nil }
      return Dictionary(pairs) { first, _ in first }
    }
  }

  static func texts(_ value: JSONValue) -> [String]? {
    guard let array = value.arrayValue else { return nil }
    let texts = array.compactMap(\.stringValue)
    return texts.count == array.count ? texts : nil
  }

  /// Notes members that nobody asked for: a misspelt key would be ignored silently.
  mutating func refuseOthers() {
    for member in members.members where !known.contains(member.name) {
      note(member.name, "is not known")
    }
  }
}

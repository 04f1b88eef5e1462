import HTTPValues
import IAPModel

/// The members of a control request; one that nobody reads is refused, so that a misspelt name is
/// not taken for a default.
struct ControlBody {
  private let object: JSONObject

  init(_ request: HTTPRequest, allowed: [String]) throws(SimulatorError) {
    guard !request.body.isEmpty else {
      object = JSONObject()
      return
    }
    do throws(PayloadError) {
      object = try JSONParser.parseObject(request.body, limits: .document)
    } catch {
      throw SimulatorError(.badRequest, "the body: \(error.reason)", underlying: error)
    }
    for member in object.members where !allowed.contains(member.name) {
      throw SimulatorError(
        .badRequest,
        "the body has the member \"\(member.name)\"; known are \(allowed.joined(separator: ", "))"
      )
    }
  }

  private func read<Value>(
    _ name: String,
    _ wanted: String,
    _ convert: (JSONValue) -> Value?
  ) throws(SimulatorError) -> Value? {
    guard let found = object[name], found != .null else { return nil }
    guard let value = convert(found) else {
      throw SimulatorError(.badRequest, "\(name) is not \(wanted)")
    }
    return value
  }

  func require<Value>(_ name: String, _ value: Value?) throws(SimulatorError) -> Value {
    guard let value else { throw SimulatorError(.badRequest, "\(name) is missing") }
    return value
  }

  func has(_ name: String) -> Bool { object[name] != nil }

  func text(_ name: String) throws(SimulatorError) -> String? {
    try read(name, "a text", \.stringValue)
  }

  func requiredText(_ name: String) throws(SimulatorError) -> String {
    let value = try require(name, try text(name))
    guard !value.isEmpty else { throw SimulatorError(.badRequest, "\(name) is empty") }
    return value
  }

  func bool(_ name: String) throws(SimulatorError) -> Bool? {
    try read(name, "true or false", \.boolValue)
  }

  func integer(_ name: String) throws(SimulatorError) -> Int64? {
    try read(name, "a whole number", \.integerValue)
  }

  func number(_ name: String) throws(SimulatorError) -> Double? {
    try read(name, "a number") { value in value.doubleValue.flatMap { $0.isFinite ? $0 : nil } }
  }

  func object(_ name: String) throws(SimulatorError) -> JSONObject? {
    try read(name, "an object", \.objectValue)
  }

  func texts(_ name: String) throws(SimulatorError) -> [String]? {
    try read(name, "a list of texts") { value in
      guard let values = value.arrayValue else { return nil }
      let texts = values.compactMap(\.stringValue)
      return texts.count == values.count ? texts : nil
    }
  }

  func token(_ name: String) throws(SimulatorError) -> AppAccountToken? {
    guard let value = try text(name) else { return nil }
    guard let token = AppAccountToken(value) else {
      throw SimulatorError(.badRequest, "\(name) is not a UUID")
    }
    return token
  }
}

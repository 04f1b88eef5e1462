import Foundation
import IAPEntitlements
import IAPModel

/// Gathers the members of an answer; what is absent is left out, dates are UNIX milliseconds.
struct AnswerMembers {
  private var members: [JSONMember] = []

  var object: JSONObject { JSONObject(members) }

  mutating func add(_ name: String, _ value: JSONValue) { members.append(JSONMember(name, value)) }

  mutating func add(_ name: String, _ value: String?) {
    if let value { add(name, .string(value)) }
  }

  mutating func add(_ name: String, _ value: Date?) {
    if let value { add(name, .integer(value.milliseconds)) }
  }

  mutating func add(_ name: String, _ value: Bool?) {
    if let value { add(name, .bool(value)) }
  }

  static func entitlement(_ entitlement: Entitlement) -> JSONValue {
    var answer = AnswerMembers()
    answer.add("id", .string(entitlement.id.rawValue))
    answer.add("productId", .string(entitlement.productID.rawValue))
    answer.add("until", entitlement.until)
    answer.add("source", .string(entitlement.source.rawValue))
    answer.add("reason", .string(entitlement.reason.rawValue))
    answer.add("transactionId", .string(entitlement.transactionID.rawValue))
    return .object(answer.object)
  }
}

package import Foundation
package import IAPModel

/// Can say what a customer has, to a device that knows no transaction of theirs.
package protocol CustomerSource: Sendable {
  /// What the customer has.
  ///
  /// - Parameter token: What the server gave when it saw a purchase; a secret.
  /// - Returns: The answer; nil when the server does not know the token.
  /// - Throws: ``IAPError`` when there is no answer.
  func customer(token: String) async throws(IAPError) -> CustomerAnswer?
}

/// The server's answer to `GET /v1/customers/me`.
package struct CustomerAnswer: Hashable, Sendable {
  package var entitlements: [ValidatedEntitlement]
  package var subscriptions: [IAPSubscription]
  /// What was taken back, and when; of consumables too, which StoreKit 1 never tells.
  package var revocations: [TransactionID: Date]
  /// What was taken back, and is the customer's again: when it was taken back last.
  package var reversals: [TransactionID: Date]

  /// Reads an answer; nil when it is none.
  package init?(_ body: Data) {
    guard let object = try? JSONParser.parseObject([UInt8](body), limits: .document),
      let list = object["entitlements"]?.arrayValue
    else { return nil }
    let entries = list.compactMap { ValidatedEntitlement($0) }
    guard entries.count == list.count else { return nil }
    entitlements = entries
    subscriptions = (object["subscriptions"]?.arrayValue ?? []).compactMap { value in
      value.objectValue.flatMap { IAPSubscription(answer: $0) }
    }
    revocations = [:]
    reversals = [:]
    for purchase in object["purchases"]?.arrayValue ?? [] {
      guard let members = purchase.objectValue, let isActive = members["isActive"]?.boolValue,
        let date = members["revocationDate"]?.integerValue
      else { continue }
      for id in members["transactionIds"]?.arrayValue ?? [] {
        guard let id = id.stringValue else { continue }
        if isActive {
          reversals[TransactionID(id)] = Date(milliseconds: date)
        } else {
          revocations[TransactionID(id)] = Date(milliseconds: date)
        }
      }
    }
  }
}

extension ValidatedEntitlement {
  /// Reads an entitlement as the server and the cache write it.
  init?(_ value: JSONValue) {
    guard let object = value.objectValue, let id = object["id"]?.stringValue else { return nil }
    self.init(
      id: id,
      productId: object["productId"]?.stringValue,
      until: object["until"]?.integerValue.map { Date(milliseconds: $0) },
      source: object["source"]?.stringValue,
      reason: object["reason"]?.stringValue
    )
  }

  /// Writes it.
  var json: JSONValue {
    var object: JSONObject = ["id": .string(id)]
    object["productId"] = productId.map { .string($0) }
    object["until"] = until.map { .integer($0.milliseconds) }
    object["source"] = source.map { .string($0) }
    object["reason"] = reason.map { .string($0) }
    return .object(object)
  }
}

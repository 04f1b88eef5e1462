import Foundation
import IAPEntitlements
import IAPModel

/// What events say; dates are UNIX milliseconds, what is not known is left out.
enum EventData {
  /// The members that name a person or a device.
  static let personalMembers = ["accountToken", "orderNumber"]

  static func entry(
    _ record: GrantRecord,
    _ unit: UnitState,
    _ payload: TransactionPayload?
  ) -> JSONObject {
    var data: JSONObject = [
      "key": .string(record.entry.key), "unit": .string(record.entry.unit.rawValue),
      "productId": .string(record.productID.rawValue),
      "productType": .string(unit.type.rawValue),
      "quantity": .integer(Int64(record.quantity)),
      "originalTransactionId": .string(record.subject.original.rawValue),
      "date": .integer(record.entry.date.milliseconds),
    ]
    guard let payload else { return data }
    data["transactionId"] = .string(payload.transactionID.rawValue)
    data["purchaseDate"] = .integer(payload.purchaseDate.milliseconds)
    data["expiresDate"] = payload.expiresDate.map { .integer($0.milliseconds) }
    data["accountToken"] = payload.appAccountToken.map { .string($0.description) }
    data["ownership"] = payload.ownershipType.map { .string($0.rawValue) }
    data["offerType"] = payload.offerType.map { .integer(Int64($0.rawValue)) }
    data["offerId"] = payload.offerIdentifier.map { .string($0.rawValue) }
    data["priceMilliunits"] = payload.priceMilliunits.map { .integer($0) }
    data["currency"] = payload.currency.map { .string($0) }
    guard record.entry.kind == .clawback else { return data }
    data["revocationReason"] = payload.revocationReason.map { .integer(Int64($0.rawValue)) }
    data["revocationType"] = payload.revocationType.map { .string($0.rawValue) }
    return data
  }

  static func subscription(_ state: SubscriptionState) -> JSONObject {
    var data: JSONObject = [
      "originalTransactionId": .string(state.originalTransactionID.rawValue),
      "transactionId": .string(state.transaction.transactionID.rawValue),
      "productId": .string(state.productID.rawValue), "state": .string(state.phase.rawValue),
      "reason": .string(state.reason.rawValue), "since": .integer(state.since.milliseconds),
    ]
    data["group"] = state.groupID.map { .string($0.rawValue) }
    data["accessUntil"] = state.accessUntil.map { .integer($0.milliseconds) }
    data["expiresDate"] = state.expiresDate.map { .integer($0.milliseconds) }
    data["willAutoRenew"] = state.willAutoRenew.map { .bool($0) }
    data["pendingProductId"] = state.pendingProductID.map { .string($0.rawValue) }
    return data
  }

  static func entitlement(_ entitlement: Entitlement) -> JSONValue {
    var data: JSONObject = [
      "id": .string(entitlement.id.rawValue), "productId": .string(entitlement.productID.rawValue),
      "source": .string(entitlement.source.rawValue),
      "reason": .string(entitlement.reason.rawValue),
    ]
    data["until"] = entitlement.until.map { .integer($0.milliseconds) }
    return .object(data)
  }
}

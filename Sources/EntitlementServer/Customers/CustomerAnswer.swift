import Foundation
import IAPEntitlements
import IAPModel
import ServerStorage

/// Writes the answer to `GET /v1/customers/{id}`.
enum CustomerAnswer {
  static let entitlement = Shape.object([
    .required("id", .text(max: 256)), .required("productId", .text(max: 256)),
    .optional("until", .date), .required("source", .text(max: 64)),
    .required("reason", .text(max: 64)), .required("transactionId", .text(max: 64)),
  ])

  static let shape = Shape.object([
    .required("customer", .text(max: 1024)), .required("app", .text(max: 256)),
    .required("environment", .text(max: 64)),
    .required("otherEnvironments", .list(.text(max: 64), max: 16)), .required("asOf", .date),
    .required("entitlements", .list(entitlement, max: 10_000)),
    .required("lapsed", .list(.anything, max: 10_000)),
    .required("subscriptions", .list(.anything, max: 10_000)),
    .required("purchases", .list(.anything, max: 100_000)),
    .required("orders", .list(.anything, max: 100_000)),
  ])

  static func object(
    _ customer: CustomerID,
    _ scope: LedgerScope,
    _ findings: CustomerFindings,
    at now: Date,
    catalog: EntitlementCatalog
  ) -> (object: JSONObject, end: Date?) {
    let subscriptions = findings.history.subscriptions(at: now)
    let report = findings.history.access(
      at: now,
      catalog: catalog,
      subscriptions: subscriptions
    )
    let object: JSONObject = [
      "customer": .string(customer.rawValue),
      "app": .string(scope.app.rawValue),
      "environment": .string(scope.environment.rawValue),
      "otherEnvironments": .array(findings.otherEnvironments.map { .string($0.rawValue) }),
      "asOf": .integer(now.milliseconds),
      "entitlements": .array(report.entitlements.map(AnswerMembers.entitlement)),
      "lapsed": .array(report.lapsed.map(lapsed)),
      "subscriptions": .array(subscriptions.map(subscription)),
      "purchases": .array(findings.history.units.map { purchase($0, findings.entries) }),
      "orders": .array(findings.orders.map(order)),
    ]
    let end = StoreHistory.nextChange(after: now, subscriptions: subscriptions, report: report)
    return (object, end)
  }

  private static func lapsed(_ entitlement: LapsedEntitlement) -> JSONValue {
    [
      "id": .string(entitlement.id.rawValue),
      "productId": .string(entitlement.productID.rawValue),
      "originalTransactionId": .string(entitlement.originalTransactionID.rawValue),
      "reason": .string(entitlement.reason.rawValue),
      "since": .integer(entitlement.since.milliseconds),
    ]
  }

  private static func subscription(_ state: SubscriptionState) -> JSONValue {
    var answer = AnswerMembers()
    answer.add("originalTransactionId", .string(state.originalTransactionID.rawValue))
    answer.add("transactionId", .string(state.transaction.transactionID.rawValue))
    answer.add("productId", .string(state.productID.rawValue))
    answer.add("group", state.groupID?.rawValue)
    answer.add("state", .string(state.phase.rawValue))
    answer.add("reason", .string(state.reason.rawValue))
    answer.add("since", state.since)
    answer.add("accessUntil", state.accessUntil)
    answer.add("expiresDate", state.expiresDate)
    answer.add("willAutoRenew", state.willAutoRenew)
    answer.add("pendingProductId", state.pendingProductID?.rawValue)
    return .object(answer.object)
  }

  private static func purchase(_ unit: UnitState, _ entries: [GrantRecord]) -> JSONValue {
    var answer = AnswerMembers()
    answer.add("unit", .string(unit.unit.rawValue))
    answer.add("productId", .string(unit.productID.rawValue))
    answer.add("productType", .string(unit.type.rawValue))
    answer.add("originalTransactionId", .string(unit.originalTransactionID.rawValue))
    answer.add(
      "transactionIds",
      .array(unit.transactionIDs.map { .string($0.rawValue) })
    )
    answer.add("purchaseDate", unit.purchaseDate)
    answer.add("quantity", .integer(Int64(unit.quantity)))
    answer.add("isActive", unit.isActive)
    answer.add("revocationDate", unit.revocationDate)
    let recorded = entries.filter { unit.names.contains($0.entry.unit) }
    answer.add(
      "entries",
      .array(
        recorded.map { record in
          [
            "kind": .string(record.entry.kind.rawValue),
            "key": .string(record.entry.key),
            "date": .integer(record.entry.date.milliseconds),
          ]
        }
      )
    )
    return .object(answer.object)
  }

  private static func order(_ order: CustomerFindings.Order) -> JSONValue {
    var answer = AnswerMembers()
    answer.add("orderNumber", .string(order.record.number.description))
    answer.add("productId", .string(order.record.productID.rawValue))
    answer.add("quantity", .integer(Int64(order.record.quantity)))
    answer.add("createdDate", order.record.createdDate)
    answer.add("state", .string(OrderAnswer.state(order.transactions)))
    answer.add(
      "transactionIds",
      .array(order.transactions.map { .string($0.id.rawValue) })
    )
    return .object(answer.object)
  }
}

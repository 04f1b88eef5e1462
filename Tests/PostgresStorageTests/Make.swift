import Foundation
import IAPEntitlements
import IAPModel
import ServerStorage

/// Writes facts for tests; instants are seconds after a fixed day.
enum Make {
  static let app: BundleID = "com.example.app"
  static let scope = LedgerScope(app: app, environment: .sandbox)

  static func date(_ seconds: Int) -> Date {
    Date(timeIntervalSince1970: 1_700_000_000 + TimeInterval(seconds))
  }

  static func subject(_ id: Int) -> LedgerSubject {
    LedgerSubject(scope: scope, original: OriginalTransactionID("\(id)"))
  }

  static func number(_ id: Int) -> OrderNumber {
    let text = String(id, radix: 16)
    let padded = String(repeating: "0", count: 12 - text.count) + text
    guard let uuid = UUID(uuidString: "01020304-0506-4708-890A-\(padded)") else {
      preconditionFailure("a number too large")
    }
    return OrderNumber(uuid)
  }

  /// A purchase that carries the number of its order.
  static func payload(_ id: Int, signed: Int = 0, revoked: Int? = nil) -> TransactionPayload {
    var payload = TransactionPayload(
      transactionID: TransactionID("\(id)"),
      originalTransactionID: OriginalTransactionID("\(id)"),
      bundleID: app,
      productID: "coins",
      purchaseDate: date(0)
    )
    payload.type = .consumable
    payload.environment = .sandbox
    payload.signedDate = date(signed)
    payload.revocationDate = revoked.map { date($0) }
    payload.appAccountToken = number(id).accountToken
    payload.quantity = 1
    return payload
  }

  static func purchase(_ id: Int, signed: Int = 0, revoked: Int? = nil) -> LedgerWrite {
    let payload = payload(id, signed: signed, revoked: revoked)
    let record = FactRecord(
      key: .transaction(payload),
      scope: scope,
      bytes: payload.object.serialized,
      signedDate: payload.signedDate,
      receivedDate: date(100),
      facts: [.transaction(payload)]
    )
    return LedgerWrite(date: date(100), facts: [record])
  }

  static func order(_ id: Int, customer: CustomerID) -> LedgerWrite {
    var write = LedgerWrite(date: date(1))
    write.orders = [
      OrderRecord(
        number: number(id),
        app: app,
        customer: customer,
        productID: "coins",
        createdDate: date(1)
      )
    ]
    return write
  }

  static func presented(_ id: Int, by customer: CustomerID) -> LedgerWrite {
    var write = LedgerWrite(date: date(200))
    write.ownership = [
      OwnershipRequest(subject: subject(id), customer: customer, date: date(200))
    ]
    return write
  }
}

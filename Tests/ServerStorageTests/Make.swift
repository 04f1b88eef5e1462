import Foundation
import IAPEntitlements
import IAPModel
import ServerStorage

/// Writes facts for tests; instants are seconds after a fixed day.
enum Make {
  static let scope = LedgerScope(app: "com.example.app", environment: .sandbox)

  static func date(_ seconds: TimeInterval) -> Date {
    Date(timeIntervalSince1970: 1_700_000_000 + seconds)
  }

  /// A write in which an installation wants to deliver a unit, or says that it has.
  static func claim(
    _ installation: InstallationID,
    _ unit: UnitID = "tx:1",
    at seconds: TimeInterval,
    lease: TimeInterval = 3600,
    acknowledges: Bool = false
  ) -> LedgerWrite {
    var write = LedgerWrite(date: date(seconds))
    write.claims = [
      ClaimRequest(
        scope: scope,
        unit: unit,
        installation: installation,
        date: date(seconds),
        leaseSeconds: lease,
        isAcknowledgement: acknowledges
      )
    ]
    return write
  }

  static func subject(_ original: OriginalTransactionID) -> LedgerSubject {
    LedgerSubject(scope: scope, original: original)
  }

  static func payload(
    _ id: TransactionID,
    type: ProductType = .consumable,
    original: OriginalTransactionID? = nil,
    product: ProductID = "coins",
    bought: TimeInterval = 0,
    signed: TimeInterval = 0,
    revoked: TimeInterval? = nil,
    token: AppAccountToken? = nil,
    environment: StoreEnvironment = .sandbox
  ) -> TransactionPayload {
    var payload = TransactionPayload(
      transactionID: id,
      originalTransactionID: original ?? OriginalTransactionID(id.rawValue),
      bundleID: "com.example.app",
      productID: product,
      purchaseDate: date(bought)
    )
    payload.type = type
    payload.environment = environment
    payload.signedDate = date(signed)
    payload.revocationDate = revoked.map { date($0) }
    payload.appAccountToken = token
    payload.quantity = 1
    return payload
  }

  /// A fact about a transaction; its bytes stand for a signed text.
  static func record(
    _ payload: TransactionPayload,
    bytes: [UInt8]? = nil,
    received: TimeInterval = 100
  ) -> FactRecord {
    FactRecord(
      key: .transaction(payload),
      scope: scope,
      bytes: bytes ?? payload.object.serialized,
      signedDate: payload.signedDate,
      receivedDate: date(received),
      facts: [.transaction(payload)]
    )
  }

  static func write(
    _ payloads: TransactionPayload...,
    at seconds: TimeInterval = 100
  ) -> LedgerWrite {
    LedgerWrite(date: date(seconds), facts: payloads.map { record($0) })
  }

  /// A signed text whose header is as long as one with a certificate chain.
  static func signedText(_ payload: [UInt8], header: String = "chain") -> [UInt8] {
    let head = Array(#"{"alg":"ES256","x5c":["\#(String(repeating: header, count: 200))"]}"#.utf8)
    let signature = [UInt8](repeating: 7, count: 64)
    return encode(head) + [UInt8(ascii: ".")] + encode(payload) + [UInt8(ascii: ".")]
      + encode(signature)
  }

  private static func encode(_ bytes: [UInt8]) -> [UInt8] {
    Array(
      Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
        .replacing("=", with: "").utf8
    )
  }
}

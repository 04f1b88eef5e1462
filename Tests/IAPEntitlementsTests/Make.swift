import Foundation
import IAPEntitlements
import IAPModel

/// Writes facts for tests; instants are days after a fixed one.
enum Make {
  static func date(_ days: Double) -> Date {
    Date(timeIntervalSince1970: 1_700_000_000 + days * 24 * 60 * 60)
  }

  static func transaction(
    _ id: TransactionID,
    _ type: ProductType? = .consumable,
    product: ProductID = "coins",
    original: OriginalTransactionID? = nil,
    line: WebOrderLineItemID? = nil,
    bought: Double = 0,
    expires: Double? = nil,
    signed: Double? = nil,
    revoked: Double? = nil,
    change: (inout TransactionPayload) -> Void = { _ in }
  ) -> TransactionPayload {
    var payload = TransactionPayload(
      transactionID: id,
      originalTransactionID: original ?? OriginalTransactionID(id.rawValue),
      bundleID: "com.example.app",
      productID: product,
      purchaseDate: date(bought)
    )
    payload.type = type
    payload.webOrderLineItemID = line
    payload.expiresDate = expires.map { date($0) }
    payload.signedDate = date(signed ?? bought)
    payload.revocationDate = revoked.map { date($0) }
    payload.environment = .production
    change(&payload)
    return payload
  }

  /// A period of the subscription `S`; its line item is its own number.
  static func period(
    _ number: Int,
    from start: Double,
    to end: Double,
    product: ProductID = "monthly",
    signed: Double? = nil,
    revoked: Double? = nil,
    reason: TransactionReason = .purchase,
    change: (inout TransactionPayload) -> Void = { _ in }
  ) -> StoreFact {
    .transaction(
      transaction(
        TransactionID("\(number)"),
        .autoRenewable,
        product: product,
        original: "S",
        line: WebOrderLineItemID("\(number)"),
        bought: start,
        expires: end,
        signed: signed,
        revoked: revoked
      ) {
        $0.transactionReason = reason
        $0.subscriptionGroupID = "G"
        change(&$0)
      }
    )
  }

  static func renewal(
    signed: Double,
    renews: Double,
    change: (inout RenewalInfoPayload) -> Void
  ) -> StoreFact {
    var payload = RenewalInfoPayload(originalTransactionID: "S", productID: "monthly")
    payload.signedDate = date(signed)
    payload.renewalDate = date(renews)
    payload.environment = .production
    change(&payload)
    return .renewal(payload)
  }
}

/// A generator of pseudo-random numbers that repeats itself for the same seed (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}

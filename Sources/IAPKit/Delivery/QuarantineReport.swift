public import Foundation
import IAPModel

/// Everything that is needed to look at one order by hand, and to deliver it later.
///
/// It holds the proof of the purchase: show it to the customer's own support only.
public struct QuarantineReport: Hashable, Sendable, Codable {
  /// A short code that a user can read out: it finds this order on the device and at the server.
  public var contactReference: String
  /// The transaction.
  public var transactionId: String
  /// The first transaction of the product or subscription.
  public var originalTransactionId: String
  /// The product.
  public var productId: String
  /// How many were bought.
  public var quantity: Int
  /// When the customer was charged.
  public var purchaseDate: Date
  /// Why it needs somebody.
  public var reason: OrderNeedingAttention.Reason
  /// How often it was checked.
  public var attempts: Int
  /// What went wrong last, in words without secrets.
  public var lastError: String?
  /// The number of its order, as a UUID in lower case.
  public var orderNumber: String?
  /// What the order was opened with.
  public var context: [String: String]
  /// The token that travelled with the purchase.
  public var appAccountToken: UUID?
  /// The account that the order belongs to.
  public var account: String?
  /// This installation of the app.
  public var installation: String?
  /// The signed transaction (StoreKit 2).
  public var signedTransaction: String?
  /// The app receipt (StoreKit 1).
  public var receipt: Data?

  init(
    _ record: TransactionRecord,
    reason: OrderNeedingAttention.Reason,
    order: Order?,
    installation: String?,
    receipt: [UInt8]?
  ) {
    contactReference = ContactReference.make(record.transactionId)
    transactionId = record.transactionId
    originalTransactionId = record.originalTransactionId
    productId = record.productId
    quantity = record.quantity
    purchaseDate = record.purchaseDate
    self.reason = reason
    attempts = record.attempts
    lastError = record.lastError
    orderNumber = record.orderNumber
    context = order?.context ?? [:]
    appAccountToken = record.appAccountToken
    account = order?.account?.rawValue
    self.installation = installation
    switch record.transaction.proof {
    case .jws(let text): signedTransaction = text.isEmpty ? nil : text
    case .receipt(let bytes): self.receipt = (bytes ?? receipt).map { Data($0) }
    }
  }
}

/// Short codes for talking about an order: eight letters and digits that look like no others.
///
/// - **Source:** Crockford's base 32, of the first 40 bits of SHA-1 over the transaction's id.
package enum ContactReference {
  private static let letters = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ")

  package static func make(_ transactionId: String) -> String {
    let bits = NameUUID.sha1(Array(transactionId.utf8)).prefix(5)
      .reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    let code = (0..<8).map { letters[Int(bits >> UInt64(35 - 5 * $0)) & 31] }
    return String(code[..<4]) + "-" + String(code[4...])
  }
}

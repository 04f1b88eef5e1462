import Foundation
import IAPModel
import IAPSignatures

/// Finds the purchase in a receipt that a request is about.
///
/// The identifier decides where the receipt has it. A restored copy has an identifier of its own
/// that no receipt shows: what is kept for ever or renews is then found by its product, the latest
/// period first. A consumable is never found by its product, for the next one has the same.
///
/// Source: facts/jws-and-receipts.md, sections 6.4, 7.1 and 8.
enum ReceiptMatch {
  /// What was found.
  enum Outcome: Equatable {
    case found(TransactionPayload)
    case failed(Rule, String)
  }

  static func find(
    _ transactionID: TransactionID?,
    _ productID: ProductID?,
    in purchases: [TransactionPayload]
  ) -> Outcome {
    guard !purchases.isEmpty else {
      return .failed(.matchingTransaction, "the receipt shows no purchase")
    }
    if let transactionID {
      if let exact = purchases.first(where: { $0.transactionID == transactionID }) {
        return check(exact, productID)
      }
      guard let productID, let latest = latest(purchases, of: productID, lasting: true) else {
        return .failed(.matchingTransaction, "the receipt does not show the transaction")
      }
      return .found(latest)
    }
    guard let latest = latest(purchases, of: productID, lasting: false) else {
      return .failed(.matchingProduct, "the receipt shows no purchase of the product")
    }
    return .found(latest)
  }

  private static func check(_ payload: TransactionPayload, _ productID: ProductID?) -> Outcome {
    guard let productID, payload.productID != productID else { return .found(payload) }
    return .failed(.matchingProduct, "the transaction is for another product")
  }

  /// The latest purchase; what was taken back comes behind what was not.
  private static func latest(
    _ purchases: [TransactionPayload],
    of productID: ProductID?,
    lasting: Bool
  ) -> TransactionPayload? {
    purchases
      .filter { productID == nil || $0.productID == productID }
      .filter { !lasting || $0.type == .nonConsumable || $0.type == .autoRenewable }
      .max { left, right in
        if (left.revocationDate == nil) != (right.revocationDate == nil) {
          return left.revocationDate != nil
        }
        return rank(left) < rank(right)
      }
  }

  private static func rank(_ payload: TransactionPayload) -> (Date, Date, TransactionID) {
    (payload.expiresDate ?? payload.purchaseDate, payload.purchaseDate, payload.transactionID)
  }
}

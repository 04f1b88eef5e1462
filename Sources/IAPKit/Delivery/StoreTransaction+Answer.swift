import Foundation
import IAPModel
import IAPSignatures

extension StoreTransaction {
  /// Whether an acceptance that names some transaction is about this one.
  ///
  /// No receipt of StoreKit 1 shows the identifier of a restored copy, nor that of lasting goods
  /// which the store gave once more without charging: a server then names the purchase that they
  /// stand for. A receipt that is older than the transaction shows purchases of before instead,
  /// which say nothing about one that was made since, after a refund perhaps.
  ///
  /// Periods of a subscription are told apart by the second in which they begin; see
  /// ``isPaidProductKnown``.
  ///
  /// - Parameter result: What a server accepted.
  /// - Returns: False when a newer receipt is needed.
  func isMeant(by result: ReceiptValidationResult) -> Bool {
    guard generation == .storekit1, type != .autoRenewable, let named = result.transactionId,
      named != transactionID.rawValue
    else { return true }
    let isCopyOrOriginal =
      storeState == .restored || originalTransactionID.rawValue == transactionID.rawValue
    if isCopyOrOriginal, result.originalTransactionId == originalTransactionID.rawValue {
      return true
    }
    // Another purchase was taken back: whether this one was, it does not say.
    guard result.revocationDate == nil else { return false }
    guard case .receipt(let bytes?) = proof, let receipt = ReceiptPayload(unverified: bytes),
      let created = receipt.creationDate
    else { return true }
    // Receipts tell time to the second.
    return created.timeIntervalSince1970 >= purchaseDate.timeIntervalSince1970.rounded(.down)
  }
}

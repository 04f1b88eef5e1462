public import Foundation
import IAPModel

/// What an app receipt said when it was last brought up to date.
public struct ReceiptSnapshot: Hashable, Sendable {
  /// When that was.
  public let creationDate: Date
  /// The purchases, oldest first.
  public let purchases: [StoreTransactionRecord]
}

/// Which purchases an app receipt lists.
///
/// - **Source:** the receipt facts, section 6.4.
enum ReceiptRule {
  /// Consumables until they are finished; everything else for ever, refunded ones too.
  ///
  /// A purchase that StoreKit 1 restored on the device is listed under the copy's identifier.
  static func purchases(
    held: [StoreTransactionRecord],
    copies: [StoreTransactionRecord]
  ) -> [StoreTransactionRecord] {
    var newest: [TransactionID: StoreTransactionRecord] = [:]
    for copy in copies {
      if let restored = copy.restoredFrom { newest[restored] = copy }
    }
    return held.compactMap { record in
      if record.type == .consumable, record.isFinished { return nil }
      guard var copy = newest[record.transactionID] else { return record }
      copy.revocationDate = record.revocationDate
      copy.revocationReason = record.revocationReason
      copy.revocationType = record.revocationType
      copy.revocationPercentage = record.revocationPercentage
      copy.isUpgraded = record.isUpgraded
      return copy
    }
  }
}

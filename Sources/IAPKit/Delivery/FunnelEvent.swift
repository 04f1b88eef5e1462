package import Foundation
package import IAPModel

/// What happened to a purchase on its way.
///
/// Everything here was made durable before it is told.
package enum FunnelEvent: Sendable {
  /// Goods are for the app: handed over by its handler, or, without one, accepted.
  case ready(Delivery.Kind, IAPTransactionResult)
  /// Saved, not yet judged.
  case saved(TransactionRecord)
  /// The signature does not hold, or the purchase is another user's: kept, and looked at again.
  case held(TransactionRecord)
  /// The server's verdict, accepted.
  case accepted(TransactionRecord, ReceiptValidationResult?)
  /// The server refused explicitly; this often so far.
  case rejected(TransactionRecord, ReceiptValidationResult)
  /// Tried again at this time.
  case retryScheduled(TransactionRecord, at: Date)
  /// StoreKit was told.
  case finished(TransactionRecord)
  /// Set aside for a person to look at.
  case quarantined(TransactionRecord)
  /// A StoreKit 1 transaction failed; its outcome is saved.
  case purchaseFailed(ProductID, IAPError)
  /// An order changed its state.
  case order(Order)
  /// A restore ended.
  case restoreEnded(IAPError?)
  /// The journal cannot be read or written.
  case storageFailed(IAPError)
  /// Records in the journal were damaged; their bytes were copied aside.
  case journalRepaired(damagedRecords: Int)
}

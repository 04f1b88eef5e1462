import IAPModel

/// Which purchases StoreKit 1 restores.
///
/// - **Source:** the lifecycle facts, section 13.
enum RestoreRule {
  /// Non-consumables and every period of subscriptions, finished and not taken back.
  ///
  /// What is still unfinished is in the queue already and is not restored beside it.
  static func restorable(_ held: [StoreTransactionRecord]) -> [StoreTransactionRecord] {
    held.filter { record in
      guard record.isFinished, record.revocationDate == nil else { return false }
      return record.type == .nonConsumable || record.type == .autoRenewable
    }
  }
}

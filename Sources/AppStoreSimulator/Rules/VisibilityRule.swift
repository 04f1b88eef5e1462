import IAPModel

/// What StoreKit 2 shows of an account's purchases.
///
/// - **Source:** the lifecycle facts, section 12.
enum VisibilityRule {
  /// `Transaction.all`: finished consumables are left out unless they were refunded.
  static func all(_ held: [StoreTransactionRecord]) -> [StoreTransactionRecord] {
    held.filter { record in
      record.type != .consumable || !record.isFinished || record.revocationDate != nil
    }
  }

  /// `Transaction.currentEntitlements`: owned non-consumables, the newest non-renewing purchase of
  /// each product for ever, and the newest period of subscriptions with access.
  static func currentEntitlements(
    _ held: [StoreTransactionRecord],
    subscriptions: [SubscriptionRecord]
  ) -> [StoreTransactionRecord] {
    let entitled = Set(subscriptions.filter(\.isEntitled).map(\.period.transactionID))
    var seen: Set<ProductID> = []
    let newestFirst = held.reversed().filter { record in
      guard record.revocationDate == nil, !record.isUpgraded else { return false }
      switch record.type {
      case .nonConsumable, .nonRenewable: return seen.insert(record.productID).inserted
      case .autoRenewable: return entitled.contains(record.transactionID)
      default: return false
      }
    }
    return newestFirst.reversed()
  }
}

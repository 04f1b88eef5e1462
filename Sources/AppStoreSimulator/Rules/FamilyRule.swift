import IAPModel

/// What the members of a family share.
///
/// - **Source:** the lifecycle facts, section 8.
enum FamilyRule {
  /// The most people in a family: the organiser and five members.
  static let memberCountMax = 6

  /// Whether a purchase is one that others of the family get.
  static func isShared(_ record: StoreTransactionRecord, _ product: CatalogProduct?) -> Bool {
    guard let product, product.isFamilyShareable, record.ownership == .purchased else {
      return false
    }
    return record.revocationDate == nil
      && (record.type == .nonConsumable || record.type == .autoRenewable)
  }

  /// How a member's period comes to be when the purchaser's does.
  static func kind(_ kind: PeriodKind, of copy: SubscriptionRecord?) -> PeriodKind {
    guard let copy else { return .first }
    return copy.isRunning ? (kind == .first ? .resubscribed : kind) : .resubscribed
  }
}

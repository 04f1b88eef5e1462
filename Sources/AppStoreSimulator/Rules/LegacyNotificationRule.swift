public import IAPModel

/// A type of version 1 of the notifications.
public struct LegacyNotificationType: OpenValue {
  /// The spelling in JSON.
  public let rawValue: String
  /// Makes the value from its spelling.
  public init(rawValue: String) { self.rawValue = rawValue }
  static let initialBuy = Self(rawValue: "INITIAL_BUY")
  static let interactiveRenewal = Self(rawValue: "INTERACTIVE_RENEWAL")
  static let didRenew = Self(rawValue: "DID_RENEW")
  static let didRecover = Self(rawValue: "DID_RECOVER")
  static let didFailToRenew = Self(rawValue: "DID_FAIL_TO_RENEW")
  static let didChangeRenewalPref = Self(rawValue: "DID_CHANGE_RENEWAL_PREF")
  static let didChangeRenewalStatus = Self(rawValue: "DID_CHANGE_RENEWAL_STATUS")
  static let cancel = Self(rawValue: "CANCEL")
  static let refund = Self(rawValue: "REFUND")
  static let revoke = Self(rawValue: "REVOKE")
  static let priceIncreaseConsent = Self(rawValue: "PRICE_INCREASE_CONSENT")
  static let consumptionRequest = Self(rawValue: "CONSUMPTION_REQUEST")
}

/// How version 1 says what version 2 says.
///
/// - **Source:** the notification facts, section 7.
enum LegacyNotificationRule {
  /// What the sandbox sends, to purchasers only.
  static let sandboxTypes: Set<LegacyNotificationType> = [
    .initialBuy, .didChangeRenewalPref, .didChangeRenewalStatus, .didRenew, .interactiveRenewal,
    .cancel, .refund,
  ]
  /// What members of a family are not told of.
  static let purchaserTypes: Set<LegacyNotificationType> = [
    .initialBuy, .cancel, .refund, .priceIncreaseConsent, .consumptionRequest,
  ]

  static func types(
    of record: NotificationRecord,
    environment: StoreEnvironment
  ) -> [LegacyNotificationType] {
    let isShared = record.transaction?.ownership == .familyShared
    return types(record).filter { type in
      if environment != .production, isShared || !sandboxTypes.contains(type) { return false }
      return !isShared || !purchaserTypes.contains(type)
    }
  }

  private static func types(_ record: NotificationRecord) -> [LegacyNotificationType] {
    switch (record.type, record.subtype) {
    case (.subscribed, .initialBuy?): [.initialBuy]
    case (.subscribed, _), (.offerRedeemed, .upgrade?): [.interactiveRenewal]
    case (.didRenew, .billingRecovery?): [.didRecover]
    case (.didRenew, _): [.didRenew]
    case (.didChangeRenewalPref, .upgrade?): [.didChangeRenewalStatus, .interactiveRenewal]
    case (.didChangeRenewalPref, _), (.offerRedeemed, .downgrade?): [.didChangeRenewalPref]
    // The end of a failed retry; version 1 has no word for other ends.
    case (.didChangeRenewalStatus, _), (.expired, .billingRetry?): [.didChangeRenewalStatus]
    case (.didFailToRenew, _): [.didFailToRenew]
    case (.priceIncrease, .pending?): [.priceIncreaseConsent]
    case (.refund, _):
      record.transaction?.type == .autoRenewable ? [.cancel, .didChangeRenewalStatus] : [.refund]
    case (.revoke, _): [.revoke]
    case (.consumptionRequest, _):
      record.transaction?.type == .consumable ? [.consumptionRequest] : []
    default: []
    }
  }
}

import Foundation
import IAPEntitlements
import IAPModel
import ServerStorage

// The App Store's words and ours, in words for people. An unknown word stands as it came.
extension NotificationType {
  var words: Words {
    switch self {
    case .subscribed: Words("Subscribed", zh: "订阅")
    case .didRenew: Words("Renewed", zh: "续订成功")
    case .didChangeRenewalPref: Words("Chose another plan", zh: "更改续订方案")
    case .didChangeRenewalStatus: Words("Renewal switched", zh: "更改自动续订状态")
    case .didFailToRenew: Words("Charge failed", zh: "续订扣款失败")
    case .gracePeriodExpired: Words("Grace period over", zh: "宽限期结束")
    case .expired: Words("Expired", zh: "订阅到期")
    case .offerRedeemed: Words("Offer redeemed", zh: "兑换优惠")
    case .priceIncrease: Words("Price increase", zh: "涨价")
    case .refund: Words("Refunded", zh: "已退款")
    case .refundDeclined: Words("Refund declined", zh: "退款被拒")
    case .refundReversed: Words("Refund reversed", zh: "退款撤销")
    case .consumptionRequest: Words("Asked how it was used", zh: "查询使用情况")
    case .revoke: Words("Family sharing ended", zh: "家人共享终止")
    case .renewalExtended: Words("Renewal extended", zh: "续订日期延长")
    case .renewalExtension: Words("Extension for many", zh: "批量延长")
    case .oneTimeCharge: Words("One-time charge", zh: "一次性购买")
    case .test: Words("Test", zh: "测试")
    default: Words(verbatim: rawValue)
    }
  }
}

extension NotificationSubtype {
  var words: Words {
    switch self {
    case .initialBuy: Words("first purchase", zh: "首次购买")
    case .resubscribe: Words("subscribed again", zh: "重新订阅")
    case .billingRecovery: Words("the charge succeeded at last", zh: "扣款恢复")
    case .upgrade: Words("upgrade", zh: "升级")
    case .downgrade: Words("downgrade", zh: "降级")
    case .autoRenewEnabled: Words("renewal switched on", zh: "开启自动续订")
    case .autoRenewDisabled: Words("renewal switched off", zh: "关闭自动续订")
    case .gracePeriod: Words("in the grace period", zh: "处于宽限期")
    case .voluntary: Words("the customer cancelled", zh: "客户取消")
    case .billingRetry: Words("after failed charges", zh: "多次扣款失败")
    default: Words(verbatim: rawValue.lowercased().replacing("_", with: " "))
    }
  }
}

extension ProductType {
  var words: Words {
    switch self {
    case .consumable: Words("consumable", zh: "消耗型")
    case .nonConsumable: Words("non-consumable", zh: "非消耗型")
    case .nonRenewable: Words("non-renewing subscription", zh: "非续期订阅")
    case .autoRenewable: Words("subscription", zh: "自动续期订阅")
    default: Words(verbatim: rawValue)
    }
  }
}

extension OfferType {
  var words: Words {
    switch self {
    case .introductory: Words("introductory offer", zh: "推介促销优惠")
    case .promotional: Words("promotional offer", zh: "促销优惠")
    case .code: Words("offer code", zh: "优惠代码")
    case .winBack: Words("win-back offer", zh: "赢回优惠")
    default: Words("another offer", zh: "其他优惠")
    }
  }
}

extension SubscriptionState.Phase {
  var words: Words {
    switch self {
    case .subscribed: Words("Subscribed", zh: "订阅中")
    case .inGracePeriod: Words("Grace period", zh: "宽限期")
    case .inBillingRetry: Words("Billing retry", zh: "扣款重试")
    case .expired: Words("Expired", zh: "已到期")
    case .revoked: Words("Revoked", zh: "已撤销")
    }
  }

  var mark: Mark {
    switch self {
    case .subscribed: .good
    case .inGracePeriod, .inBillingRetry: .warn
    case .expired: .off
    case .revoked: .bad
    }
  }
}

extension SubscriptionState.Reason {
  /// Why, as the second half of a sentence.
  var words: Words {
    switch self {
    case .paid: Words("the period is paid", zh: "本期已付款")
    case .paidUntilEnd:
      Words("the period is paid, and renewal is switched off", zh: "本期已付款，但已关闭自动续订")
    case .billingError: Words("the charge for the next period failed", zh: "下一期扣款失败")
    case .cancelled: Words("the customer cancelled", zh: "客户已取消")
    case .priceIncreaseNotAccepted:
      Words("the customer did not agree to a higher price", zh: "客户未同意涨价")
    case .productUnavailable: Words("the product was not for sale any more", zh: "商品已下架")
    case .other: Words("the App Store gives another reason", zh: "App Store 给出其他原因")
    case .periodOver:
      Words("the period is over and no renewal is known", zh: "本期已结束，且没有续订记录")
    case .upgraded: Words("the customer moved to another plan", zh: "客户已换到其他方案")
    case .refunded: Words("the App Store paid the customer back", zh: "App Store 已退款")
    case .familySharingEnded: Words("family sharing ended", zh: "家人共享已终止")
    default: Words(verbatim: rawValue)
    }
  }
}

extension EntitlementReason {
  /// Why there is no access, as a sentence without its subject.
  var lapsedWords: Words {
    switch self {
    case .expired: Words("its time is over", zh: "期限已过")
    case .inBillingRetry:
      Words(
        "the charge failed and there is no grace period; the App Store goes on trying for 60 days",
        zh: "扣款失败且没有宽限期；App Store 会在 60 天内继续重试"
      )
    case .revoked:
      Words(
        "the App Store took it back: a refund, or family sharing ended",
        zh: "已被 App Store 收回：退款或家人共享终止"
      )
    case .higherLevelHeld: Words("a higher level of the group counts instead", zh: "由同组更高级别代替")
    default: Words(verbatim: rawValue)
    }
  }

  /// Why there is access.
  var heldWords: Words {
    switch self {
    case .subscribed: Words("subscribed", zh: "订阅中")
    case .inGracePeriod: Words("in the grace period", zh: "宽限期内")
    case .owned: Words("owned for good", zh: "永久拥有")
    case .withinPeriod: Words("within its time", zh: "有效期内")
    default: Words(verbatim: rawValue)
    }
  }
}

extension ReviewRecord.State {
  var words: Words {
    switch self {
    case .open: Words("Open", zh: "待裁决")
    case .delivered: Words("Delivered", zh: "已放行")
    case .refused: Words("Refused", zh: "已拒绝")
    case .resolved: Words("Closed", zh: "已关闭")
    }
  }

  var mark: Mark {
    switch self {
    case .open: .warn
    case .delivered: .good
    case .refused: .bad
    case .resolved: .off
    }
  }
}

extension ReviewRecord.Kind {
  var words: Words {
    switch self {
    case .quarantine: Words("Set aside by the app", zh: "客户端隔离")
    case .contradiction: Words("Two contents under one name", zh: "内容矛盾")
    case .ownership: Words("Presented by another account", zh: "被其他账户出示")
    default: Words(verbatim: rawValue)
    }
  }
}

extension UnitEntry.Kind {
  var words: Words {
    switch self {
    case .grant: Words("Goods granted", zh: "已发放")
    case .clawback: Words("Goods taken back", zh: "已收回")
    case .regrant: Words("Goods granted again", zh: "已重新发放")
    }
  }

  var mark: Mark {
    switch self {
    case .grant, .regrant: .good
    case .clawback: .bad
    }
  }
}

extension EventType {
  var words: Words {
    switch self {
    case .granted: Words("The backend is told: bought", zh: "通知后端：已购买")
    case .renewed: Words("The backend is told: renewed", zh: "通知后端：已续订")
    case .clawedBack: Words("The backend is told: taken back", zh: "通知后端：已收回")
    case .regranted: Words("The backend is told: granted again", zh: "通知后端：重新发放")
    case .claimed: Words("Credited to this customer", zh: "归属此客户")
    case .transferredIn: Words("Came from another customer", zh: "由其他客户转入")
    case .transferredOut: Words("Went to another customer", zh: "转给其他客户")
    case .conflict: Words("Presented somebody else's purchase", zh: "出示了他人的购买")
    case .subscriptionChanged: Words("Subscription changed", zh: "订阅状态变化")
    case .entitlementsChanged: Words("Access changed", zh: "权益变化")
    case .refunded: Words("Refunded", zh: "已退款")
    case .refundDeclined: Words("Refund declined", zh: "退款被拒")
    case .refundReversed: Words("Refund reversed", zh: "退款撤销")
    case .consumptionRequested: Words("Asked how it was used", zh: "被询问使用情况")
    case .orderDelivered: Words("Handed over on a device", zh: "已在设备上交付")
    case .orderQuarantined: Words("Set aside by the app", zh: "被客户端隔离")
    case .reviewOpened: Words("A case was opened", zh: "建立案例")
    case .reviewResolved: Words("A case was decided", zh: "案例已裁决")
    default: Words(verbatim: rawValue)
    }
  }
}

import AppStoreSimulator
import IAPModel
import StoreKit

/// What the App Store has told an app process about its account.
struct MessageMemory {
  private enum Subject: Hashable {
    case billingIssue(OriginalTransactionID)
    case priceIncrease(OriginalTransactionID, Int64)
    case winBackOffer(OriginalTransactionID)

    var reason: Message.Reason {
      switch self {
      case .billingIssue: .billingIssue
      case .priceIncrease: .priceIncreaseConsent
      case .winBackOffer: .winBackOffer
      }
    }
  }

  private var told: Set<Subject> = []

  /// Takes the present state in.
  ///
  /// - Parameter subscriptions: All subscriptions of the account.
  /// - Returns: What is to be told now: each reason once, in a fixed order.
  mutating func takeNews(_ subscriptions: [SubscriptionStatusRecord]) -> [Message.Reason] {
    // Whatever a family member shares is the purchaser's business.
    let subjects = subscriptions.filter { $0.subscription.sharedFrom == nil }
      .flatMap(Self.subjects)
    let news = subjects.filter { !told.contains($0) }
    // What is over may come again.
    told = Set(subjects)
    let reasons: [Message.Reason] = [.billingIssue, .priceIncreaseConsent, .winBackOffer]
    return reasons.filter { reason in news.contains { $0.reason == reason } }
  }

  private static func subjects(_ status: SubscriptionStatusRecord) -> [Subject] {
    let original = status.subscription.originalTransactionID
    var subjects: [Subject] = []
    if status.status == .billingRetry || status.status == .gracePeriod {
      subjects.append(.billingIssue(original))
    }
    if let increase = status.unansweredIncrease {
      subjects.append(.priceIncrease(original, increase.priceMilliunits))
    }
    if status.renewalInfo.eligibleWinBackOfferIDs?.isEmpty == false {
      subjects.append(.winBackOffer(original))
    }
    return subjects
  }
}

extension SubscriptionStatusRecord {
  /// The higher price that the customer is asked about.
  var unansweredIncrease: PriceIncrease? {
    guard subscription.sharedFrom == nil, subscription.isRunning, subscription.willAutoRenew,
      let increase = subscription.priceIncrease, !increase.isAgreed
    else { return nil }
    return increase
  }
}

import Foundation
import IAPEntitlements
import IAPModel
import Testing

@Suite struct SubscriptionTests {
  private struct Outline: Equatable {
    var phase: SubscriptionState.Phase
    var reason: SubscriptionState.Reason
    var product: ProductID = "monthly"
    var since: Date
    var until: Date?
  }

  private func outline(_ facts: [StoreFact], at day: Double) -> Outline? {
    StoreHistory(facts).subscription("S", at: Make.date(day)).map {
      Outline(
        phase: $0.phase,
        reason: $0.reason,
        product: $0.productID,
        since: $0.since,
        until: $0.accessUntil
      )
    }
  }

  private func expected(
    _ phase: SubscriptionState.Phase,
    _ reason: SubscriptionState.Reason,
    product: ProductID = "monthly",
    since: Double,
    until: Double? = nil
  ) -> Outline {
    Outline(
      phase: phase,
      reason: reason,
      product: product,
      since: Make.date(since),
      until: until.map { Make.date($0) }
    )
  }

  @Test func paidPeriodRunsToItsEndExclusively() {
    let facts = [Make.period(1, from: 0, to: 30)]
    #expect(outline(facts, at: 29.999) == expected(.subscribed, .paid, since: 0, until: 30))
    #expect(outline(facts, at: 30) == expected(.expired, .periodOver, since: 30))
    #expect(outline([], at: 0) == nil)
  }

  @Test func renewalExtendsAccessEvenWhenChargedEarly() {
    let facts = [
      Make.period(1, from: 0, to: 30),
      Make.period(2, from: 30, to: 60, signed: 29.5, reason: .renewal),
    ]
    #expect(outline(facts, at: 29.6) == expected(.subscribed, .paid, since: 30, until: 60))
  }

  @Test func cancelledSubscriptionKeepsThePaidTime() {
    let facts = [
      Make.period(1, from: 0, to: 30),
      Make.renewal(signed: 5, renews: 30) { $0.willAutoRenew = false },
    ]
    #expect(outline(facts, at: 29) == expected(.subscribed, .paidUntilEnd, since: 0, until: 30))
    #expect(outline(facts, at: 31) == expected(.expired, .cancelled, since: 30))
  }

  @Test func graceKeepsAccessRetryDoesNotAndSixtyDaysEndIt() {
    let facts = [
      Make.period(1, from: 0, to: 30),
      Make.renewal(signed: 30, renews: 30) {
        $0.isInBillingRetryPeriod = true
        $0.gracePeriodExpiresDate = Make.date(46)
        $0.expirationIntent = .billingError
      },
    ]
    #expect(
      outline(facts, at: 45.9) == expected(.inGracePeriod, .billingError, since: 30, until: 46)
    )
    #expect(outline(facts, at: 46) == expected(.inBillingRetry, .billingError, since: 46))
    #expect(outline(facts, at: 89.9) == expected(.inBillingRetry, .billingError, since: 46))
    #expect(outline(facts, at: 90) == expected(.expired, .billingError, since: 90))
  }

  @Test func retryThatIsGivenUpOrCancelledEndsAtOnce() {
    let facts = [
      Make.period(1, from: 0, to: 30),
      Make.renewal(signed: 30, renews: 30) {
        $0.isInBillingRetryPeriod = true
        $0.gracePeriodExpiresDate = Make.date(46)
      },
      Make.renewal(signed: 35, renews: 30) {
        $0.isInBillingRetryPeriod = false
        $0.expirationIntent = .cancelled
      },
    ]
    #expect(outline(facts, at: 36) == expected(.expired, .cancelled, since: 30))
  }

  @Test func renewalInfoOfAnEarlierLapseDoesNotCount() {
    let facts = [
      Make.period(1, from: 0, to: 30),
      Make.renewal(signed: 30, renews: 30) { $0.isInBillingRetryPeriod = true },
      Make.period(2, from: 35, to: 65, reason: .renewal),
    ]
    #expect(outline(facts, at: 66) == expected(.expired, .periodOver, since: 65))
  }

  @Test(
    arguments: [
      (ExpirationIntent.cancelled, SubscriptionState.Reason.cancelled),
      (.billingError, .billingError), (.didNotConsentToPriceIncrease, .priceIncreaseNotAccepted),
      (.productUnavailable, .productUnavailable), (.other, .other),
      (ExpirationIntent(rawValue: 77), .other),
    ]
  )
  func reasonFollowsTheExpirationIntent(
    _ intent: ExpirationIntent,
    _ reason: SubscriptionState.Reason
  ) {
    let facts = [
      Make.period(1, from: 0, to: 30),
      Make.renewal(signed: 31, renews: 30) { $0.expirationIntent = intent },
    ]
    #expect(outline(facts, at: 31) == expected(.expired, reason, since: 30))
  }

  @Test func refundOfTheCurrentPeriodRevokesAndItsReversalGivesTheSameEndBack() {
    let bought = Make.period(1, from: 0, to: 30)
    let refunded = Make.period(1, from: 0, to: 30, signed: 11, revoked: 10)
    let reversed = Make.period(1, from: 0, to: 30, signed: 13)
    #expect(outline([bought, refunded], at: 12) == expected(.revoked, .refunded, since: 10))
    #expect(
      outline([bought, refunded, reversed], at: 14)
        == expected(.subscribed, .paid, since: 0, until: 30)
    )
  }

  @Test func refundOfAnOlderPeriodLeavesTheSubscriptionAlone() {
    let facts = [
      Make.period(1, from: 0, to: 30, signed: 41, revoked: 40),
      Make.period(2, from: 30, to: 60, reason: .renewal),
    ]
    #expect(outline(facts, at: 41) == expected(.subscribed, .paid, since: 30, until: 60))
  }

  @Test func endOfFamilySharingIsToldFromARefund() {
    let facts = [
      Make.period(1, from: 0, to: 30, signed: 11, revoked: 10) { $0.ownershipType = .familyShared }
    ]
    #expect(outline(facts, at: 12) == expected(.revoked, .familySharingEnded, since: 10))
  }

  @Test func upgradeReplacesAPlanThatWouldHaveLastedLonger() {
    let facts = [
      Make.period(1, from: 0, to: 365, product: "yearly"),
      Make.period(2, from: 10, to: 40, product: "premium"),
    ]
    let wanted = expected(.subscribed, .paid, product: "premium", since: 10, until: 40)
    #expect(outline(facts, at: 11) == wanted)
    // The refund of the upgrade does not bring the replaced plan back.
    let refunded =
      facts + [
        Make.period(2, from: 10, to: 40, product: "premium", signed: 13, revoked: 12)
      ]
    #expect(
      outline(refunded, at: 14) == expected(.revoked, .refunded, product: "premium", since: 12)
    )
  }

  @Test func upgradeBoughtAfterAnEarlyRenewalWins() {
    let facts = [
      Make.period(1, from: 0, to: 30),
      Make.period(2, from: 30, to: 60, signed: 29.2, reason: .renewal),
      Make.period(3, from: 29.5, to: 394, product: "yearly"),
    ]
    let wanted = expected(.subscribed, .paid, product: "yearly", since: 29.5, until: 394)
    #expect(outline(facts, at: 31) == wanted)
  }

  @Test func upgradeMarkEndsThePeriodWhateverItsDate() {
    let facts = [Make.period(1, from: 0, to: 365, signed: 10) { $0.isUpgraded = true }]
    #expect(outline(facts, at: 11) == expected(.expired, .upgraded, since: 365))
  }

  @Test func scheduledChangeIsShownBesideTheCurrentPlan() {
    let facts = [
      Make.period(1, from: 0, to: 30),
      Make.renewal(signed: 5, renews: 30) {
        $0.willAutoRenew = true
        $0.autoRenewProductID = "basic"
        $0.priceIncreaseStatus = PriceIncreaseStatus(rawValue: 0)
      },
    ]
    let state = StoreHistory(facts).subscription("S", at: Make.date(6))
    #expect(state?.productID == "monthly")
    #expect(state?.pendingProductID == "basic")
    #expect(state?.willAutoRenew == true)
    #expect(state?.priceIncreaseStatus?.rawValue == 0)
    #expect(state?.status == .active)
  }

  @Test func resubscriptionAfterALapseStartsAnew() {
    let facts = [Make.period(1, from: 0, to: 30), Make.period(2, from: 200, to: 230)]
    #expect(outline(facts, at: 100) == expected(.subscribed, .paid, since: 200, until: 230))
    #expect(outline(facts, at: 201) == expected(.subscribed, .paid, since: 200, until: 230))
    #expect(outline(facts, at: 231) == expected(.expired, .periodOver, since: 230))
  }

  @Test func lastNotificationIsTheOneSignedLast() {
    func notification(
      _ uuid: NotificationUUID,
      _ type: NotificationType,
      signed: Double
    )
      -> StoreFact
    {
      var context = NotificationContext(uuid: uuid, type: type)
      context.signedDate = Make.date(signed)
      context.originalTransactionID = "S"
      return .notification(context)
    }
    let facts = [
      notification("b", .didRenew, signed: 30), Make.period(1, from: 0, to: 30),
      notification("a", .subscribed, signed: 0),
    ]
    let state = StoreHistory(facts).subscription("S", at: Make.date(1))
    #expect(state?.lastNotification?.type == .didRenew)
  }
}

import Foundation
import IAPModel
import Testing

@testable import AppStoreSimulator

struct PurchaseRuleTests {
  let catalog: StoreCatalog

  init() throws { catalog = try DemoCatalog.load() }

  private func decide(
    _ product: ProductID,
    quantity: Int = 1,
    offer: OfferUse? = nil,
    _ holdings: PurchaseRule.Holdings = PurchaseRule.Holdings()
  ) -> PurchaseDecision {
    PurchaseRule.decide(catalog[product], quantity: quantity, offer: offer, holdings: holdings)
  }

  @Test(arguments: [
    (DemoCatalog.coins, 0, false), (DemoCatalog.coins, 1, true), (DemoCatalog.coins, 10, true),
    (DemoCatalog.coins, 11, false), (DemoCatalog.season, 10, true),
    (DemoCatalog.season, 11, false), (DemoCatalog.lifetime, 1, true),
    (DemoCatalog.lifetime, 2, false), (DemoCatalog.monthly, 1, true),
    (DemoCatalog.monthly, 2, false), (DemoCatalog.coins, -1, false),
  ])
  func quantityHasTheLimitsOfTheProductsKind(_ product: ProductID, _ quantity: Int, _ isSold: Bool)
  {
    let expected = isSold ? PurchaseDecision.sell(.first) : .refuse(.invalidQuantity)
    #expect(decide(product, quantity: quantity) == expected)
  }

  @Test func anUnknownProductOrOfferIsRefused() {
    #expect(decide("com.example.nothing") == .refuse(.productUnavailable))
    #expect(
      decide(DemoCatalog.monthly, offer: .promotional("half", nil))
        == .refuse(.invalidOfferIdentifier)
    )
  }

  @Test(arguments: [
    (SubscriptionPhase.active, true, DemoCatalog.monthly, "keep 1 alreadySubscribed"),
    (.active, false, DemoCatalog.monthly, "switch on 1"),
    (.grace(until: .distantFuture), true, DemoCatalog.monthly, "keep 1 alreadySubscribed"),
    (.active, true, DemoCatalog.yearly, "schedule 1"),
    (.retry, true, DemoCatalog.monthly, "resubscribe 1"),
    (.expired(.cancelled), false, DemoCatalog.monthly, "resubscribe 1"),
    (.expired(.cancelled), false, DemoCatalog.yearly, "resubscribe 1"),
    (.revoked, false, DemoCatalog.monthly, "resubscribe 1"),
  ])
  func aSubscriptionIsBoughtByWhatIsHeldInItsGroup(
    _ phase: SubscriptionPhase,
    _ autoRenew: Bool,
    _ product: ProductID,
    _ expected: String
  ) {
    var holdings = PurchaseRule.Holdings()
    var held = SubscriptionReducerTests.record(phase, autoRenew: autoRenew, next: "x")
    held.period = SubscriptionReducerTests.period(product: DemoCatalog.monthly)
    held.renewalProductID = DemoCatalog.monthly
    holdings.subscription = held
    holdings.subscribedProduct = catalog[DemoCatalog.monthly]
    let decision: String
    switch decide(product, holdings) {
    case .keep(let id, let reason): decision = "keep \(id) \(reason.rawValue)"
    case .switchAutoRenewOn(let id): decision = "switch on \(id)"
    case .schedule(let id, _): decision = "schedule \(id)"
    case .sell(.resubscribe(let id), nil): decision = "resubscribe \(id)"
    case .sell, .refuse, .scheduleOffer: decision = "something else"
    }
    #expect(decision == expected)
  }
}

struct PlanChangeRuleTests {
  @Test(arguments: [
    (2, "P1M", 1, "P1M", PlanChangeRule.Effect.atOnce),
    (2, "P1M", 1, "P1Y", .atOnce),
    (1, "P1M", 2, "P1M", .atRenewal),
    (1, "P1M", 1, "P1M", .atOnce),
    (1, "P1M", 1, "P1Y", .atRenewal),
  ])
  func upgradesAndEqualLengthsAreAtOnce(
    _ fromLevel: Int,
    _ fromPeriod: String,
    _ toLevel: Int,
    _ toPeriod: String,
    _ effect: PlanChangeRule.Effect
  ) throws {
    func product(_ level: Int, _ period: String) throws -> CatalogProduct {
      let text = """
        {"version":{"major":4,"minor":0},"subscriptionGroups":[{"id":"g","subscriptions":[
        {"productID":"p","type":"RecurringSubscription","groupNumber":\(level),
        "recurringSubscriptionPeriod":"\(period)","displayPrice":"1"}]}]}
        """
      return try #require(try StoreCatalog(parsing: Array(text.utf8), file: "x")["p"])
    }
    #expect(
      PlanChangeRule.change(
        from: try product(fromLevel, fromPeriod),
        to: try product(toLevel, toPeriod)
      ) == effect
    )
  }
}

struct RetryTimetableTests {
  let sent = Date(timeIntervalSince1970: 0)

  @Test(arguments: [(0, nil), (1, 1.0), (2, 12), (3, 24), (4, 48), (5, 72), (6, nil)])
  func productionTriesAgainAfterTheHoursOfTheTable(_ count: Int, _ hours: Double?) {
    #expect(
      RetryTimetable.production.nextAttempt(after: count, last: sent)
        == hours.map { sent.addingTimeInterval($0 * 3600) }
    )
    #expect(RetryTimetable.production.attemptCountMax == 6)
  }

  @Test func theSandboxTriesOnce() {
    #expect(RetryTimetable.sandbox.nextAttempt(after: 1, last: sent) == nil)
    #expect(RetryTimetable.sandbox.attemptCountMax == 1)
  }

  @Test(arguments: [
    (nil, false), (100, false), (199, false), (200, true), (206, true), (207, false),
    (301, false), (404, false), (500, false),
  ])
  func onlyAFewStatusesAreSuccess(_ status: Int?, _ isSuccess: Bool) {
    #expect(RetryTimetable.isSuccess(status) == isSuccess)
  }
}

struct OfferRuleTests {
  private func product(_ offer: String) throws -> CatalogProduct {
    let text = """
      {"version":{"major":4,"minor":0},"subscriptionGroups":[{"id":"g","subscriptions":[
      {"productID":"p","type":"RecurringSubscription","groupNumber":1,
      "recurringSubscriptionPeriod":"P1M","displayPrice":"10","introductoryOffer":\(offer)}]}]}
      """
    return try #require(try StoreCatalog(parsing: Array(text.utf8), file: "x")["p"])
  }

  @Test(arguments: [
    (#"{"paymentMode":"free","subscriptionPeriod":"P2W","numberOfPeriods":1}"#, "P2W", 0, 0),
    (
      #"{"paymentMode":"payUpFront","subscriptionPeriod":"P3M","displayPrice":"5"}"#, "P3M",
      5000, 0
    ),
    (
      #"""
      {"paymentMode":"payAsYouGo","subscriptionPeriod":"P1M","numberOfPeriods":3,
      "displayPrice":"2"}
      """#, "P1M", 2000, 2
    ),
  ])
  func theFirstPeriodFollowsThePaymentMode(
    _ offer: String,
    _ period: String,
    _ price: Int64,
    _ left: Int
  ) throws {
    let product = try product(offer)
    let plan = try #require(product.subscription)
    let conditions = OfferRule.firstPeriod(of: product, plan, isEligible: true)
    #expect(conditions.period.iso8601 == period)
    #expect(conditions.priceMilliunits == price)
    #expect(conditions.periodsLeft == left)
    #expect(conditions.offer?.type == .introductory)
    let full = OfferRule.firstPeriod(of: product, plan, isEligible: false)
    #expect(full.period.iso8601 == "P1M")
    #expect(full.priceMilliunits == 10_000)
    #expect(full.offer == nil)
  }
}

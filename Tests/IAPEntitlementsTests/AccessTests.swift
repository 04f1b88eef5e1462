import Foundation
import IAPEntitlements
import IAPModel
import Testing

@Suite struct AccessTests {
  private struct Outline: Equatable {
    var id: EntitlementID
    var product: ProductID
    var until: Double?
    var reason: EntitlementReason
  }

  private func access(
    _ facts: [StoreFact],
    at day: Double,
    _ catalog: EntitlementCatalog = .init()
  ) -> AccessReport {
    StoreHistory(facts).access(at: Make.date(day), catalog: catalog)
  }

  private func held(_ report: AccessReport) -> [Outline] {
    report.entitlements.map {
      Outline(
        id: $0.id,
        product: $0.productID,
        until: $0.until.map { $0.timeIntervalSince(Make.date(0)) / (24 * 60 * 60) },
        reason: $0.reason
      )
    }
  }

  @Test func productWithoutRuleOpensItsOwnName() {
    let facts = [StoreFact.transaction(Make.transaction("1", .nonConsumable, product: "pro"))]
    let report = access(facts, at: 1)
    #expect(held(report) == [Outline(id: "pro", product: "pro", until: nil, reason: .owned)])
    #expect(report.productIDs == ["pro"])
    #expect(report.nextChange == nil)
  }

  @Test func consumablesNeverGiveAccess() {
    let facts = [StoreFact.transaction(Make.transaction("1", .consumable))]
    #expect(access(facts, at: 1) == AccessReport.none)
  }

  @Test func familySharedProductsCount() {
    let facts = [
      StoreFact.transaction(
        Make.transaction("1", .nonConsumable, product: "pro") { $0.ownershipType = .familyShared }
      )
    ]
    #expect(access(facts, at: 1).entitlements.map(\.ownership) == [.familyShared])
  }

  @Test func refundRemovesAccessAndSaysSo() {
    let facts: [StoreFact] = [
      .transaction(Make.transaction("1", .nonConsumable, product: "pro")),
      .transaction(Make.transaction("1", .nonConsumable, product: "pro", signed: 3, revoked: 2)),
    ]
    let report = access(facts, at: 4)
    #expect(report.entitlements == [])
    #expect(report.lapsed.map(\.reason) == [.revoked])
    #expect(report.lapsed.map(\.since) == [Make.date(2)])
  }

  @Test func graceKeepsAccessAndRetryDoesNot() {
    let facts = [
      Make.period(1, from: 0, to: 30),
      Make.renewal(signed: 30, renews: 30) {
        $0.isInBillingRetryPeriod = true
        $0.gracePeriodExpiresDate = Make.date(46)
      },
    ]
    let during = access(facts, at: 40)
    #expect(
      held(during) == [
        Outline(id: "monthly", product: "monthly", until: 46, reason: .inGracePeriod)
      ]
    )
    #expect(during.nextChange == Make.date(46))
    #expect(access(facts, at: 50).lapsed.map(\.reason) == [.inBillingRetry])
  }

  @Test func severalProductsOpenOneEntitlementAndTheLongestAnswers() {
    let catalog = EntitlementCatalog(rules: [
      "monthly": .init(["premium"]), "lifetime": .init(["premium", "extras"]),
    ])
    let facts = [
      Make.period(1, from: 0, to: 30),
      .transaction(Make.transaction("9", .nonConsumable, product: "lifetime", bought: 3)),
    ]
    let report = access(facts, at: 4, catalog)
    #expect(
      held(report) == [
        Outline(id: "extras", product: "lifetime", until: nil, reason: .owned),
        Outline(id: "premium", product: "lifetime", until: nil, reason: .owned),
        Outline(id: "premium", product: "monthly", until: 30, reason: .subscribed),
      ]
    )
    #expect(report.access(to: "premium")?.productID == "lifetime")
    #expect(report.access(to: "unknown") == nil)
  }

  @Test func nonRenewingPurchasesFollowTheAppsPeriodOneAfterTheOther() {
    let catalog = EntitlementCatalog(rules: [
      "season": .init(["season"], accessPeriod: SubscriptionPeriod(10, .day))
    ])
    let facts = [(1, 0.0), (2, 4.0), (3, 50.0)].map { number, bought in
      StoreFact.transaction(
        Make.transaction(
          TransactionID("\(number)"),
          .nonRenewable,
          product: "season",
          bought: bought
        )
      )
    }
    let firstTwo = Array(facts.prefix(2))
    #expect(held(access(firstTwo, at: 19.9, catalog)).map(\.until) == [20])
    #expect(access(firstTwo, at: 20, catalog).lapsed.map(\.reason) == [.expired])
    #expect(held(access(facts, at: 51, catalog)).map(\.until) == [60])
    #expect(held(access(facts, at: 1_000)).map(\.until) == [nil])
  }

  @Test func highestLevelOfAGroupWinsWhenTheCatalogSaysSo() {
    var catalog = EntitlementCatalog(rules: [
      "gold": .init(["content"], level: 1), "silver": .init(["content"], level: 2),
    ])
    let facts = [("A", "silver", 60.0), ("B", "gold", 30.0)].map { original, product, end in
      StoreFact.transaction(
        Make.transaction(
          TransactionID(original),
          .autoRenewable,
          product: ProductID(product),
          line: WebOrderLineItemID(original),
          expires: end
        ) { $0.subscriptionGroupID = "G" }
      )
    }
    #expect(access(facts, at: 1, catalog).productIDs == ["gold", "silver"])
    catalog.onlyHighestLevelCounts = true
    #expect(access(facts, at: 1, catalog).productIDs == ["gold"])
    #expect(access(facts, at: 1, catalog).lapsed.map(\.reason) == [.higherLevelHeld])
    #expect(access(facts, at: 31, catalog).productIDs == ["silver"])
  }
}

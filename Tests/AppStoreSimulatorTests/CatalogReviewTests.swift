import Foundation
import IAPModel
import Testing

@testable import AppStoreSimulator

struct CatalogReviewTests {
  private func findings(_ text: String) -> [String] {
    CatalogReview(Array(text.utf8), file: "x.storekit").findings.map { finding in
      finding.place.isEmpty ? finding.kind.rawValue : "\(finding.kind.rawValue) \(finding.place)"
    }
  }

  private func product(_ more: String) -> String {
    """
    {"version":{"major":4},"products":[{"productID":"p","type":"Consumable","displayPrice":"1",
    "localizations":[{"locale":"en_US","displayName":"P","description":"Q"}]}\(more)]}
    """
  }

  private func plan(_ members: String) -> String {
    """
    {"version":{"major":4},"subscriptionGroups":[{"id":"g","subscriptions":[
    {"productID":"s","type":"RecurringSubscription",
    "localizations":[{"displayName":"P","description":"Q"}],\(members)}]}]}
    """
  }

  @Test func theDemonstrationHasNoMistakes() throws {
    let review = CatalogReview(Array(DemoCatalog.text.utf8), file: "Demo.storekit")
    #expect(review.findings.filter { $0.severity == .error } == [])
    #expect(review.catalog == (try DemoCatalog.load()))
  }

  @Test(arguments: [
    ("not json", ["unreadable"]),
    (#"{"products":[]}"#, ["unreadable"]),
    (#"{"version":{"major":9},"products":[]}"#, ["refused"]),
  ])
  func whatIsNoFileIsSaid(_ text: String, _ expected: [String]) {
    #expect(findings(text) == expected)
  }

  @Test(
    arguments: [
      (
        #"{"productID":"p","type":"NonConsumable","displayPrice":"1"}"#,
        ["duplicateProductID products[1].productID", "noTexts products[1].localizations"]
      ),
      (
        #"{"productID":"a b","type":"NonConsumable","displayPrice":"1,5"}"#,
        [
          "badProductID products[1].productID", "badPrice products[1].displayPrice",
          "noTexts products[1].localizations",
        ]
      ),
      (
        #"{"productID":"c","type":"Consumable","familyShareable":true,"localizations":[{}]}"#,
        [
          "noPrice products[1].displayPrice", "emptyText products[1].localizations[0].displayName",
          "emptyText products[1].localizations[0].description",
          "wrongSharing products[1].familyShareable",
        ]
      ),
    ] as [(String, [String])]
  )
  func everyMistakeOfAProductIsFound(_ more: String, _ expected: [String]) {
    #expect(findings(product("," + more)) == expected)
  }

  @Test(arguments: [(100, true), (101, false)])
  func anIdentifierHasAMostLength(_ length: Int, _ isGood: Bool) {
    let id = String(repeating: "x", count: length)
    let text = product(
      #",{"productID":"\#(id)","type":"Consumable","displayPrice":"1","localizations":[{"displayName":"P","description":"Q"}]}"#
    )
    #expect(findings(text).isEmpty == isGood)
  }

  private static let place = "subscriptionGroups[0].subscriptions[0]"

  @Test(
    arguments: [
      (#""displayPrice":"1","groupNumber":1,"recurringSubscriptionPeriod":"P1M""#, []),
      (#""displayPrice":"1","recurringSubscriptionPeriod":"P1M""#, ["noLevel .groupNumber"]),
      (
        #""displayPrice":"1","groupNumber":0,"recurringSubscriptionPeriod":"P1M""#,
        ["badLevel .groupNumber"]
      ),
      (
        #""displayPrice":"1","groupNumber":1,"recurringSubscriptionPeriod":"P5M""#,
        ["badPeriod .recurringSubscriptionPeriod"]
      ),
      (
        #""displayPrice":"0.00","groupNumber":1,"recurringSubscriptionPeriod":"P1M""#,
        ["freeSubscription .displayPrice"]
      ),
      (
        #""displayPrice":"1","groupNumber":1,"recurringSubscriptionPeriod":"P1M","subscriptionGroupID":"h""#,
        ["wrongGroup .subscriptionGroupID"]
      ),
      (
        #""displayPrice":"1","groupNumber":1,"recurringSubscriptionPeriod":"P1M","introductoryOffer":{"paymentMode":"payUpFront","subscriptionPeriod":"P1M"}"#,
        ["offerWithoutPrice .introductoryOffer.displayPrice"]
      ),
      (
        #""displayPrice":"1","groupNumber":1,"recurringSubscriptionPeriod":"P1M","adHocOffers":[{"offerID":"a b","paymentMode":"payAsYouGo","subscriptionPeriod":"P1W","displayPrice":"1"},{"offerID":"a b","paymentMode":"free","subscriptionPeriod":"P4W"}]"#,
        [
          "offerPeriodDiffers .adHocOffers[0].subscriptionPeriod",
          "badOfferID .adHocOffers[0].offerID",
          "badOfferPeriod .adHocOffers[1].subscriptionPeriod", "badOfferID .adHocOffers[1].offerID",
          "duplicateOfferID .adHocOffers[1].offerID",
        ]
      ),
    ] as [(String, [String])]
  )
  func everyMistakeOfASubscriptionIsFound(_ members: String, _ expected: [String]) {
    let found = findings(plan(members)).map {
      $0.replacingOccurrences(of: Self.place, with: "")
    }
    #expect(found == expected)
  }

  @Test func whatTheFileCannotSayIsSaidBesideIt() {
    let review = CatalogReview(
      Array(product("").utf8),
      file: "x.storekit",
      retired: ["p", "q"],
      pictured: []
    )
    #expect(review.findings.map(\.kind) == [.retiredProductID, .noReviewPicture])
    #expect(review.findings.map(\.severity) == [.error, .warning])
    let good = CatalogReview(
      Array(product("").utf8),
      file: "x.storekit",
      retired: ["P"],
      pictured: ["p"]
    )
    #expect(good.findings == [])
  }

  @Test func everyKindHasASeverity() {
    for kind in CatalogFinding.Kind.allCases {
      let finding = CatalogFinding(kind: kind, place: "", seen: "")
      #expect([.error, .warning].contains(finding.severity))
    }
  }
}

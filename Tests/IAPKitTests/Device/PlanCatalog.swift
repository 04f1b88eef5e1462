import AppStoreSimulator
import Foundation
import IAPModel

/// Two levels of one group, with every kind of offer, and coins.
enum PlanCatalog {
  static let gold: ProductID = "gold"
  static let silver: ProductID = "silver"
  static let coins: ProductID = "coins"

  /// The text of its configuration file.
  static var text: String {
    let offers = """
      "introductoryOffer":{"paymentMode":"free","subscriptionPeriod":"P1W"},
      "adHocOffers":[{"offerID":"half","paymentMode":"payAsYouGo","subscriptionPeriod":"P1M",
      "numberOfPeriods":2,"displayPrice":"2.5"}],
      "codeOffers":[{"referenceName":"WELCOME","paymentMode":"free","subscriptionPeriod":"P1M",
      "eligibility":["new","existing","expired"]}],
      "winbackOffers":[{"offerID":"please","paymentMode":"payUpFront",
      "subscriptionPeriod":"P1M","displayPrice":"1"}]
      """
    func plan(_ id: ProductID, _ level: Int, _ price: String) -> String {
      """
      {"productID":"\(id)","type":"RecurringSubscription","groupNumber":\(level),
      "recurringSubscriptionPeriod":"P1M","displayPrice":"\(price)",\(offers)}
      """
    }
    return """
      {"identifier":"PLANS","version":{"major":4,"minor":0},
      "products":[{"productID":"\(coins)","type":"Consumable","displayPrice":"0.99"}],
      "nonRenewingSubscriptions":[],
      "subscriptionGroups":[{"id":"20","name":"Plans",
      "subscriptions":[\(plan(gold, 1, "10")),\(plan(silver, 2, "5"))]}],
      "settings":{"_storefront":"USA","_locale":"en_US"}}
      """
  }
}

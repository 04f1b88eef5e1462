import AppStoreSimulator
import Foundation
import IAPModel

/// A catalog with every kind of offer, two levels and a product that is not shared.
enum RulesCatalog {
  static let gold: ProductID = "gold.monthly"
  static let goldAlone: ProductID = "gold.alone"
  static let silver: ProductID = "silver.monthly"
  static let silverYear: ProductID = "silver.yearly"
  static let silverTwin: ProductID = "silver.twin"
  static let weekly: ProductID = "silver.weekly"
  static let book: ProductID = "book"
  static let coins: ProductID = "coins"

  static let offers = """
    "introductoryOffer":{"paymentMode":"free","subscriptionPeriod":"P1W"},
    "adHocOffers":[
    {"offerID":"half","paymentMode":"payAsYouGo","subscriptionPeriod":"P1M",
    "numberOfPeriods":2,"displayPrice":"2.5"},
    {"offerID":"upfront","paymentMode":"payUpFront","subscriptionPeriod":"P3M",
    "displayPrice":"6"}],
    "codeOffers":[
    {"referenceName":"NEW","paymentMode":"free","subscriptionPeriod":"P1M","eligibility":["new"]},
    {"referenceName":"BACK","paymentMode":"free","subscriptionPeriod":"P1M",
    "eligibility":["expired"]},
    {"referenceName":"STAY","paymentMode":"free","subscriptionPeriod":"P1M",
    "eligibility":["existing"]},
    {"referenceName":"STACK","paymentMode":"payUpFront","subscriptionPeriod":"P1M",
    "displayPrice":"1","isStackable":true}],
    "winbackOffers":[
    {"offerID":"please","paymentMode":"payUpFront","subscriptionPeriod":"P1M","displayPrice":"1"},
    {"offerID":"never","paymentMode":"free","subscriptionPeriod":"P1M","isEligible":false}]
    """

  static func load() throws -> StoreCatalog {
    func plan(
      _ id: ProductID,
      _ level: Int,
      _ period: String,
      _ price: String,
      _ more: String
    )
      -> String
    {
      """
      {"productID":"\(id)","type":"RecurringSubscription","groupNumber":\(level),
      "recurringSubscriptionPeriod":"\(period)","displayPrice":"\(price)"\(more)}
      """
    }
    let shared = #","familyShareable":true"#
    let plans = [
      plan(gold, 1, "P1M", "10", shared + "," + offers),
      plan(goldAlone, 1, "P1M", "9", ""),
      plan(silver, 2, "P1M", "5", shared + "," + offers),
      plan(silverYear, 2, "P1Y", "50", shared),
      plan(silverTwin, 2, "P1M", "5", shared),
      plan(weekly, 3, "P1W", "2", "," + offers),
    ]
    let text = """
      {"version":{"major":4,"minor":0},
      "products":[
      {"productID":"\(book)","type":"NonConsumable","displayPrice":"3","familyShareable":true},
      {"productID":"\(coins)","type":"Consumable","displayPrice":"1"}],
      "subscriptionGroups":[{"id":"group","subscriptions":[\(plans.joined(separator: ","))]}]}
      """
    return try StoreCatalog(parsing: Array(text.utf8), file: "rules")
  }
}

extension TestStore {
  /// A store with the catalog of the rules.
  static func rules(
    seed: UInt64 = 7,
    environment: StoreEnvironment = .sandbox,
    _ options: (inout StoreOptions) -> Void = { _ in }
  ) throws -> TestStore {
    try TestStore(
      seed: seed,
      environment: environment,
      catalog: try RulesCatalog.load()
    ) {
      $0.acceptsUnsignedOffers = true
      options(&$0)
    }
  }

  @discardableResult
  func buy(
    _ product: ProductID,
    with offer: OfferUse,
    on device: DeviceID? = nil
  ) throws -> PurchaseOutcome {
    try store.purchase(
      PurchaseRequest(device: device ?? phone, productID: product, offerUse: offer)
    )
  }

  /// The newest notification.
  var lastNotification: NotificationRecord? { store.notifications.last }

  var subscription: SubscriptionRecord {
    get throws {
      guard let first = store.subscriptions.first else { throw NoSubscription() }
      return first
    }
  }

  struct NoSubscription: Error {}
}

extension PurchaseOutcome {
  /// The transaction that was charged for.
  var bought: StoreTransactionRecord {
    get throws {
      guard case .purchased(let record) = self else { throw TestStore.NotBought(outcome: self) }
      return record
    }
  }
}

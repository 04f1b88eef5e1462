import Foundation
import IAPModel

@testable import AppStoreSimulator

/// A simulated store in which everything happens that the store can announce.
enum EventfulStore {
  static let gold: ProductID = "gold.monthly"
  static let silver: ProductID = "silver.monthly"
  static let weekly: ProductID = "silver.weekly"
  static let coins: ProductID = "coins"
  static let device: DeviceID = "phone"
  static let account: AccountID = "mia"
  private static let day: TimeInterval = 86_400

  private static let catalog = """
    {"version":{"major":4,"minor":0},
    "products":[{"productID":"coins","type":"Consumable","displayPrice":"1"}],
    "subscriptionGroups":[{"id":"group","subscriptions":[
    {"productID":"gold.monthly","type":"RecurringSubscription","groupNumber":1,
    "recurringSubscriptionPeriod":"P1M","displayPrice":"10","familyShareable":true,
    "adHocOffers":[{"offerID":"half","paymentMode":"payAsYouGo","subscriptionPeriod":"P1M",
    "numberOfPeriods":2,"displayPrice":"2.5"}]},
    {"productID":"silver.monthly","type":"RecurringSubscription","groupNumber":2,
    "recurringSubscriptionPeriod":"P1M","displayPrice":"5","familyShareable":true,
    "introductoryOffer":{"paymentMode":"free","subscriptionPeriod":"P1W"},
    "adHocOffers":[{"offerID":"half","paymentMode":"payAsYouGo","subscriptionPeriod":"P1M",
    "numberOfPeriods":2,"displayPrice":"2.5"}]},
    {"productID":"silver.weekly","type":"RecurringSubscription","groupNumber":3,
    "recurringSubscriptionPeriod":"P1W","displayPrice":"2"}]}]}
    """

  static func make(
    seed: UInt64 = 7,
    _ change: (inout StoreOptions) -> Void = { _ in }
  ) throws -> SimulatedAppStore {
    var options = StoreOptions(environment: .sandbox)
    options.acceptsUnsignedOffers = true
    change(&options)
    let store = try SimulatedAppStore(
      configuration: StoreConfiguration(
        catalog: try StoreCatalog(parsing: Array(catalog.utf8), file: "eventful"),
        bundleID: DemoCatalog.bundleID,
        appAppleID: DemoCatalog.appAppleID,
        environment: .sandbox,
        seed: seed,
        start: TestServer.start,
        options: options
      ),
      signing: TestServer.sharedCrypto
    )
    try store.addAccount(account)
    try store.addAccount("noah")
    try store.addDevice(device, account: account)
    try store.addDevice("noah-phone", account: "noah")
    try store.setNotificationURL(URL(string: "http://server.test/"))
    return store
  }

  struct NotBought: Error { let outcome: PurchaseOutcome }

  @discardableResult
  private static func buy(
    _ store: SimulatedAppStore,
    _ product: ProductID,
    _ offer: OfferUse? = nil
  ) throws -> StoreTransactionRecord {
    let outcome = try store.purchase(
      PurchaseRequest(
        device: device,
        productID: product,
        appAccountToken: AppAccountToken("7e3fb20b-4cdb-47cc-936d-99d65f608138"),
        offerUse: offer
      )
    )
    guard case .purchased(let record) = outcome else { throw NotBought(outcome: outcome) }
    return record
  }

  /// A store in which a notification of that type and subtype was made, among others.
  ///
  /// - Parameter name: The type, and behind a slash the subtype.
  /// - Returns: The store; nil when nothing here makes such a notification.
  static func living(_ name: String) throws -> SimulatedAppStore? {
    let store = try make { options in
      options.keepsGraceDate = name == "GRACE_PERIOD_EXPIRED"
    }
    if name.contains("GRACE_PERIOD") { try store.setGracePeriod(GraceSettings(days: 3)) }
    let isDone =
      try subscribe(name, store) || bill(name, store) || price(name, store)
      || takeBack(name, store) || askServer(name, store)
    return isDone ? store : nil
  }

  private static func subscribe(_ name: String, _ store: SimulatedAppStore) throws -> Bool {
    switch name {
    case "SUBSCRIBED/INITIAL_BUY", "SUBSCRIBED/RESUBSCRIBE", "EXPIRED/VOLUNTARY":
      try store.setAutoRenew(false, of: buy(store, weekly).originalTransactionID)
      store.clock.advance(by: 8 * day)
      try buy(store, silver)
    case "DID_CHANGE_RENEWAL_PREF/UPGRADE", "DID_CHANGE_RENEWAL_PREF/DOWNGRADE",
      "DID_CHANGE_RENEWAL_PREF":
      try buy(store, silver)
      try buy(store, gold)
      _ = try store.purchase(PurchaseRequest(device: device, productID: weekly))
      _ = try store.purchase(PurchaseRequest(device: device, productID: gold))
      store.clock.advance(by: 40 * day)
    case "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED",
      "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_ENABLED":
      let original = try buy(store, silver).originalTransactionID
      for isOn in [false, true, false, true] { try store.setAutoRenew(isOn, of: original) }
      store.clock.advance(by: 40 * day)
    case "OFFER_REDEEMED":
      try store.setAutoRenew(false, of: buy(store, weekly).originalTransactionID)
      store.clock.advance(by: 8 * day)
      try buy(store, silver)
      _ = try store.purchase(
        PurchaseRequest(device: device, productID: silver, offerUse: .promotional("half", nil))
      )
    case "OFFER_REDEEMED/UPGRADE":
      try buy(store, silver)
      try buy(store, gold, .promotional("half", nil))
      store.clock.advance(by: 70 * day)
    case "OFFER_REDEEMED/DOWNGRADE":
      try buy(store, gold)
      _ = try store.purchase(
        PurchaseRequest(device: device, productID: silver, offerUse: .promotional("half", nil))
      )
      store.clock.advance(by: 70 * day)
    default: return false
    }
    return true
  }

  private static func bill(_ name: String, _ store: SimulatedAppStore) throws -> Bool {
    switch name {
    case "DID_RENEW":
      try buy(store, weekly)
      store.clock.advance(by: 30 * day)
    case "DID_RENEW/BILLING_RECOVERY", "DID_FAIL_TO_RENEW", "EXPIRED/BILLING_RETRY",
      "DID_FAIL_TO_RENEW/GRACE_PERIOD", "GRACE_PERIOD_EXPIRED":
      try buy(store, weekly)
      try store.setPayment(works: false, of: account)
      store.clock.advance(by: (name == "EXPIRED/BILLING_RETRY" ? 90 : 15) * day)
      try store.setPayment(works: true, of: account)
      store.clock.advance(by: 15 * day)
    case "EXPIRED": try store.expire(buy(store, silver).originalTransactionID)
    case "ONE_TIME_CHARGE":
      for _ in 0..<3 { try buy(store, coins) }
    case "TEST":
      try buy(store, coins)
      try store.requestTestNotification()
    default: return false
    }
    return true
  }

  private static func price(_ name: String, _ store: SimulatedAppStore) throws -> Bool {
    switch name {
    case "EXPIRED/PRICE_INCREASE", "PRICE_INCREASE/PENDING", "PRICE_INCREASE/ACCEPTED":
      let original = try buy(store, silver).originalTransactionID
      try store.setPrice(20_000, of: silver, existing: .raise)
      if name.hasSuffix("ACCEPTED") { try store.answerPriceIncrease(true, of: original) }
      store.clock.advance(by: 40 * day)
    case "EXPIRED/PRODUCT_NOT_FOR_SALE":
      try buy(store, silver)
      try store.setForSale(false, silver)
      store.clock.advance(by: 40 * day)
    case "RENEWAL_EXTENDED":
      let original = try buy(store, weekly).originalTransactionID
      store.clock.advance(by: 10 * day)
      _ = try store.extendRenewal(of: original, days: 10, reason: 3, request: "r")
      store.clock.advance(by: 30 * day)
    case "RENEWAL_EXTENSION/SUMMARY", "RENEWAL_EXTENSION/FAILURE":
      try buy(store, silver)
      _ = try store.extendRenewals(
        of: silver,
        app: DemoCatalog.bundleID,
        days: 10,
        reason: 3,
        request: "r",
        countries: ["USA"]
      )
      store.clock.advance(by: day)
    case "METADATA_UPDATE", "PRICE_CHANGE", "MIGRATION":
      let first = try buy(store, silver).transactionID
      let commerce =
        name == "MIGRATION"
        ? CommerceDetails(previousOriginalTransactionID: "42")
        : CommerceDetails(info: ["requestReferenceId": "r"])
      try store.emitNotification(NotificationType(rawValue: name), about: first, commerce: commerce)
      store.clock.advance(by: 40 * day)
    default: return false
    }
    return true
  }

  private static func takeBack(_ name: String, _ store: SimulatedAppStore) throws -> Bool {
    switch name {
    case "REFUND", "REFUND_REVERSED":
      for product in [silver, coins] {
        let id = try buy(store, product).transactionID
        for _ in 0..<2 {
          try store.refund(id)
          store.clock.advance(by: day)
          try store.reverseRefund(id)
          store.clock.advance(by: day)
        }
      }
    case "REFUND_DECLINED", "CONSUMPTION_REQUEST":
      let id = try buy(store, coins).transactionID
      try store.requestRefund(id)
      try store.declineRefund(id)
    case "REVOKE":
      try store.addFamily("home", organizer: account)
      try store.joinFamily("home", "noah")
      let id = try buy(store, silver).transactionID
      store.clock.advance(by: day)
      try store.refund(id)
    default: return false
    }
    return true
  }

  private static func askServer(_ name: String, _ store: SimulatedAppStore) throws -> Bool {
    switch name {
    case "EXTERNAL_PURCHASE_TOKEN/UNREPORTED":
      let token: JSONObject = [
        "externalPurchaseId": "SANDBOX_1", "tokenCreationDate": 1_767_268_800_000,
        "appAppleId": .integer(DemoCatalog.appAppleID.rawValue),
        "bundleId": .string(DemoCatalog.bundleID.rawValue),
      ]
      try store.emitNotification(
        .externalPurchaseToken,
        .unreported,
        subject: .externalPurchaseToken(token)
      )
    case "RESCIND_CONSENT":
      try buy(store, coins)
      try store.emitNotification(.rescindConsent, subject: .appTransaction(device))
    default: return false
    }
    return true
  }
}

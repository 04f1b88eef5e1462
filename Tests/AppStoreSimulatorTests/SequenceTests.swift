import Foundation
import IAPModel
import Testing

@testable import AppStoreSimulator

/// A notification with what is signed inside of it.
struct Opened {
  let name: String
  let data: JSONObject
  let transaction: JSONObject?
  let renewal: JSONObject?

  init(_ jws: String) throws {
    let outer = try Signed.payload(of: jws)
    name = [outer["notificationType"]?.stringValue, outer["subtype"]?.stringValue]
      .compactMap { $0 }.joined(separator: "/")
    data = outer["data"]?.objectValue ?? [:]
    transaction = try data["signedTransactionInfo"]?.stringValue.map { try Signed.payload(of: $0) }
    renewal = try data["signedRenewalInfo"]?.stringValue.map { try Signed.payload(of: $0) }
  }
}

extension JSONObject {
  fileprivate var names: Set<String> { Set(members.map(\.name)) }
}

extension TestStore {
  func opened() throws -> [Opened] {
    try store.notifications.map { try Opened(try store.signedNotification($0)) }
  }

  /// Buys with a token, as all purchasers of the vectors do.
  @discardableResult
  func buyWithToken(_ product: ProductID) throws -> StoreTransactionRecord {
    let token = try #require(AppAccountToken("7e3fb20b-4cdb-47cc-936d-99d65f608138"))
    let request = PurchaseRequest(device: phone, productID: product, appAccountToken: token)
    guard case .purchased(let record) = try store.purchase(request) else {
      throw NotBought(outcome: .failed(.paymentFailed))
    }
    return record
  }
}

/// The lives that the vectors tell, each driven by commands to the store.
@Suite(.enabled(if: Vectors.folder != nil, "set IAP_VECTORS to the folder of vectors"))
struct SequenceTests {
  static let monthly: ProductID = "com.example.monthly"
  static let yearly: ProductID = "com.example.yearly"
  static let coins: ProductID = "com.example.coins100"

  private static func store(_ options: (inout StoreOptions) -> Void = { _ in }) throws -> TestStore
  {
    let text = """
      {"version":{"major":4,"minor":0},"products":[
      {"productID":"\(coins)","type":"Consumable","displayPrice":"0.99"}],
      "subscriptionGroups":[{"id":"20000001","subscriptions":[
      {"productID":"\(yearly)","type":"RecurringSubscription","groupNumber":1,
      "recurringSubscriptionPeriod":"P1Y","displayPrice":"59.99"},
      {"productID":"\(monthly)","type":"RecurringSubscription","groupNumber":2,
      "familyShareable":true,"recurringSubscriptionPeriod":"P1M","displayPrice":"9.99"}]}]}
      """
    return try TestStore(
      catalog: try StoreCatalog(parsing: Array(text.utf8), file: "sequence"),
      options: options
    )
  }

  private static func life(_ name: String) throws -> TestStore {
    switch name {
    case "a": return try graceAndRefund()
    case "b":
      let test = try store()
      try test.store.addFamily("home", organizer: test.account)
      try test.store.joinFamily("home", test.other)
      try test.buyWithToken(monthly)
      test.store.clock.advance(by: 10 * day)
      try test.buyWithToken(yearly)
      return test
    case "d":
      let test = try store()
      let original = try test.buyWithToken(yearly).originalTransactionID
      try test.store.setAutoRenew(false, of: original)
      test.store.clock.advance(by: day)
      try test.store.purchase(PurchaseRequest(device: test.phone, productID: monthly))
      test.store.clock.advance(by: day)
      try test.store.purchase(PurchaseRequest(device: test.phone, productID: yearly))
      return test
    case "f":
      let test = try store()
      let id = try test.buyWithToken(coins).transactionID
      try test.store.requestRefund(id, reason: .unintendedPurchase)
      try test.store.declineRefund(id)
      try test.store.refund(id)
      try test.store.reverseRefund(id)
      return test
    case "g":
      let test = try store()
      let original = try test.buyWithToken(monthly).originalTransactionID
      try test.store.setAutoRenew(false, of: original)
      test.store.clock.advance(by: 40 * day)
      try test.buyWithToken(yearly)
      return test
    default:
      let test = try store()
      try test.buyWithToken(monthly)
      try test.store.setPrice(12_990, of: monthly, existing: .raiseWithConsent)
      test.store.clock.advance(by: 40 * day)
      return test
    }
  }

  private static func graceAndRefund() throws -> TestStore {
    let test = try store {
      $0.gracePeriod = 16 * day
      $0.refundKeepsAutoRenew = true
    }
    let original = try test.buyWithToken(monthly).originalTransactionID
    try test.store.setAutoRenew(false, of: original)
    try test.store.setAutoRenew(true, of: original)
    try test.store.setPayment(works: false, of: test.account)
    test.store.clock.advance(by: 50 * day)
    try test.store.setPayment(works: true, of: test.account)
    let recovered = try #require(test.store.transactions(of: test.account).last)
    try test.store.refund(recovered.transactionID, reason: .developerIssue)
    try test.store.reverseRefund(recovered.transactionID)
    try test.store.setPayment(works: false, of: test.account)
    test.store.clock.advance(by: 120 * day)
    return test
  }

  /// Where the facts and a vector disagree, the facts win: what has ended does not renew.
  private static let surplus: [String: Set<String>] = ["EXPIRED/BILLING_RETRY": ["renewalPrice"]]

  @Test(arguments: ["a", "b", "d", "f", "g", "j"])
  func everySequenceOfTheVectorsIsProducedByCommands(_ name: String) throws {
    let folder = try #require(Vectors.folder).deletingLastPathComponent()
      .appending(path: "derived-jws/sequence-\(name)")
    let files = try FileManager.default.contentsOfDirectory(
      at: folder,
      includingPropertiesForKeys: nil
    ).filter { $0.pathExtension == "jws" }.sorted { $0.path < $1.path }
    #expect(!files.isEmpty)
    let made = try Self.life(name).opened()
    var rest = made[...]
    for file in files {
      let text = try String(decoding: Data(contentsOf: file), as: UTF8.self)
      let wanted = try Opened(text.trimmingCharacters(in: .whitespacesAndNewlines))
      guard let place = rest.firstIndex(where: { $0.name == wanted.name }) else {
        Issue.record("\(file.lastPathComponent) is missing in \(made.map(\.name))")
        return
      }
      let found = rest[place]
      rest = rest[(place + 1)...]
      #expect(found.data["status"] == wanted.data["status"], "\(file.lastPathComponent)")
      #expect(found.data.names == wanted.data.names, "\(file.lastPathComponent)")
      #expect(
        found.transaction?.names == wanted.transaction?.names,
        "\(file.lastPathComponent)"
      )
      compareRenewal(found, wanted, file.lastPathComponent)
    }
  }

  private func compareRenewal(_ found: Opened, _ wanted: Opened, _ file: String) {
    #expect((found.renewal == nil) == (wanted.renewal == nil), "\(file)")
    guard let have = found.renewal, let want = wanted.renewal else { return }
    let missing = want.names.subtracting(have.names)
    #expect(missing.isSubset(of: Self.surplus[wanted.name] ?? []), "\(file): \(missing)")
    // The vectors are older than these two members.
    let more = have.names.subtracting(want.names)
    #expect(more.isSubset(of: ["appTransactionId", "appAccountToken"]), "\(file): \(more)")
    for member in ["expirationIntent", "isInBillingRetryPeriod", "priceIncreaseStatus"] {
      #expect(have[member] == want[member], "\(file): \(member)")
    }
    if Self.surplus[wanted.name] == nil {
      #expect(have["autoRenewStatus"] == want["autoRenewStatus"], "\(file)")
    }
  }
}

/// Every row of the table of notifications, produced by commands.
@Suite(.enabled(if: Vectors.folder != nil, "set IAP_VECTORS to the folder of vectors"))
struct NotificationMatrixTests {
  /// What has no cause in a rule of the store: the server interface and its control make these.
  static let elsewhere: Set<String> = [
    "RENEWAL_EXTENDED", "RENEWAL_EXTENSION/SUMMARY", "RENEWAL_EXTENSION/FAILURE",
    "EXTERNAL_PURCHASE_TOKEN/UNREPORTED", "RESCIND_CONSENT", "METADATA_UPDATE", "MIGRATION",
    "PRICE_CHANGE",
  ]
  /// Fields that a row tells to look at but that may be absent.
  static let optional: [String: Set<String>] = [
    "GRACE_PERIOD_EXPIRED": ["renewal.gracePeriodExpiresDate"]
  ]

  private func store(for name: String) throws -> TestStore {
    let test = try TestStore.rules()
    try test.store.setNotificationURL(URL(string: "https://example.com/notify"))
    let store = test.store
    func subscribed(_ product: ProductID = RulesCatalog.silver) throws -> OriginalTransactionID {
      try test.buyWithToken(product).originalTransactionID
    }
    func ended() throws {
      try store.setAutoRenew(false, of: try subscribed())
      store.clock.advance(by: 8 * day)
    }
    switch name {
    case "SUBSCRIBED/INITIAL_BUY": _ = try subscribed()
    case "SUBSCRIBED/RESUBSCRIBE":
      try ended()
      try test.buyWithToken(RulesCatalog.silverYear)
    case "DID_CHANGE_RENEWAL_PREF/UPGRADE":
      _ = try subscribed()
      try test.buyWithToken(RulesCatalog.gold)
    case "DID_CHANGE_RENEWAL_PREF/DOWNGRADE", "DID_CHANGE_RENEWAL_PREF":
      _ = try subscribed(RulesCatalog.gold)
      try store.purchase(PurchaseRequest(device: test.phone, productID: RulesCatalog.silver))
      try store.purchase(PurchaseRequest(device: test.phone, productID: RulesCatalog.gold))
    case "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED",
      "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_ENABLED":
      let original = try subscribed()
      try store.setAutoRenew(false, of: original)
      try store.setAutoRenew(true, of: original)
    case "OFFER_REDEEMED":
      try ended()
      try test.buy(RulesCatalog.silver, with: .promotional("half", nil))
      try test.buy(RulesCatalog.silver, with: .promotional("upfront", nil))
    case "OFFER_REDEEMED/UPGRADE":
      _ = try subscribed()
      try test.buy(RulesCatalog.gold, with: .promotional("half", nil))
    case "OFFER_REDEEMED/DOWNGRADE":
      _ = try subscribed(RulesCatalog.gold)
      try test.buy(RulesCatalog.silver, with: .promotional("half", nil))
    case "DID_RENEW":
      _ = try subscribed()
      store.clock.advance(by: 8 * day)
    case "DID_RENEW/BILLING_RECOVERY", "DID_FAIL_TO_RENEW", "EXPIRED/BILLING_RETRY":
      _ = try subscribed()
      try store.setPayment(works: false, of: test.account)
      store.clock.advance(by: (name == "EXPIRED/BILLING_RETRY" ? 90 : 8) * day)
      try store.setPayment(works: true, of: test.account)
    case "DID_FAIL_TO_RENEW/GRACE_PERIOD", "GRACE_PERIOD_EXPIRED":
      try store.setGracePeriod(GraceSettings(days: 3))
      _ = try subscribed()
      try store.setPayment(works: false, of: test.account)
      store.clock.advance(by: 15 * day)
    default: try others(name, test)
    }
    return test
  }

  private func others(_ name: String, _ test: TestStore) throws {
    let store = test.store
    switch name {
    case "EXPIRED/VOLUNTARY":
      try store.setAutoRenew(
        false,
        of: try test.buyWithToken(RulesCatalog.silver).originalTransactionID
      )
      store.clock.advance(by: 8 * day)
    case "EXPIRED/PRICE_INCREASE", "PRICE_INCREASE/PENDING", "PRICE_INCREASE/ACCEPTED":
      let original = try test.buyWithToken(RulesCatalog.silver).originalTransactionID
      try store.setPrice(20_000, of: RulesCatalog.silver, existing: .raise)
      if name.hasSuffix("ACCEPTED") { try store.answerPriceIncrease(true, of: original) }
      store.clock.advance(by: 8 * day)
    case "EXPIRED/PRODUCT_NOT_FOR_SALE":
      try test.buyWithToken(RulesCatalog.silver)
      try store.setForSale(false, RulesCatalog.silver)
      store.clock.advance(by: 8 * day)
    case "EXPIRED":
      try store.expire(try test.buyWithToken(RulesCatalog.silver).originalTransactionID)
    case "REFUND", "REFUND_REVERSED":
      let id = try test.buyWithToken(RulesCatalog.silver).transactionID
      try store.refund(id, percentage: 50_000)
      try store.reverseRefund(id)
    case "REFUND_DECLINED", "CONSUMPTION_REQUEST":
      let id = try test.buyWithToken(RulesCatalog.coins).transactionID
      try store.requestRefund(id)
      try store.declineRefund(id)
    case "REVOKE":
      try store.addFamily("home", organizer: test.account)
      try store.joinFamily("home", test.other)
      try store.refund(try test.buyWithToken(RulesCatalog.silver).transactionID)
    case "ONE_TIME_CHARGE": try test.buyWithToken(RulesCatalog.coins)
    case "TEST": try store.requestTestNotification()
    default: Issue.record("no command makes \(name)")
    }
  }

  @Test func everyRowIsProducedByCommands() throws {
    let file = try #require(Vectors.folder).deletingLastPathComponent()
      .appending(path: "made-here-notification-matrix/matrix.json")
    let rows = try JSONParser.parseObject([UInt8](Data(contentsOf: file)))["rows"]?.arrayValue ?? []
    #expect(rows.count == 37)
    var produced = 0
    for row in rows.compactMap(\.objectValue) {
      let name = [row["notificationType"]?.stringValue, row["subtype"]?.stringValue]
        .compactMap { $0 }.joined(separator: "/")
      guard !Self.elsewhere.contains(name) else { continue }
      let found = try store(for: name).opened().last { $0.name == name }
      let notice = try #require(found, "\(name)")
      if let status = row["statusAfter"], status != .null {
        #expect(notice.data["status"] == status, "\(name)")
      }
      for field in try fields(row["fields"]?.stringValue ?? "")
      where Self.optional[name]?.contains(field) != true {
        #expect(notice.has(field), "\(name): \(field)")
      }
      produced += 1
    }
    #expect(produced == 29)
  }

  /// The members that a row names with the object that they stand in.
  private func fields(_ text: String) throws -> [String] {
    text.split(whereSeparator: { " ,;".contains($0) }).map(String.init).filter { word in
      ["tx.", "renewal.", "data."].contains { word.hasPrefix($0) }
    }
  }
}

extension Opened {
  fileprivate func has(_ field: String) -> Bool {
    let parts = field.split(separator: ".").map(String.init)
    let object =
      switch parts.first {
      case "tx": transaction
      case "renewal": renewal
      default: data
      }
    return object?[parts.last ?? ""] != nil
  }
}

import Foundation
import IAPModel
import Testing

@testable import AppStoreSimulator

/// Every row of the table of notifications, produced by commands.
@Suite(.enabled(if: Vectors.folder != nil, "set IAP_VECTORS to the folder of vectors"))
struct NotificationMatrixTests {
  private func store(for name: String) throws -> TestStore {
    let test = try TestStore.rules { $0.keepsGraceDate = name == "GRACE_PERIOD_EXPIRED" }
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
    default: try servers(name, test)
    }
  }

  /// What a developer's server asks for, and what is made for it by hand.
  private func servers(_ name: String, _ test: TestStore) throws {
    let store = test.store
    let first = try test.buyWithToken(RulesCatalog.silver)
    switch name {
    case "RENEWAL_EXTENDED":
      store.clock.advance(by: 10 * day)
      let outcome = try store.extendRenewal(
        of: first.originalTransactionID,
        days: 10,
        reason: 3,
        request: "r"
      )
      guard case .extended = outcome else { throw NotExtended(outcome: outcome) }
    case "RENEWAL_EXTENSION/SUMMARY", "RENEWAL_EXTENSION/FAILURE":
      // The trial that runs cannot be given days.
      try store.extendRenewals(
        of: RulesCatalog.silver,
        app: DemoCatalog.bundleID,
        days: 10,
        reason: 3,
        request: "r",
        countries: ["USA"]
      )
      store.clock.advance(by: day)
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
      try store.emitNotification(.rescindConsent, subject: .appTransaction(test.phone))
    case "METADATA_UPDATE", "PRICE_CHANGE":
      try store.emitNotification(
        NotificationType(rawValue: name),
        about: first.transactionID,
        commerce: CommerceDetails(info: ["requestReferenceId": "r"])
      )
    case "MIGRATION":
      try store.emitNotification(
        .migration,
        about: first.transactionID,
        commerce: CommerceDetails(previousOriginalTransactionID: "42")
      )
    default: Issue.record("no command makes \(name)")
    }
  }

  struct NotExtended: Error { let outcome: StoreCore.ExtensionOutcome }

  @Test func everyRowIsProducedByCommands() throws {
    let file = try #require(Vectors.folder).deletingLastPathComponent()
      .appending(path: "made-here-notification-matrix/matrix.json")
    let rows = try JSONParser.parseObject([UInt8](Data(contentsOf: file)))["rows"]?.arrayValue ?? []
    #expect(rows.count == 37)
    var texts: [String: String] = [:]
    var names: [String] = []
    for row in rows {
      let name = Self.name(row)
      names.append(name)
      texts[name] = row["fields"]?.stringValue
    }
    #expect(Set(names).count == 37)
    var claimCount = 0
    for (name, row) in zip(names, rows) {
      let made = try store(for: name).opened()
      let notice = try #require(made.last { $0.name == name }, "\(name) in \(made.map(\.name))")
      #expect(notice.outer["notificationType"] == row["notificationType"])
      #expect((notice.outer["subtype"] ?? .null) == row["subtype"])
      if let status = row["statusAfter"], status != .null {
        #expect(notice.data["status"] == status, "\(name)")
      }
      let claims = FieldClaim.claims(of: name, in: texts)
      #expect(!claims.isEmpty, "\(name)")
      for claim in claims {
        #expect(claim.holds(for: notice), "\(name): \(claim)")
        claimCount += 1
      }
    }
    // A text that is not understood any more is noticed.
    #expect(claimCount == 91)
  }

  private static func name(_ row: JSONValue) -> String {
    [row["notificationType"]?.stringValue, row["subtype"]?.stringValue]
      .compactMap { $0 }.joined(separator: "/")
  }
}

/// What a row of the table says about one member.
private enum FieldClaim: Hashable {
  case isThere(object: String, member: String?)
  case isNotThere(object: String, member: String?)
  case equals(object: String, member: String, JSONValue, orIsMissing: Bool)

  /// Where a member stands that is named alone.
  private static let usual = [
    "expirationIntent": "renewal", "isInBillingRetryPeriod": "renewal",
    "priceIncreaseStatus": "renewal", "advancedCommerceInfo": "tx",
  ]
  private static let objects: Set<String> = [
    "tx", "renewal", "data", "summary", "externalPurchaseToken", "appData",
  ]

  /// Reads what a row says in words: members after a comma stand in the object of the one before.
  static func claims(of row: String, in texts: [String: String]) -> [FieldClaim] {
    let separators: Set<Character> = [",", ";"]
    var object: String?
    return (texts[row] ?? "").split { separators.contains($0) }
      .map { $0.trimmingCharacters(in: .whitespaces) }
      .flatMap { part -> [FieldClaim] in
        let words = part.replacingOccurrences(of: " (new)", with: "").split(separator: " ")
          .map(String.init)
        if words.first == "as" {
          object = nil
          return like(words, row, texts)
        }
        return [claim(words, &object)]
      }
  }

  private static func like(
    _ words: [String],
    _ row: String,
    _ texts: [String: String]
  ) -> [FieldClaim] {
    let isChange = ["UPGRADE", "DOWNGRADE"].contains(words[1])
    let other = isChange ? "DID_CHANGE_RENEWAL_PREF/\(words[1])" : words[1]
    var claims = claims(of: other, in: texts)
    if words.contains("offer") {
      // The offer is in the transaction when it starts now, else with the renewal.
      let object = words[1] == "UPGRADE" ? "tx" : "renewal"
      claims += ["offerType", "offerIdentifier", "offerDiscountType"].map {
        .isThere(object: object, member: $0)
      }
    }
    return claims
  }

  private static func claim(_ words: [String], _ object: inout String?) -> FieldClaim {
    if words == ["no", "renewal", "info"] { return .isNotThere(object: "renewal", member: nil) }
    if words == ["data", "without", "signed", "transaction"] {
      return .isNotThere(object: "tx", member: nil)
    }
    if words.count == 3, words[1] == "without" {
      return .isNotThere(object: words[0], member: words[2])
    }
    if words.first == "renewal/tx" { return .isThere(object: "renewal", member: words[1]) }
    let parts = words[0].split(separator: ".").map(String.init)
    if parts.count == 2 { object = parts[0] }
    if parts.count == 1, objects.contains(parts[0]) {
      return .isThere(object: parts[0], member: nil)
    }
    let member = parts.last ?? ""
    let place = object ?? usual[member] ?? "nowhere"
    switch words.dropFirst() {
    case []: return .isThere(object: place, member: member)
    case ["absent"]: return .isNotThere(object: place, member: member)
    case ["absent", "or", "false"]:
      return .equals(object: place, member: member, false, orIsMissing: true)
    default:
      let text = words.count > 2 ? words[2] : ""
      let value: JSONValue =
        text == "false" ? false : Int64(text).map { .integer($0) } ?? .string(text)
      return .equals(object: place, member: member, value, orIsMissing: words.contains("absent"))
    }
  }

  func holds(for notice: Opened) -> Bool {
    switch self {
    case .isThere(let object, let member): has(object, member, notice)
    case .isNotThere(let object, let member): !has(object, member, notice)
    case .equals(let object, let member, let value, let orIsMissing):
      self.value(object, member, notice).map { $0 == value } ?? orIsMissing
    }
  }

  private func has(_ object: String, _ member: String?, _ notice: Opened) -> Bool {
    guard let found = self.object(object, notice) else { return false }
    return member.map { found[$0] != nil } ?? true
  }

  private func value(_ object: String, _ member: String, _ notice: Opened) -> JSONValue? {
    self.object(object, notice)?[member]
  }

  private func object(_ name: String, _ notice: Opened) -> JSONObject? {
    switch name {
    case "tx": notice.transaction
    case "renewal": notice.renewal
    default: notice.outer[name]?.objectValue
    }
  }
}

import Foundation
import IAPModel
import Testing

@testable import AppStoreSimulator

/// A notification with what is signed inside of it.
struct Opened {
  let name: String
  let outer: JSONObject
  let data: JSONObject
  let transaction: JSONObject?
  let renewal: JSONObject?

  init(_ jws: String) throws {
    outer = try Signed.payload(of: jws)
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

  private static let names = ["a", "b", "d", "f", "g", "j"]

  @Test func noSequenceIsLeftOut() throws {
    let folder = try #require(Vectors.folder).deletingLastPathComponent()
      .appending(path: "derived-jws")
    let found = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      .filter { $0.hasPrefix("sequence-") }
    #expect(found.sorted() == Self.names.map { "sequence-\($0)" })
  }

  @Test(arguments: names)
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

import Foundation
import HTTPValues
import IAPModel
import Testing

@testable import AppStoreSimulator

/// A command that cannot be carried out, and why.
private struct Refusal {
  let method: HTTPMethod
  let path: String
  let body: String
  let code: String
  /// A part of the reason.
  let reason: String

  init(_ method: HTTPMethod, _ path: String, _ body: String, _ code: String, _ reason: String) {
    self.method = method
    self.path = "/control/" + path
    self.body = body
    self.code = code
    self.reason = reason
  }
}

/// The words with a dollar stand for what ``ControlRefusalTests`` has bought.
private let peopleRefusals: [Refusal] = [
  Refusal(.post, "apps", "{}", "badRequest", "catalog is missing"),
  Refusal(
    .post,
    "apps",
    #"{"bundleId":"b","appAppleId":0,"catalog":{"version":{"major":4},"products":[]}}"#,
    "badRequest",
    "appAppleId is from 1"
  ),
  Refusal(
    .post,
    "apps",
    #"{"bundleId":"b","appAppleId":1,"catalog":{"version":{"major":9},"products":[]}}"#,
    "badCatalog",
    "version.major is 9"
  ),
  Refusal(
    .post,
    "apps",
    #"{"bundleId":"$app","appAppleId":1,"catalog":{"version":{"major":4},"products":[]}}"#,
    "duplicate",
    "$app"
  ),
  Refusal(.post, "accounts", #"{"account":"mia"}"#, "duplicate", "mia"),
  Refusal(.post, "accounts", #"{"account":"a","storefront":"XX"}"#, "unknownStorefront", "XX"),
  Refusal(.patch, "accounts/nobody", #"{"mayBuy":false}"#, "unknownAccount", "nobody"),
  Refusal(
    .patch,
    "accounts/mia",
    #"{"storefront":"JPN","asksToBuy":true,"mayBuy":false,"paymentWorks":"no"}"#,
    "badRequest",
    "paymentWorks is not true or false"
  ),
  Refusal(.post, "devices", #"{"device":"mia-phone","account":"mia"}"#, "duplicate", "mia-phone"),
  Refusal(.post, "devices", #"{"device":"d","account":"nobody"}"#, "unknownAccount", "nobody"),
  Refusal(
    .post,
    "devices",
    #"{"device":"d","account":"mia","bundleId":"b"}"#,
    "unknownApp",
    #"no app "b""#
  ),
  Refusal(.post, "devices/none/restore", "", "unknownDevice", "none"),
  Refusal(.post, "devices/none/refresh-receipt", "", "unknownDevice", "none"),
  Refusal(.get, "devices/none/unfinished", "", "unknownDevice", "none"),
  Refusal(.get, "devices/none/receipt", "", "unknownDevice", "none"),
  Refusal(.get, "devices/none/app-transaction", "", "unknownDevice", "none"),
  Refusal(.post, "families", #"{"family":"f","organizer":"nobody"}"#, "unknownAccount", "nobody"),
  Refusal(.post, "families", #"{"family":"home","organizer":"noah"}"#, "duplicate", "home"),
  Refusal(.post, "families", #"{"family":"f","organizer":"mia"}"#, "notAllowed", "home already"),
  Refusal(.post, "families/none/join", #"{"account":"noah"}"#, "unknownAccount", "none"),
  Refusal(.post, "families/home/join", #"{"account":"mia"}"#, "notAllowed", "home already"),
  Refusal(.post, "families/home/leave", #"{"account":"noah"}"#, "notAllowed", "is not in"),
  Refusal(.put, "accounts/noah/sharing", #"{"isOn":true}"#, "notAllowed", "noah is in no family"),
  Refusal(.put, "faults", #"{"offlineDevices":["none"]}"#, "unknownDevice", "none"),
  Refusal(.put, "faults", #"{"signature":"odd"}"#, "badRequest", "signature is one of"),
]

private let purchaseRefusals: [Refusal] = [
  Refusal(
    .post,
    "purchases",
    #"{"device":"none","productId":"$coins"}"#,
    "unknownDevice",
    "none"
  ),
  Refusal(
    .post,
    "purchases",
    #"{"device":"mia-phone","productId":"p","offerId":"o","offerCode":"c"}"#,
    "badRequest",
    "one offer at most"
  ),
  Refusal(.post, "pending/none/approve", "", "unknownPending", "none"),
  Refusal(.post, "pending/$answered/approve", "", "notAllowed", "was answered: approved"),
  Refusal(.post, "pending/none/decline", "", "unknownPending", "none"),
  Refusal(.post, "pending/$answered/decline", "", "notAllowed", "was answered: approved"),
  Refusal(.get, "transactions", "", "badRequest", "the query needs account"),
  Refusal(.get, "transactions?account=nobody", "", "unknownAccount", "nobody"),
  Refusal(.get, "transactions?account=mia&bundleId=b", "", "unknownApp", #"no app "b""#),
  Refusal(.get, "transactions/42", "", "unknownTransaction", "42"),
  Refusal(.get, "transactions/42/order", "", "unknownTransaction", "42"),
  Refusal(.get, "transactions/42/receipt", "", "unknownTransaction", "42"),
  Refusal(.post, "transactions/42/finish", #"{"device":"mia-phone"}"#, "unknownTransaction", "42"),
  Refusal(
    .post,
    "transactions/$bought/finish",
    #"{"device":"noah-phone"}"#,
    "unknownTransaction",
    "noah-phone"
  ),
  Refusal(.post, "transactions/42/refund", "", "unknownTransaction", "42"),
  Refusal(.post, "transactions/$refunded/refund", "", "notAllowed", "was refunded before"),
  Refusal(.post, "transactions/$bought/refund", #"{"percentage":0}"#, "notAllowed", "1 to 100000"),
  Refusal(
    .post,
    "transactions/$bought/refund",
    #"{"percentage":100001}"#,
    "notAllowed",
    "1 to 100000"
  ),
  Refusal(.post, "transactions/42/reverse-refund", "", "unknownTransaction", "42"),
  Refusal(.post, "transactions/$bought/reverse-refund", "", "notAllowed", "was not refunded"),
  Refusal(.post, "transactions/42/request-refund", "", "unknownTransaction", "42"),
  Refusal(.post, "transactions/$refunded/request-refund", "", "notAllowed", "refunded before"),
  Refusal(.post, "transactions/42/decline-refund", "", "unknownTransaction", "42"),
  Refusal(.post, "transactions/$bought/decline-refund", "", "notAllowed", "no refund of"),
  Refusal(.delete, "transactions", "", "notAllowed", "Xcode's environment only"),
  Refusal(.delete, "transactions/$bought", "", "notAllowed", "Xcode's environment only"),
  Refusal(.post, "offer-codes", #"{"offer":"o","count":1}"#, "badRequest", "productId is missing"),
  Refusal(
    .post,
    "offer-codes",
    #"{"productId":"p","offer":"o","count":1}"#,
    "unknownProduct",
    #"no "p""#
  ),
  Refusal(
    .post,
    "offer-codes",
    #"{"productId":"$monthly","offer":"o","count":1}"#,
    "notAllowed",
    #"no offer "o""#
  ),
]

private let subscriptionRefusals: [Refusal] = [
  Refusal(.put, "subscriptions/42/auto-renew", #"{"isOn":true}"#, "unknownSubscription", "42"),
  Refusal(.put, "subscriptions/$ended/auto-renew", #"{"isOn":true}"#, "notAllowed", "is over"),
  Refusal(.post, "subscriptions/42/renew", "", "unknownSubscription", "42"),
  Refusal(.post, "subscriptions/$bought/renew", "", "unknownSubscription", "$bought"),
  Refusal(.post, "subscriptions/$ended/renew", "", "notAllowed", "is not active"),
  Refusal(.post, "subscriptions/42/expire", "", "unknownSubscription", "42"),
  Refusal(.post, "subscriptions/$ended/expire", "", "notAllowed", "is not running"),
  Refusal(
    .post,
    "subscriptions/42/raise-price",
    #"{"price":9990}"#,
    "unknownSubscription",
    "42"
  ),
  Refusal(
    .post,
    "subscriptions/$ended/raise-price",
    #"{"price":9990}"#,
    "notAllowed",
    "is not a running subscription"
  ),
  Refusal(
    .post,
    "subscriptions/$running/raise-price",
    #"{"price":4990}"#,
    "notAllowed",
    "is not more than"
  ),
  Refusal(
    .post,
    "subscriptions/$running/raise-price",
    #"{"price":1000000000001}"#,
    "notAllowed",
    "more than a price can be"
  ),
  Refusal(
    .post,
    "subscriptions/$running/answer-price",
    #"{"agrees":true}"#,
    "notAllowed",
    "no higher price"
  ),
  Refusal(.put, "products/p/price", #"{"price":1}"#, "unknownProduct", #"no "p""#),
  Refusal(.put, "products/$coins/price", #"{"price":-1}"#, "notAllowed", "not negative"),
  Refusal(
    .put,
    "products/$coins/price",
    #"{"price":1000000000001}"#,
    "notAllowed",
    "more than a price can be"
  ),
  Refusal(
    .put,
    "products/$coins/price",
    #"{"price":1,"existing":"x"}"#,
    "badRequest",
    "existing is one of"
  ),
  Refusal(.put, "products/p/sale", #"{"isForSale":false}"#, "unknownProduct", #"no "p""#),
  Refusal(.put, "grace-period", #"{"days":-1}"#, "notAllowed", "has a length"),
  Refusal(.put, "grace-period", #"{"days":366}"#, "notAllowed", "a year at most"),
  Refusal(.put, "grace-period", #"{"days":9223372036854775807}"#, "notAllowed", "a year at most"),
]

private let outsideRefusals: [Refusal] = [
  Refusal(.post, "clock/advance", #"{"seconds":-1}"#, "badRequest", "moves forward"),
  Refusal(.post, "clock/advance", #"{"to":0}"#, "badRequest", "moves forward"),
  Refusal(.post, "clock/advance", #"{"to":9223372036854775807}"#, "badRequest", "moves forward"),
  Refusal(.put, "clock/rate", #"{"rate":1}"#, "notAllowed", "nothing moves this clock"),
  Refusal(.put, "notifications/url", #"{"url":"ftp://x"}"#, "badRequest", "no http or https"),
  Refusal(
    .put,
    "notifications/url",
    #"{"url":"http://a.example","version":3}"#,
    "badRequest",
    "version is 1 or 2"
  ),
  Refusal(
    .put,
    "notifications/url",
    #"{"url":"http://a.example","bundleId":"b"}"#,
    "unknownApp",
    #"no app "b""#
  ),
  Refusal(.post, "notifications/test", "", "notAllowed", "no address"),
  Refusal(.post, "notifications/test", #"{"bundleId":"b"}"#, "unknownApp", #"no app "b""#),
  Refusal(
    .post,
    "notifications/emit",
    #"{"notificationType":"METADATA_UPDATE","transactionId":"42"}"#,
    "unknownTransaction",
    "42"
  ),
  Refusal(.post, "notifications/emit", #"{"notificationType":"X"}"#, "badRequest", "needs one of"),
  Refusal(.get, "history?from=-1", "", "badRequest", "a line number"),
  Refusal(.get, "roots/other.der", "", "badRequest", "roots are"),
  Refusal(.get, "shared-secret?bundleId=b", "", "unknownApp", #"no app "b""#),
  Refusal(.post, "keys", #"{"keyId":"a","issuerId":"b","key":"c"}"#, "badRequest", "P-256"),
  Refusal(.delete, "keys/none", "", "unknownKey", "none"),
  Refusal(.put, "offer-keys/k", #"{"publicKey":"AAAA"}"#, "badRequest", "P-256"),
  Refusal(.put, "rate-limits", #"{"areOn":true,"requestsPerHour":-1}"#, "badRequest", "negative"),
  Refusal(.put, "server-api/fault", #"{"status":200}"#, "badRequest", "from 400 to 599"),
  Refusal(.put, "server-api/fault", #"{"errorCode":200}"#, "badRequest", "from 4000000"),
  Refusal(.put, "verify-receipt/fault", #"{"status":1,"count":0}"#, "badRequest", "from 1 to"),
  Refusal(.post, "offer-signatures/check", "{}", "badRequest", "nonce is missing"),
]

private let refusals =
  peopleRefusals + purchaseRefusals + subscriptionRefusals + outsideRefusals

/// Commands that make no sense are refused with the reason, and nothing is different afterwards.
struct ControlRefusalTests {
  let test: TestStore
  let face: StoreHTTPFace
  private let words: [(String, String)]

  init() throws {
    test = try TestStore()
    face = StoreHTTPFace(store: test.store)
    words = try Self.live(test)
  }

  /// A short life, after which something of every kind is there.
  private static func live(_ test: TestStore) throws -> [(String, String)] {
    let store = test.store
    try store.addFamily("home", organizer: test.account)
    let bought = try test.buy(DemoCatalog.coins)
    let refunded = try test.buy(DemoCatalog.coins)
    try store.refund(refunded.transactionID)
    let running = try test.buy(DemoCatalog.monthly)
    let ended = try test.buy(DemoCatalog.monthly, on: test.otherPhone)
    try store.expire(ended.originalTransactionID)
    try store.purchase(
      PurchaseRequest(
        device: test.pad,
        productID: DemoCatalog.coins,
        simulatesAskToBuy: true
      )
    )
    try store.approve("pending-1")
    return [
      ("$bought", bought.transactionID.rawValue), ("$refunded", refunded.transactionID.rawValue),
      ("$running", running.originalTransactionID.rawValue),
      ("$ended", ended.originalTransactionID.rawValue), ("$answered", "pending-1"),
      ("$app", DemoCatalog.bundleID.rawValue), ("$coins", DemoCatalog.coins.rawValue),
      ("$monthly", DemoCatalog.monthly.rawValue),
    ]
  }

  private func fill(_ text: String) -> String {
    words.reduce(text) { $0.replacing($1.0, with: $1.1) }
  }

  private func send(_ refusal: Refusal) async -> HTTPResponse {
    await face.handle(
      HTTPRequest(
        method: refusal.method,
        target: fill(refusal.path),
        body: Array(fill(refusal.body).utf8)
      )
    )
  }

  private func history(_ store: SimulatedAppStore) -> [UInt8] {
    store.history.flatMap { $0.json.serialized }
  }

  @Test func impossibleCommandsAreRefusedAndLeaveTheHistoryAsItWas() async throws {
    let before = history(test.store)
    let now = test.store.now
    for refusal in refusals {
      let response = await send(refusal)
      let error = try JSONParser.parse(response.body, limits: .document)["error"]
      let expected = SimulatorError(.init(rawValue: refusal.code), "").status
      let what = "\(refusal.method) \(refusal.path) \(refusal.body)"
      #expect(response.status == expected, "\(what)")
      #expect(error?["code"]?.stringValue == refusal.code, "\(what)")
      let message = error?["message"]?.stringValue ?? ""
      #expect(message.contains(fill(refusal.reason)), "\(what): \(message)")
      #expect(history(test.store) == before, "\(what)")
    }
    #expect(test.store.now == now && test.store.faults == StoreFaults())
  }

  @Test func whatFollowsRefusedCommandsIsAsWithoutThem() async throws {
    for refusal in refusals { _ = await send(refusal) }
    let twin = try TestStore()
    _ = try Self.live(twin)
    for store in [test, twin] {
      try store.buy(DemoCatalog.coins)
      try store.store.setNotificationURL(URL(string: "http://127.0.0.1:9/"))
      try store.store.requestTestNotification()
      await store.store.advance(by: 40 * day)
    }
    #expect(history(test.store) == history(twin.store))
  }

  @Test func everyCommandThatReadsABodyRefusesWhatItDoesNotKnow() async throws {
    let before = history(test.store)
    for refusal in refusals where !refusal.body.isEmpty {
      for body in [#"{"nonsense":1}"#, "[]", "{", "\u{0}"] {
        let response = await face.handle(
          HTTPRequest(
            method: refusal.method,
            target: fill(refusal.path),
            body: Array(body.utf8)
          )
        )
        #expect(response.status == 400, "\(refusal.method) \(refusal.path) \(body)")
      }
    }
    #expect(history(test.store) == before)
  }

  private func status(_ method: HTTPMethod, _ path: String, _ body: String) async -> Int {
    await send(Refusal(method, path, body, "", "")).status
  }

  @Test func whatLiesOnALimitIsTaken() async throws {
    let highest = CatalogProduct.priceMilliunitsMax
    #expect(await status(.put, "grace-period", #"{"days":365}"#) == 200)
    #expect(await status(.put, "products/$coins/price", #"{"price":\#(highest)}"#) == 200)
    let raised = await status(
      .post,
      "subscriptions/$running/raise-price",
      #"{"price":\#(highest)}"#
    )
    #expect(raised == 200)
    #expect(try test.buy(DemoCatalog.coins, quantity: 10).priceMilliunits == highest * 10)
    for (price, isTaken) in [("1000000000", true), ("1000000000.001", false)] {
      let body = """
        {"bundleId":"app-\(price)","appAppleId":9,"catalog":{"version":{"major":4},"products":[
        {"productID":"a","type":"Consumable","displayPrice":"\(price)"}]}}
        """
      #expect(await status(.post, "apps", body) == (isTaken ? 200 : 400))
    }
  }

  @Test func theClockStopsAtTheEndOfTheYear9999() async throws {
    let empty = try TestStore()
    let client = FaceClient(face: StoreHTTPFace(store: empty.store))
    let last: Int64 = 253_402_300_799_999
    empty.store.clock.advance(to: Date(milliseconds: last - 1))
    for (instant, status) in [(last + 1, 400), (last, 200)] {
      let body: JSONValue = ["to": .integer(instant)]
      #expect(await client.send(.post, "/control/clock/advance", body).status == status)
    }
    #expect(empty.store.now == Date(milliseconds: last))
  }

  private var routes: [Route] {
    ControlRoutes(
      store: test.store,
      pace: nil,
      desk: ServerAPIDesk(limits: .off, wallClock: { TestStore.start })
    ).routes
  }

  /// The calls that read nothing, so that there is nothing to refuse.
  private static let plain: Set<String> = [
    "GET clock", "GET apps", "GET accounts", "GET devices", "GET pending", "GET subscriptions",
    "GET families", "GET offer-codes", "GET faults", "GET notifications", "GET api-key",
    "GET keys", "GET refused-tokens", "GET rate-limits", "GET consumption", "GET extensions",
    "POST notifications/drain",
  ]

  @Test func everyCallIsInTheTable() {
    for route in routes {
      let name = "\(route.method) \(route.path.dropFirst().joined(separator: "/"))"
      let isThere = refusals.contains { refusal in
        guard refusal.method == route.method else { return false }
        let path = refusal.path.prefix { $0 != "?" }
        return route.match(path.split(separator: "/").map(String.init)) != nil
      }
      #expect(isThere != Self.plain.contains(name), "\(name)")
    }
  }

  @Test func everyCallIsInTheDocumentation() throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let file = root.appending(path: "docs/simulator-http.md")
    let text = String(decoding: try Data(contentsOf: file), as: UTF8.self)
    var documented: Set<String> = []
    for line in text.split(separator: "\n") {
      guard line.hasPrefix("| `"), let cell = line.split(separator: "|").first else { continue }
      documented.formUnion(Self.calls(cell))
    }
    let known = routes.map { route in
      "\(route.method) " + route.path.map { $0.hasPrefix(":") ? "*" : $0 }.joined(separator: "/")
    }
    #expect(documented == Set(known))
  }

  /// The calls in a cell: a method and a path, a method that stands before the same path, or the
  /// last part of a path that takes the place of the one before.
  private static func calls(_ cell: Substring) -> [String] {
    var method = ""
    var path: [String] = []
    var found: [String] = []
    for (place, span) in cell.split(separator: "`", omittingEmptySubsequences: false).enumerated()
    where place % 2 == 1 {
      let parts = span.split(separator: " ")
      if !span.hasPrefix("/") { method = String(parts[0]) }
      if let last = parts.last, last.hasPrefix("/") {
        let names = last.split(separator: "/").map { $0.allSatisfy(\.isUppercase) ? "*" : "\($0)" }
        path = names.first == "control" ? names : path.dropLast() + names
      }
      found.append("\(method) " + path.joined(separator: "/"))
    }
    return found
  }
}

import Foundation
import HTTPValues
import IAPModel
import IAPSignatures
import OpenSSLCrypto
import Testing

@testable import AppStoreSimulator

/// What an endpoint of the App Store Server API answers to identifiers that lead nowhere.
private struct EndpointRow {
  /// The method and the path of the route's table.
  let route: String
  /// A body that the endpoint reads; nil when it reads none.
  var body: String?
  /// A path, and the number that it is answered with; above 999 it is Apple's.
  var unknown: (path: String, code: Int64)?
  /// The same for a path that is none.
  var malformed: (path: String, code: Int64)?
  /// Bodies that are refused, and their numbers.
  var badBodies: [(String, Int64)] = []

  init(
    _ route: String,
    body: String? = nil,
    unknown: (path: String, code: Int64)? = nil,
    malformed: (path: String, code: Int64)? = nil,
    badBodies: [(String, Int64)] = []
  ) {
    self.route = route
    self.body = body
    self.unknown = unknown
    self.malformed = malformed
    self.badBodies = badBodies
  }
}

private let uuid = "3f2504e0-4f89-41d3-9a0c-0305e82c3301"
private let monthly = "com.example.demo.plus.monthly"

private let lookUpRows: [EndpointRow] = [
  EndpointRow(
    "GET /inApps/v2/history/:id",
    unknown: ("42", 4_040_010),
    malformed: ("x", 4_000_006)
  ),
  EndpointRow(
    "GET /inApps/v1/history/:id",
    unknown: ("42", 4_040_010),
    malformed: ("x", 4_000_006)
  ),
  EndpointRow(
    "GET /inApps/v1/transactions/:id",
    unknown: ("42", 4_040_010),
    malformed: ("4%202", 4_000_006)
  ),
  EndpointRow(
    "GET /inApps/v1/transactions/appTransactions/:id",
    unknown: ("42", 4_040_010),
    malformed: ("-1", 4_000_006)
  ),
  EndpointRow("GET /inApps/v1/lookup/:order", unknown: ("MK1", 200), malformed: ("%2B", 4_000_000)),
  EndpointRow(
    "GET /inApps/v2/refund/lookup/:id",
    unknown: ("42", 4_040_010),
    malformed: ("x", 4_000_006)
  ),
  EndpointRow(
    "GET /inApps/v1/refund/lookup/:id",
    unknown: ("42", 4_040_005),
    malformed: ("x", 4_000_008)
  ),
  EndpointRow(
    "GET /inApps/v1/subscriptions/:id",
    unknown: ("42", 4_040_010),
    malformed: ("x", 4_000_006)
  ),
  EndpointRow(
    "GET /inApps/v1/subscriptions/extend/mass/:product/:request",
    unknown: ("\(monthly)/r", 4_040_009),
    malformed: ("other/r", 4_000_023)
  ),
  EndpointRow(
    "GET /inApps/v1/notifications/test/:token",
    unknown: (uuid, 4_040_008),
    malformed: ("t", 4_000_020)
  ),
  EndpointRow(
    "GET /groups/v1/currentGroups/:id",
    unknown: ("42", 4_040_010),
    malformed: ("x", 4_000_006)
  ),
  EndpointRow("GET /groups/v1/group/:id", unknown: ("42", 4_040_022), malformed: ("x", 4_000_225)),
]

private let changeRows: [EndpointRow] = [
  EndpointRow(
    "PUT /inApps/v1/subscriptions/extend/:id",
    body: #"{"extendByDays":1,"extendReasonCode":0,"requestIdentifier":"r"}"#,
    unknown: ("42", 4_040_005),
    malformed: ("x", 4_000_008)
  ),
  EndpointRow(
    "POST /inApps/v1/subscriptions/extend/mass",
    body: #"{"extendByDays":1,"extendReasonCode":0,"requestIdentifier":"r","productId":"x"}"#,
    unknown: ("", 4_000_023)
  ),
  EndpointRow(
    "PUT /inApps/v2/transactions/consumption/:id",
    body: #"{"customerConsented":true,"deliveryStatus":"DELIVERED","sampleContentProvided":false}"#,
    unknown: ("42", 4_040_010),
    malformed: ("x", 4_000_006)
  ),
  EndpointRow(
    "PUT /inApps/v1/transactions/consumption/:id",
    body: "{}",
    unknown: ("42", 4_040_010),
    malformed: ("x", 4_000_006)
  ),
  EndpointRow(
    "PUT /inApps/v1/transactions/:id/appAccountToken",
    body: #"{"appAccountToken":"\#(uuid)"}"#,
    unknown: ("42", 4_040_005),
    malformed: ("x", 4_000_006)
  ),
  EndpointRow(
    "POST /inApps/v1/transactions/:id/finish",
    unknown: ("42", 4_040_010),
    malformed: ("x", 4_000_006)
  ),
  EndpointRow("POST /inApps/v1/notifications/test", unknown: ("", 4_040_007)),
  EndpointRow(
    "POST /inApps/v1/notifications/history",
    body: #"{"startDate":1767268700000,"endDate":1767268900000,"transactionId":"42"}"#,
    unknown: ("", 4_040_010),
    badBodies: [
      (#"{"startDate":1767268700000,"endDate":1767268900000,"transactionId":"x"}"#, 4_000_006),
      (#"{"startDate":1767268900000,"endDate":1767268700000}"#, 4_000_013),
      (#"{"startDate":0,"endDate":1767268900000}"#, 4_000_012),
      (#"{"startDate":-1,"endDate":1767268900000}"#, 4_000_015),
      (#"{"startDate":1767268700000,"endDate":9223372036854775807}"#, 4_000_016),
      (#"{"startDate":1767268700000,"endDate":1e30}"#, 4_000_016),
    ]
  ),
]

private let retentionRows: [EndpointRow] = [
  EndpointRow("GET /inApps/v1/messaging/image/list"),
  EndpointRow(
    "PUT /inApps/v1/messaging/image/:id",
    malformed: ("i", 4_000_000)
  ),
  EndpointRow(
    "DELETE /inApps/v1/messaging/image/:id",
    unknown: (uuid, 4_040_014),
    malformed: ("i", 4_000_000)
  ),
  EndpointRow("GET /inApps/v1/messaging/message/list"),
  EndpointRow(
    "PUT /inApps/v1/messaging/message/:id",
    body: #"{"header":"h","body":"b","image":{"imageIdentifier":"i","altText":"a"}}"#,
    unknown: (uuid, 4_040_014),
    malformed: ("i", 4_000_000)
  ),
  EndpointRow(
    "DELETE /inApps/v1/messaging/message/:id",
    unknown: (uuid, 4_040_015),
    malformed: ("i", 4_000_000)
  ),
  EndpointRow(
    "PUT /inApps/v1/messaging/default/:product/:locale",
    body: #"{"messageIdentifier":"\#(uuid)"}"#,
    unknown: ("\(monthly)/en", 4_040_015),
    malformed: ("other/en", 4_000_023)
  ),
  EndpointRow(
    "GET /inApps/v1/messaging/default/:product/:locale",
    unknown: ("\(monthly)/en", 4_040_020),
    malformed: ("\(monthly)/e", 4_000_164)
  ),
  EndpointRow(
    "DELETE /inApps/v1/messaging/default/:product/:locale",
    unknown: ("\(monthly)/en", 4_040_020),
    malformed: ("\(monthly)/e", 4_000_164)
  ),
  EndpointRow(
    "PUT /inApps/v1/messaging/realtime/url",
    body: #"{"realtimeURL":"http://example.com"}"#,
    unknown: ("", 4_000_215)
  ),
  EndpointRow("GET /inApps/v1/messaging/realtime/url", unknown: ("", 4_040_021)),
  EndpointRow("DELETE /inApps/v1/messaging/realtime/url", unknown: ("", 4_040_021)),
  EndpointRow(
    "POST /inApps/v1/messaging/performanceTest",
    body: #"{"originalTransactionId":"42"}"#,
    unknown: ("", 4_040_010),
    badBodies: [(#"{"originalTransactionId":"x"}"#, 4_000_006), ("{}", 4_000_211)]
  ),
  EndpointRow(
    "GET /inApps/v1/messaging/performanceTest/result/:id",
    unknown: (uuid, 4_040_018),
    malformed: ("r", 4_000_212)
  ),
]

/// Every endpoint with every kind of bad input; the routes' own table says which there are.
struct ServerAPIMatrixTests {
  let test: TestStore
  let face: StoreHTTPFace
  let tokens: DeveloperTokens
  let routes: [Route]

  init() throws {
    test = try TestStore()
    face = StoreHTTPFace(store: test.store)
    tokens = try DeveloperTokens(test.store)
    let start = test.store.now
    routes =
      ServerAPIRoutes(
        store: test.store,
        desk: ServerAPIDesk(limits: .off, wallClock: { start }),
        environment: nil,
        prefix: ""
      ).routes
  }

  private func name(_ route: Route) -> String {
    "\(route.method.rawValue) /\(route.path.joined(separator: "/"))"
  }

  private func rows() throws -> [(route: Route, row: EndpointRow)] {
    let rows = lookUpRows + changeRows + retentionRows
    #expect(rows.map(\.route).sorted() == routes.map(name).sorted())
    return try rows.map { row in
      (try #require(routes.first { name($0) == row.route }), row)
    }
  }

  /// The path with something in the place of what stands for something.
  private func path(_ route: Route, _ words: String = "1/1") -> String {
    var rest = words.split(separator: "/").map(String.init)[...]
    let parts = route.path.map { $0.hasPrefix(":") ? rest.popFirst() ?? "1" : $0 }
    return "/" + parts.joined(separator: "/")
  }

  private func send(
    _ method: HTTPMethod,
    _ path: String,
    _ authorization: String?,
    _ body: [UInt8] = []
  ) async -> HTTPResponse {
    var headers: HTTPHeaders = [:]
    headers["Authorization"] = authorization
    return await face.handle(
      HTTPRequest(method: method, target: path, headers: headers, body: body)
    )
  }

  private func code(_ response: HTTPResponse) -> Int64 {
    let answer = try? JSONParser.parse(response.body, limits: .document)
    return answer?["errorCode"]?.integerValue ?? Int64(response.status)
  }

  private var history: [UInt8] { test.store.history.flatMap { $0.json.serialized } }

  @Test func everyEndpointRefusesEveryBadToken() async throws {
    let stranger = try OpenSSLPrimitives().makeSigningKey(.p256, seed: Array("stranger".utf8))
    let seconds = tokens.seconds
    let good = try tokens.token()
    let bad: [String?] = [
      nil, "", good, "Basic \(good)", "Bearer ", "Bearer a.b.c", "Bearer \(good)x",
      "Bearer \(try tokens.token { $0["exp"] = .integer(seconds) })",
      "Bearer \(try tokens.token { $0["iat"] = .integer(seconds + 61) })",
      "Bearer \(try tokens.token { $0["exp"] = .integer(seconds + 3601) })",
      "Bearer \(try tokens.token(key: stranger))",
      "Bearer \(try tokens.token(header: { $0["alg"] = "none" }))",
      "Bearer \(try tokens.token(header: { $0["kid"] = "ABCDEFGHIJ" }))",
      "Bearer \(try tokens.token { $0["iss"] = "someone" })",
      "Bearer \(try tokens.token { $0["aud"] = "appstoreconnect-v2" })",
      "Bearer \(try tokens.token { $0["bid"] = "com.example.other" })",
    ]
    let before = history
    for route in routes {
      for prefix in ["", "/production", "/sandbox"] {
        for authorization in bad {
          let response = await send(route.method, prefix + path(route), authorization)
          #expect(response.status == 401, "\(name(route)) \(authorization ?? "-")")
          #expect(response.body.isEmpty && response.headers["Content-Type"] == nil)
        }
        let status = await send(route.method, prefix + path(route), "Bearer \(good)").status
        #expect(status != 401 && status != 405, "\(name(route))")
      }
    }
    #expect(history == before)
  }

  @Test func everyEndpointHasANumberForWhatIsNotThere() async throws {
    try test.buy(DemoCatalog.monthly)
    let before = history
    let token = "Bearer \(try tokens.token())"
    for (route, row) in try rows() {
      for (words, expected) in [row.unknown, row.malformed].compactMap({ $0 }) {
        let body = Array((row.body ?? "").utf8)
        let response = await send(route.method, path(route, words), token, body)
        #expect(code(response) == expected, "\(row.route) \(words)")
        if expected > 999 { #expect(Int64(response.status) == expected / 10_000) }
      }
      for (body, expected) in row.badBodies {
        let response = await send(route.method, path(route), token, Array(body.utf8))
        #expect(code(response) == expected, "\(row.route) \(body)")
      }
    }
    #expect(history == before)
  }

  @Test func everyEndpointRefusesBodiesThatCannotBeRead() async throws {
    let before = history
    let token = "Bearer \(try tokens.token())"
    let deep = String(repeating: "[", count: 9) + String(repeating: "]", count: 9)
    for (route, row) in try rows() where row.body != nil {
      let words = row.unknown.map(\.path) ?? "1/1"
      for body in ["", "{", "[]", "null", "\u{FEFF}{}", #"{"a":\#(deep)}"#] {
        let response = await send(route.method, path(route, words), token, Array(body.utf8))
        #expect(code(response) == 4_000_000, "\(row.route) \(body)")
      }
    }
    #expect(history == before)
  }

  @Test func everyEndpointRefusesBodiesThatAreTooLarge() async throws {
    let token = "Bearer \(try tokens.token())"
    let before = history
    for route in routes {
      let isImage = name(route) == "PUT /inApps/v1/messaging/image/:id"
      let most = isImage ? RetentionShelf.imageBytesMax : ServerAPIRoutes.bodyBytesMax
      for (count, isTooLarge) in [(most, false), (most + 1, true)] {
        let body = [UInt8](repeating: 0x20, count: count)
        let response = await send(route.method, path(route), token, body)
        #expect((response.status == 413) == isTooLarge, "\(name(route)) \(count)")
      }
    }
    #expect(history == before)
  }

  @Test(arguments: [
    "history", "refund/lookup",
  ])
  func aRevisionThatIsNotOursIsRefused(_ path: String) async throws {
    let bought = try test.buy(DemoCatalog.coins)
    let token = "Bearer \(try tokens.token())"
    let kind = path == "history" ? "history" : "refund"
    let base = "/inApps/v2/\(path)/\(bought.transactionID)"
    let good = PageToken.write(1, "1", kind: kind)
    for (revision, expected) in [
      (good, 200), (PageToken.write(0, "", kind: kind), 200), ("", 4_000_005), ("x", 4_000_005),
      ("%00", 4_000_005), ("\(good)=", 4_000_005),
      (PageToken.write(1, "1", kind: "other"), 4_000_005),
      (PageToken.write(-1, "1", kind: kind), 4_000_005),
      (PageToken.write(1, String(repeating: "1", count: 600), kind: kind), 4_000_005),
    ] as [(String, Int64)] {
      let response = await send(.get, "\(base)?revision=\(revision)", token)
      #expect(code(response) == expected, "\(revision.prefix(40))")
    }
  }

  @Test(arguments: [
    ("startDate=-1", 4_000_015), ("startDate=253402300800000", 4_000_015),
    ("startDate=253402300799999", 200), ("startDate=9223372036854775808", 4_000_015),
    ("startDate=1.5", 4_000_015), ("startDate=", 4_000_015), ("endDate=x", 4_000_016),
    ("endDate=253402300800000", 4_000_016), ("endDate=253402300799999", 200),
    ("startDate=2&endDate=2", 4_000_016), ("startDate=2&endDate=1", 4_000_016),
    ("startDate=1&endDate=2", 200), ("startDate=0", 200),
  ])
  func aDateOfAHistoryOutOfRangeIsRefused(_ query: String, _ expected: Int64) async throws {
    let bought = try test.buy(DemoCatalog.coins)
    let token = "Bearer \(try tokens.token())"
    for version in ["v1", "v2"] {
      let path = "/inApps/\(version)/history/\(bought.transactionID)?\(query)"
      #expect(code(await send(.get, path, token)) == expected)
    }
  }
}

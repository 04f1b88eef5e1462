import AppStoreSimulator
import EntitlementServer
import Foundation
import HTTPValues
import IAPModel
import ServerStorage
import Testing

@Suite struct CatalogTests {
  private static let catalog: JSONObject = [
    "products": [
      [
        "id": "com.example.demo.lifetime", "type": "Non-Consumable", "entitlements": ["pro", "hd"],
        "displayName": ["en": "For ever", "zh-Hans": "永久"],
      ],
      [
        "id": "com.example.demo.coins", "type": "Consumable", "credits": ["coins": 100],
      ],
      [
        "id": "com.example.demo.season", "type": "Non-Renewing Subscription",
        "entitlements": ["pro"], "duration": "P30D",
      ],
    ]
  ]

  @Test(arguments: Backend.allCases)
  func aCatalogIsShownAsItWasGiven(backend: Backend) async throws {
    try await withLedger(backend) { ledger in
      let test = try TestServer(ledger: ledger)
      let none = try await test.get("/v1/catalog")
      #expect(none.status == 404)
      #expect(none.errorCode == "catalogMissing")
      let put = try await test.send(.put, "/v1/catalog", Self.catalog)
      #expect(put.status == 200)
      let tag = try #require(put.headers["ETag"])
      let shown = try await test.get("/v1/catalog")
      #expect(shown.body["products"] == Self.catalog["products"])
      #expect(shown.headers["ETag"] == tag)
      for known in [tag, "W/\(tag)", "\"other\", \(tag)", "*"] {
        let same = try await test.send(.get, "/v1/catalog", headers: ["If-None-Match": known])
        #expect(same.status == 304)
        #expect(same.headers["ETag"] == tag)
      }
      let other = try await test.send(.get, "/v1/catalog", headers: ["If-None-Match": "\"x\""])
      #expect(other.status == 200)
    }
  }

  @Test(arguments: Backend.allCases)
  func onlyTheVersionThatIsNamedIsReplaced(backend: Backend) async throws {
    try await withLedger(backend) { ledger in
      let test = try TestServer(ledger: ledger)
      let first = try #require(
        try await test.send(.put, "/v1/catalog", Self.catalog).headers["ETag"]
      )
      let smaller: JSONObject = ["products": []]
      #expect(try await test.send(.put, "/v1/catalog", smaller).status == 428)
      let wrong = try await test.send(.put, "/v1/catalog", headers: ["If-Match": "\"x\""], smaller)
      #expect(wrong.status == 412)
      #expect(wrong.errorCode == "versionMismatch")
      let right = try await test.send(.put, "/v1/catalog", headers: ["If-Match": first], smaller)
      let second = try #require(right.headers["ETag"])
      #expect(second != first)
      // The same once more is the same state, whatever version it names.
      let again = try await test.send(.put, "/v1/catalog", headers: ["If-Match": first], smaller)
      #expect(again.status == 200)
      #expect(again.headers["ETag"] == second)
      let back = try await test.send(
        .put,
        "/v1/catalog",
        headers: ["If-Match": "*"],
        Self.catalog
      )
      #expect(back.status == 200)
      #expect(back.headers["ETag"] != first)
    }
  }

  @Test func ofTwoWritersAtTheSameMomentOneWins() async throws {
    let test = try TestServer()
    let first = try #require(
      try await test.send(.put, "/v1/catalog", Self.catalog).headers["ETag"]
    )
    let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
      for number in 0..<10 {
        group.addTask {
          let body: JSONObject = [
            "products": [["id": .string("p\(number)"), "type": "Consumable"]]
          ]
          return try await test.send(.put, "/v1/catalog", headers: ["If-Match": first], body)
            .status
        }
      }
      return try await group.reduce(into: [Int]()) { $0.append($1) }
    }
    #expect(statuses.sorted() == [200] + Array(repeating: 412, count: 9))
  }

  @Test(arguments: [
    (#"{}"#, "products"), (#"{"products": 1}"#, "products"),
    (#"{"products": [], "x": 1}"#, "x"), (#"{"products": [1]}"#, "products[0]"),
    (#"{"products": [{"id": "a"}]}"#, "products[0].type"),
    (#"{"products": [{"id": "", "type": "Consumable"}]}"#, "products[0].id"),
    (#"{"products": [{"id": "a", "type": "Thing"}]}"#, "products[0].type"),
    (#"{"products": [{"id": "a", "type": "Consumable", "prise": 1}]}"#, "products[0].prise"),
    (
      #"{"products": [{"id": "a", "type": "Consumable"}, {"id": "a", "type": "Consumable"}]}"#,
      "products[1].id"
    ),
    (
      #"{"products": [{"id": "a", "type": "Consumable", "duration": "P1M"}]}"#,
      "products[0].duration"
    ),
    (
      #"{"products": [{"id": "a", "type": "Non-Renewing Subscription", "duration": "soon"}]}"#,
      "products[0].duration"
    ),
    (
      #"{"products": [{"id": "a", "type": "Non-Consumable", "credits": {"coins": 1}}]}"#,
      "products[0].credits"
    ),
    (
      #"{"products": [{"id": "a", "type": "Consumable", "credits": {"coins": 0}}]}"#,
      "products[0].credits"
    ),
    (
      #"{"products": [{"id": "a", "type": "Consumable", "entitlements": ["x", 1]}]}"#,
      "products[0].entitlements[1]"
    ),
    (
      #"{"products": [{"id": "a", "type": "Consumable", "level": 0}]}"#, "products[0].level"
    ),
  ])
  func aMistakeInACatalogIsNamedByItsPlace(text: String, place: String) async throws {
    let test = try TestServer()
    let answer = try await test.send(
      HTTPRequest(method: .put, target: "/v1/catalog", body: Array(text.utf8))
    )
    #expect(answer.status == 400)
    #expect(answer.errorParameter == place)
  }

  @Test func aCatalogHasAtMostAThousandProducts() async throws {
    let test = try TestServer()
    func catalog(_ count: Int) -> JSONObject {
      [
        "products": .array(
          (0..<count).map { ["id": .string("p\($0)"), "type": "Consumable"] }
        )
      ]
    }
    #expect(try await test.send(.put, "/v1/catalog", catalog(1001)).errorParameter == "products")
    #expect(try await test.send(.put, "/v1/catalog", catalog(1000)).status == 200)
  }

  @Test(arguments: Backend.allCases)
  func theCatalogDecidesWhatAProductOpens(backend: Backend) async throws {
    try await withLedger(backend) { ledger in
      let test = try TestServer(ledger: ledger)
      let lifetime = try test.buy(DemoCatalog.lifetime)
      let before = try await test.verify(lifetime, ["account": "mia"])
      #expect(before.entitlements == [DemoCatalog.lifetime.rawValue])
      #expect(try await test.send(.put, "/v1/catalog", Self.catalog).status == 200)
      let after = try await test.verify(lifetime, ["account": "mia"])
      #expect(after.entitlements == ["hd", "pro"])
      #expect(names(try await test.customer("mia")["entitlements"]) == ["hd", "pro"])
    }
  }
}

import AppStoreSimulator
import Foundation
import HTTPValues
import IAPKit
import IAPModel
import SimulatedApp

/// Asks the servers what a backend would ask them, past the weather.
struct ServerView {
  let world: SimulatedWorld

  /// What the servers say.
  struct Answer: Sendable {
    /// The customers' data by the user's name.
    var customers: [String: JSONObject] = [:]
    /// The customers' balances of coins.
    var coins: [String: Int64] = [:]
    /// The transactions in the review queue.
    var reviewed: Set<String> = []

    /// Whether an order is visibly set aside: at the server, or in the app.
    func isSetAside(_ record: StoreTransactionRecord, in world: SimulatedWorld) -> Bool {
      let id = record.transactionID.rawValue
      return id == world.postponed || reviewed.contains(id)
        || world.apps.contains { app in
          app.isAlive && app.manager.ordersNeedingAttention.contains { $0.transactionId == id }
        }
    }
  }

  /// Says what coins are worth.
  func putCatalog() async -> Bool {
    let products: [JSONValue] = SimulationKit.products.map { product in
      var object: JSONObject = [
        "id": .string(product.id.rawValue), "type": .string(Self.word(product.type)),
      ]
      if product.type == .consumable {
        object["credits"] = ["coins": .integer(SimulationKit.coinsPerPiece)]
      }
      return .object(object)
    }
    let body: JSONObject = ["products": .array(products)]
    let app = "?app=\(DemoCatalog.bundleID)"
    let response = await world.farm.answer(
      HTTPRequest(
        method: .put,
        target: "/v1/catalog" + app,
        body: body.serialized
      ),
      isFromApp: false
    )
    return response?.status == 200
  }

  private static func word(_ type: ProductType) -> String {
    switch type {
    case .consumable: "Consumable"
    case .nonConsumable: "Non-Consumable"
    case .nonRenewable: "Non-Renewing Subscription"
    default: "Auto-Renewable Subscription"
    }
  }

  /// Reads everything; nil when a question is not answered.
  func read() async -> Answer? {
    var answer = Answer()
    for (index, customer) in world.cast.customers.enumerated() {
      for user in 0..<customer.userCount {
        let name = Cast.user(index, user)
        let place = "?app=\(DemoCatalog.bundleID)&environment=Sandbox"
        let known = await get("/v1/customers/\(name)\(place)")
        guard let (status, object) = known, status == 200 || status == 404 else { return nil }
        if status == 200 { answer.customers[name] = object }
        if let (status, object) = await get("/v1/customers/\(name)/balances\(place)"), status == 200
        {
          answer.coins[name] = object["balances"]?.objectValue?["coins"]?.integerValue ?? 0
        }
      }
    }
    guard let (status, object) = await get("/v1/reviews?app=\(DemoCatalog.bundleID)"), status == 200
    else { return nil }
    for review in object["reviews"]?.arrayValue ?? [] {
      if let id = review.objectValue?["transactionId"]?.stringValue { answer.reviewed.insert(id) }
    }
    return answer
  }

  private func get(_ target: String) async -> (Int, JSONObject)? {
    let response = await world.farm.answer(
      HTTPRequest(method: .get, target: target),
      isFromApp: false
    )
    guard let response, let object = try? JSONParser.parseObject(response.body, limits: .document)
    else { return nil }
    return (response.status, object)
  }
}

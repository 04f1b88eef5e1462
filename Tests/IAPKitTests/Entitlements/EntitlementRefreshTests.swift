import AppStoreSimulator
import Foundation
import IAPModel
import SimulatedApp
import SimulatedDevice
import Testing

@testable import IAPKit

@Suite("Asking about what is owned", .timeLimit(.minutes(1)))
struct EntitlementRefreshTests {
  private static let ids = (1...11).map { ProductID("thing\($0)") }

  private static var catalog: String {
    let things = ids.map { #"{"productID":"\#($0)","type":"NonConsumable","displayPrice":"1"}"# }
    return """
      {"identifier":"THINGS","version":{"major":4,"minor":0},
      "products":[\(things.joined(separator: ","))],
      "nonRenewingSubscriptions":[],"subscriptionGroups":[],
      "settings":{"_storefront":"USA","_locale":"en_US"}}
      """
  }

  @Test("covers so many purchases at once, the newest of them", arguments: [10, 11])
  func bound(count: Int) async throws {
    let shop = try Shop(.storekit1, catalog: Self.catalog)
    let app = try await shop.launch { configuration in
      configuration.productTypes = Dictionary(
        uniqueKeysWithValues: Self.ids.map { ($0.rawValue, .nonConsumable) }
      )
    }
    for id in Self.ids.prefix(count) {
      _ = try await app.buy(id)
      shop.store.clock.advance(by: 60)
    }
    await app.waitUntilQueueIsEmpty()
    let before = shop.server.asked.count
    try await app.enterForeground()
    let asked = shop.server.asked.dropFirst(before).map(\.productId)
    let newest = Self.ids.prefix(count).suffix(EntitlementRefresh.questionsMax).map(\.rawValue)
    #expect(Set(asked) == Set(newest))
    #expect(asked.count == EntitlementRefresh.questionsMax)
  }
}

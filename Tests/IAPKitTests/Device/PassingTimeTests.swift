import AppStoreSimulator
import Foundation
import IAPKit
import IAPModel
import SimulatedApp
import SimulatedDevice
import Testing

@Suite("Time that passes while an app waits", .timeLimit(.minutes(1)))
struct PassingTimeTests {
  /// How often a slow answer lets others go first: more turns than another purchase needs to be
  /// asked about until its pauses are longer than a question may take.
  private static let turns = 20_000

  @Test("overtakes no question that is under way", arguments: generations)
  func slowAnswer(generation: StoreGeneration) async throws {
    let shop = try Shop(generation)
    let app = try shop.install()
    let asked = EventLog<String>()
    app.update { [server = shop.server] setup in
      setup.judge = .script { evidence in
        asked.append(evidence.productId)
        if evidence.productId == Shop.coins.rawValue {
          throw IAPError.network(underlying: URLError(.cannotConnectToHost))
        }
        for _ in 0..<Self.turns { await Task.yield() }
        return try await server.judge(evidence)
      }
    }
    try await app.launch()
    guard case .processing = try await app.buy(Shop.coins) else {
      Issue.record("nobody answers about it")
      return
    }
    let buying = Task { try await app.buy(Shop.lifetime) }
    await asked.wait { $0 == Shop.lifetime.rawValue }
    #expect(await app.letTimePass { app.count(of: Shop.lifetime) == 1 })
    guard case .delivered = try await buying.value else {
      Issue.record("its answer was not waited for")
      return
    }
    #expect(asked.elements.count { $0 == Shop.lifetime.rawValue } == 1)
  }
}

import AppStoreSimulator
import Foundation
import IAPKit
import IAPModel
import SimulatedApp
import SimulatedDevice
import Testing

/// The process is killed before each action of the funnel, on real adapters, and relaunched: every
/// paid order takes effect exactly once, or is visibly set aside.
@Suite("Crash matrix", .timeLimit(.minutes(15)))
struct CrashMatrixTests {
  struct Scene: CustomStringConvertible {
    let product: ProductID
    let type: ProductType
    let generation: StoreGeneration
    let mood: FunnelMap.Mood

    static var all: [Scene] {
      let products: [(ProductID, ProductType)] = [
        (Shop.coins, .consumable), (Shop.lifetime, .nonConsumable),
        (DemoCatalog.season, .nonRenewable), (Shop.monthly, .autoRenewable),
      ]
      return generations.flatMap { generation in
        products.flatMap { product, type in
          FunnelMap.Mood.allCases.map {
            Scene(product: product, type: type, generation: generation, mood: $0)
          }
        }
      }
    }

    var description: String { "\(type), \(generation), server \(mood)" }
  }

  /// The death of a process that has nothing more to do for now.
  private static let atRest = "rest"
  /// How many seconds lie between a process and the next one.
  private static let pause: TimeInterval = 0.01
  /// How often a process that took another way is sent again.
  private static let triesMax = 10

  @Test("kills at every step, and every paid order takes effect once or is set aside")
  func matrix() async throws {
    var (covered, total, runs) = (0, 0, 0)
    for scene in Scene.all {
      let cells = FunnelMap(scene.type, scene.generation, scene.mood).steps
      let found = try await explore(scene)
      let missing = cells.subtracting(found.deaths).sorted()
      #expect(missing == [], "\(scene): no process died there")
      covered += cells.intersection(found.deaths).count
      total += cells.count
      runs += found.runs
      print("  \(scene): \(cells.intersection(found.deaths).count) of \(cells.count)")
    }
    print("crash matrix: \(covered) of \(total) cells covered, in \(runs) runs")
  }

  /// Kills at every step that any process takes: in the first one, then in those after it.
  private func explore(_ scene: Scene) async throws -> (deaths: Set<String>, runs: Int) {
    let shop = try Shop(scene.generation)
    var deaths: Set<String> = []
    var planned: Set<String> = [Self.atRest]
    var tries: [String: Int] = [:]
    var todo: [[String]] = [[], [Self.atRest]]
    var runs = 0
    while !todo.isEmpty {
      let kills = todo.removeFirst()
      runs += 1
      let run = try await play(scene, kills, in: shop, number: runs)
      deaths.formUnion(run.deaths)
      // Whether a timer or StoreKit's announcement comes first is not certain: the other way round
      // the process took other steps, so it is tried again.
      if let last = kills.last, last != Self.atRest, !deaths.contains(last),
        tries[last, default: 0] < Self.triesMax
      {
        tries[last, default: 0] += 1
        todo.append(kills)
      }
      guard kills.count < FunnelMap.deathsMax else { continue }
      for step in run.traces[kills.count] where planned.insert(step).inserted {
        todo.append(kills + [step])
      }
    }
    return (deaths, runs)
  }

  private func play(
    _ scene: Scene,
    _ kills: [String],
    in shop: Shop,
    number: Int
  ) async throws -> (traces: [[String]], deaths: Set<String>) {
    let account = AccountID("account-\(number)")
    try shop.store.addAccount(account)
    let app = try shop.install(on: DeviceID("phone-\(number)"), account: account)
    var traces: [[String]] = []
    var deaths: Set<String> = []
    for (index, step) in (kills.map(Optional.some) + [nil]).enumerated() {
      let isFirst = index == 0
      shop.server.mood = mood(scene, isFirst: isFirst)
      let before = app.steps.elements.count
      app.update { $0.dies = step.map(SimulatedApp.death(at:)) }
      try? await app.launch()
      if isFirst { _ = try? await app.buy(scene.product) }
      let isDown = isFirst && scene.mood == .down
      let waits = await app.letTimePass { !app.isAlive || isSettled(app, isDown: isDown) }
      #expect(waits, "\(scene), killed at \(kills): process \(index) came to no end")
      await app.rest()
      if let step, !app.isAlive { deaths.insert(step) }
      traces.append(app.steps.elements.dropFirst(before).map(\.name))
      if step != nil { app.kill() }
      // Nobody opens an app again within the millisecond to which the journal knows the time.
      shop.store.clock.advance(by: Self.pause)
    }
    check(app, scene, kills)
    app.kill()
    return (traces, deaths)
  }

  private func mood(_ scene: Scene, isFirst: Bool) -> TruthfulServer.Mood {
    switch scene.mood {
    case .up: .truthful
    case .down: isFirst ? .down : .truthful
    case .rejecting: .rejecting
    }
  }

  /// Whether nothing is left to do, or, while the server is down, it was asked twice.
  private func isSettled(_ app: SimulatedApp, isDown: Bool) -> Bool {
    let open = app.manager.store.openRecords()
    if isDown { return open.contains { $0.attempts >= 2 } }
    return app.isQueueEmpty && !app.manager.store.records().isEmpty
      && open.allSatisfy { $0.state == .quarantined || $0.state == .delivered }
  }

  private func check(_ app: SimulatedApp, _ scene: Scene, _ kills: [String]) {
    let label = "\(scene), killed at \(kills)"
    let isRefused = scene.mood == .rejecting
    // The down scene without a death ends with a server that is still down.
    let isUndecided = scene.mood == .down && kills.isEmpty
    #expect(app.effects.count == (isRefused || isUndecided ? 0 : 1), "\(label)")
    #expect(app.isQueueEmpty == !isUndecided, "\(label)")
    #expect(
      app.manager.ordersNeedingAttention.map(\.reason) == (isRefused ? [.rejected] : []),
      "\(label)"
    )
    let state: Order.State = isRefused ? .quarantined : isUndecided ? .paid : .delivered
    #expect(app.manager.store.orders.map(\.state) == [state], "\(label)")
  }
}

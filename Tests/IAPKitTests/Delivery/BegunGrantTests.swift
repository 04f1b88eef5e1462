import AppStoreSimulator
import Foundation
import IAPKit
import IAPModel
import SimulatedApp
import SimulatedDevice
import Testing

/// Goods whose handing over was begun and not answered, when the App Store takes the purchase back.
@Suite struct BegunGrantReducerTests {
  private var machine = DrivenMachine()
  private let coins = StoreTransaction.coins("1")
  private let grant = DueEffect(kind: .grant, key: "grant:tx:1")
  private let clawback = DueEffect(kind: .clawback, key: "clawback:tx:1:1700000010000")

  @Test mutating func areHandedOverToTheEndAndThenTakenBack() {
    _ = machine.feed(.arrived(coins, order: nil))
    #expect(
      machine.feed(.verdict(.accepted(nil))) == ["save", "tell accepted", "deliver \(grant.key)"]
    )
    #expect(machine.record?.isGrantBegun == true)
    // The process dies here, and the refund comes before the next launch.
    let refund = coins.retold(signedAfter: 10, revoked: true)
    #expect(machine.feed(.arrived(refund, order: nil)) == ["save", "deliver \(grant.key)"])
    #expect(
      machine.feed(.answered(.delivered, grant))
        == ["save", "tell ready grant", "retry in 0"]
    )
    #expect(machine.state == .accepted, "a crash here goes on with the clawback")
    #expect(machine.feed(.due(nil)) == ["deliver \(clawback.key)"])
    #expect(
      machine.feed(.answered(.delivered, clawback)) == ["save", "tell ready clawback", "finish"]
    )
    #expect(machine.record?.acknowledged == [grant.key, clawback.key])
  }

  @Test mutating func thatNobodyWasCalledForAreNeitherHandedOverNorTakenBack() {
    machine.hasTaker = false
    _ = machine.feed(.arrived(coins, order: nil))
    _ = machine.feed(.verdict(.accepted(nil)))
    #expect(machine.record?.isGrantBegun == false)
    machine.hasTaker = true
    let refund = coins.retold(signedAfter: 10, revoked: true)
    _ = machine.feed(.arrived(refund, order: nil))
    #expect(machine.record?.acknowledged == [])
    #expect(machine.state == .delivered)
  }

  @Test mutating func areMarkedBeforeSomebodyIsCalledLater() {
    machine.hasTaker = false
    _ = machine.feed(.arrived(coins, order: nil))
    _ = machine.feed(.verdict(.accepted(nil)))
    machine.hasTaker = true
    #expect(machine.feed(.due(nil)) == ["save", "deliver \(grant.key)"])
    #expect(machine.feed(.due(nil)) == ["deliver \(grant.key)"], "the mark is there")
  }
}

@Suite("Goods on the shelf of a process that died", .timeLimit(.minutes(1)))
struct BegunGrantTests {
  @Test("are taken back when the refund came before the next launch", arguments: generations)
  func refunded(generation: StoreGeneration) async throws {
    let shop = try Shop(generation)
    let app = try await shop.launch()
    app.kill(at: .afterDelivery)
    await #expect(throws: DeviceError.self) { _ = try await app.buy(Shop.lifetime) }
    #expect(app.effects.map(\.kind) == [.grant])
    let bought = try #require(shop.store.transactions(of: Shop.account).first)
    try shop.store.refund(bought.transactionID)
    try await app.launch()
    await app.waitUntil(1, .clawback, of: Shop.lifetime)
    await app.waitUntilQueueIsEmpty()
    #expect(app.effects.map(\.kind) == [.grant, .clawback])
    #expect(!app.access(to: Shop.lifetime).isGranted)
    try await app.launch()
    try await app.enterForeground()
    #expect(app.effects.map(\.kind) == [.grant, .clawback])
  }
}

import AppStoreSimulator
import Foundation
import IAPModel
import SimulatedDevice
import StoreKit
import Testing

@Suite(.timeLimit(.minutes(1))) struct KillTests {
  private static let killed = DeviceError(.processKilled, "")

  @Test func whatWasNotFinishedIsAnUpdateAtTheNextLaunch() async throws {
    let world = try DeviceWorld()
    let device = try world.device()
    let first = device.launch()
    let bought = try await first.bought(DeviceWorld.coins)
    first.kill()
    let second = device.launch()
    #expect(await second.listenToUpdates().next(1).map(\.unsafePayloadValue.id) == [bought.id])
    #expect(try await second.list(.unfinished) == [DeviceWorld.coins])
  }

  @Test func aKillBeforeThePurchaseBuysNothing() async throws {
    let world = try DeviceWorld()
    let process = try world.device().launch()
    process.kill(at: .beforePurchase)
    await #expect(throws: Self.killed) { _ = try await process.buy(DeviceWorld.coins) }
    #expect(world.transactions.isEmpty)
  }

  @Test func aKillAfterThePurchaseLeavesItUnfinished() async throws {
    let world = try DeviceWorld()
    let device = try world.device()
    let process = device.launch()
    process.kill(at: .afterPurchase)
    await #expect(throws: Self.killed) { _ = try await process.buy(DeviceWorld.coins) }
    #expect(world.transactions.count == 1)
    #expect(try await device.launch().list(.unfinished) == [DeviceWorld.coins])
  }

  @Test(arguments: [(KillStep.beforeFinish, 1), (.afterFinish, 0)])
  func aKillAtFinishLeavesWhatTheStoreKnows(_ step: KillStep, _ unfinished: Int) async throws {
    let world = try DeviceWorld()
    let device = try world.device()
    let process = device.launch()
    let bought = try await process.bought(DeviceWorld.coins)
    process.kill(at: step)
    await #expect(throws: Self.killed) { try await process.run { await bought.finish() } }
    #expect(process.passCount(step) == 1)
    #expect(try await device.launch().list(.unfinished).count == unfinished)
  }

  @Test func theSecondPassingCanBeTheDeadlyOne() async throws {
    let world = try DeviceWorld()
    let process = try world.device().launch()
    process.kill(at: .beforeFinish, occurrence: 2)
    let first = try await process.bought(DeviceWorld.coins)
    let second = try await process.bought(DeviceWorld.coins)
    try await process.run { await first.finish() }
    await #expect(throws: Self.killed) { try await process.run { await second.finish() } }
    #expect(world.transactions.map(\.isFinished) == [true, false])
  }

  @Test func aStepOfTheAppCanBeDeadly() async throws {
    let world = try DeviceWorld()
    let process = try world.device().launch()
    process.kill(at: "afterSave")
    let reached = Heard<String>()
    await #expect(throws: Self.killed) {
      try await process.run {
        reached.add("saved")
        await process.pass("afterSave")
        reached.add("behind")
      }
    }
    #expect(await reached.rest() == ["saved"])
  }

  @Test func aDeadProcessHearsNothing() async throws {
    let world = try DeviceWorld()
    let process = try world.device().launch()
    let updates = process.listenToUpdates()
    let bought = try await process.bought(DeviceWorld.lifetime)
    process.kill()
    try world.store.refund(TransactionID("\(bought.id)"))
    _ = try await world.device("pad").launch().bought(DeviceWorld.coins)
    #expect(await updates.rest().isEmpty)
    await #expect(throws: Self.killed) { _ = try await process.buy(DeviceWorld.coins) }
    #expect(world.transactions.count == 2)
  }

  @Test func aSheetOfADeadProcessIsClosed() async throws {
    let world = try DeviceWorld()
    let device = try world.device()
    device.person.willAnswer(.hold)
    let process = device.launch()
    let purchase = Task { try await process.buy(DeviceWorld.coins) }
    await device.sheet.waitUntilOpen()
    process.kill()
    await #expect(throws: Self.killed) { _ = try await purchase.value }
    #expect(device.sheet.openProducts.isEmpty)
    #expect(world.transactions.isEmpty)
  }

  @Test func aGuardedEffectOfADeadProcessDoesNotBegin() async throws {
    let world = try DeviceWorld()
    let process = try world.device().launch()
    let effects = Heard<String>()
    #expect(try await process.run { await process.guarded { 7 } } == 7)
    process.kill(at: .beforeRequest)
    await #expect(throws: Self.killed) {
      try await process.run {
        await process.guarded(before: .beforeRequest) { effects.add("sent") }
      }
    }
    #expect(await effects.rest().isEmpty)
  }

  @Test func launchingKillsTheProcessBefore() async throws {
    let device = try DeviceWorld().device()
    let first = device.launch()
    let second = device.launch()
    #expect(!first.isAlive)
    #expect(second.isAlive)
    await first.waitUntilKilled()
  }
}

@Suite(.timeLimit(.minutes(1))) struct BindingTests {
  @Test func theBindingSurvivesTasksAndTheMainActor() async throws {
    let world = try DeviceWorld()
    let process = try world.device().launch()
    let countries = try await process.run {
      let inTask = await Task { await StoreKit.Storefront.current?.countryCode }.value
      let onMain = await MainActor.run { SKPaymentQueue.default().storefront?.countryCode }
      let inGroup = await withTaskGroup(of: String?.self) { group in
        group.addTask { await StoreKit.Storefront.current?.countryCode }
        return await group.next() ?? nil
      }
      return [inTask, onMain, inGroup]
    }
    #expect(countries == ["USA", "USA", "USA"])
  }

  @Test func twoDevicesInOneProcessDoNotMix() async throws {
    let world = try DeviceWorld()
    try world.store.addAccount("bob", storefront: .of(countryCode: "FRA"))
    let ada = try world.device().launch()
    let bob = try SimulatedDevice(store: world.store, account: "bob", id: "bobs").launch()
    _ = try await ada.bought(DeviceWorld.lifetime)
    #expect(try await bob.list(.all).isEmpty)
    #expect(try await bob.run { SKPaymentQueue.default().storefront?.countryCode } == "FRA")
    let queues = (
      try await ada.run { SKPaymentQueue.default() }, try await bob.run { SKPaymentQueue.default() }
    )
    #expect(queues.0 !== queues.1)
    #expect(try await ada.run { SKPaymentQueue.default() } === queues.0)
  }

  @Test func useOutsideOfAnAppProcessTraps() async {
    await #expect(processExitsWith: .failure) {
      _ = SKPaymentQueue.default()
    }
  }

  @Test func valuesKeepTheirProcess() async throws {
    let world = try DeviceWorld()
    let process = try world.device().launch()
    let bought = try await process.bought(DeviceWorld.coins)
    await bought.finish()
    #expect(world.transactions.first?.isFinished == true)
  }
}

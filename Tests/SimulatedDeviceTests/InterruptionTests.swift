import AppStoreSimulator
import Foundation
import IAPModel
import SimulatedDevice
import StoreKit
import Testing

@Suite("An app that does not run while its sheet is open", .timeLimit(.minutes(1)))
struct SuspensionTests {
  /// A device whose sheets stay open, and what another device of the account hears: that shows
  /// when the store has sold.
  private func start(
    _ change: (inout DeviceOptions) -> Void = { _ in }
  ) throws -> (DeviceWorld, SimulatedDevice, Heard<VerificationResult<StoreKit.Transaction>>) {
    let world = try DeviceWorld()
    let device = try world.device("phone", change)
    device.person.usualAnswer = .hold
    let sold = try world.device("tablet").launch().listenToUpdates()
    return (world, device, sold)
  }

  private func buying(in process: AppProcess) -> Heard<String> {
    let heard = Heard<String>()
    process.start {
      do {
        let product = try #require(try await Product.products(for: [DeviceWorld.coins]).first)
        switch try await product.purchase() {
        case .success: heard.add("success")
        case .userCancelled: heard.add("userCancelled")
        case .pending: heard.add("pending")
        }
      } catch {
        heard.add("\(error)")
      }
    }
    return heard
  }

  @Test func aPaymentIsMadeAndHeardOfWhenTheAppRunsAgain() async throws {
    let (world, device, sold) = try start()
    let process = device.launch()
    let heard = buying(in: process)
    await device.sheet.waitUntilOpen()
    device.enterBackground()
    #expect(process.isSuspended)
    try device.sheet.confirm()
    #expect(await sold.next(1).count == 1)
    let updates = process.listenToUpdates()
    device.enterForeground()
    #expect(await heard.next(1) == ["success"])
    #expect(world.transactions.count == 1)
    // It was answered, so it is no update.
    try world.buyElsewhere()
    #expect(await updates.next(1).map(\.unsafePayloadValue.productID) == [DeviceWorld.season])
  }

  @Test func theQueueHearsOfItWhenTheAppRunsAgain() async throws {
    let (_, device, sold) = try start()
    let process = device.launch()
    let observer = QueueObserver()
    try await process.observe(observer)
    try await process.pay(for: DeviceWorld.coins)
    #expect(await observer.said.next(1) == ["purchasing \(DeviceWorld.coins)"])
    await device.sheet.waitUntilOpen()
    device.enterBackground()
    try device.sheet.confirm()
    #expect(await sold.next(1).count == 1)
    device.enterForeground()
    #expect(await observer.said.next(1) == ["purchased \(DeviceWorld.coins)"])
  }

  @Test func anAppThatWasKilledMeanwhileHearsOfItAtTheNextLaunch() async throws {
    let (_, device, sold) = try start()
    let process = device.launch()
    let heard = buying(in: process)
    await device.sheet.waitUntilOpen()
    device.enterBackground()
    try device.sheet.confirm()
    #expect(await sold.next(1).count == 1)
    process.kill()
    let updates = device.launch().listenToUpdates()
    #expect(await updates.next(1).map(\.unsafePayloadValue.productID) == [DeviceWorld.coins])
    #expect(await heard.rest().isEmpty)
  }

  @Test func whatHappensMeanwhileIsAnUpdateAfterwards() async throws {
    let world = try DeviceWorld()
    let device = try world.device()
    let process = device.launch()
    let updates = process.listenToUpdates()
    let bought = try await process.bought(DeviceWorld.monthly)
    device.enterBackground()
    world.advance(days: 31)
    #expect(world.transactions.count == 2)
    device.enterForeground()
    let update = try #require(await updates.next(1).first).unsafePayloadValue
    #expect(update.originalID == bought.id)
    #expect(update.reason == .renewal)
  }

  @Test(arguments: [false, true])
  func aRefundThatTheKilledAppDidNotHearOfComesAtTheNextLaunch(_ isKilled: Bool) async throws {
    let world = try DeviceWorld()
    let device = try world.device()
    let process = device.launch()
    let updates = process.listenToUpdates()
    let bought = try await process.bought(DeviceWorld.lifetime)
    try await process.run { await bought.finish() }
    device.enterBackground()
    try world.store.refund(TransactionID("\(bought.id)"))
    if isKilled {
      let next = device.launch().listenToUpdates()
      #expect(await next.next(1).first?.unsafePayloadValue.revocationDate != nil)
      #expect(await updates.rest().isEmpty)
    } else {
      device.enterForeground()
      #expect(await updates.next(1).first?.unsafePayloadValue.revocationDate != nil)
      let next = device.launch().listenToUpdates()
      try world.buyElsewhere()
      #expect(await next.next(1).map(\.unsafePayloadValue.productID) == [DeviceWorld.season])
    }
  }

  @Test func lockingTheDeviceClosesTheSheet() async throws {
    let (world, device, _) = try start()
    let heard = buying(in: device.launch())
    await device.sheet.waitUntilOpen()
    device.lock()
    #expect(device.sheet.openProducts == [])
    #expect(throws: DeviceError(.locked, "")) { try device.sheet.confirm() }
    // Coming back needs an unlocked device.
    device.enterForeground()
    device.unlock()
    #expect(await heard.next(1) == ["userCancelled"])
    #expect(world.transactions.isEmpty)
    #expect(device.visits.map(\.ending) == [.closed])
  }

  @Test func aSheetCanOutliveTheLock() async throws {
    let (world, device, sold) = try start { $0.keepsSheetWhenLocked = true }
    let heard = buying(in: device.launch())
    await device.sheet.waitUntilOpen()
    device.lock()
    #expect(device.sheet.openProducts == [DemoCatalog.coins])
    for attempt in [device.sheet.confirm, device.sheet.cancel, device.sheet.askParent] {
      #expect(throws: DeviceError(.locked, "")) { try attempt() }
    }
    device.unlock()
    try device.sheet.confirm()
    #expect(await heard.next(1) == ["success"])
    #expect(await sold.next(1).count == 1)
    #expect(world.transactions.count == 1)
  }
}

@Suite("The way from a device to the store", .timeLimit(.minutes(1)))
struct ConnectionTests {
  private func product(_ id: String, in process: AppProcess) async throws -> Product {
    try await process.run { try #require(try await Product.products(for: [id]).first) }
  }

  @Test func aSlowStoreSellsAfterTheDelay() async throws {
    let world = try DeviceWorld()
    let device = try world.device()
    let process = device.launch()
    let product = try await product(DeviceWorld.coins, in: process)
    device.connection.delay = 5
    let heard = Heard<Bool>()
    process.start {
      if case .success? = try? await product.purchase() { heard.add(true) }
    }
    await device.connection.waitUntilUnderway()
    world.store.clock.advance(by: 4.999)
    #expect(device.connection.underwayCount == 1)
    #expect(world.transactions.isEmpty)
    world.store.clock.advance(by: 0.001)
    #expect(await heard.next(1) == [true])
    #expect(device.connection.underwayCount == 0)
    #expect(world.transactions.count == 1)
  }

  @Test func everyCallTakesTheWay() async throws {
    let world = try DeviceWorld()
    let device = try world.device()
    let process = device.launch()
    device.connection.delay = 3
    let calls: [@Sendable () async throws -> Void] = [
      { _ = try await Product.products(for: [DeviceWorld.coins]) }, { try await AppStore.sync() },
      { _ = try await AppTransaction.refresh() },
    ]
    for call in calls {
      let heard = Heard<Bool>()
      process.start {
        try? await call()
        heard.add(true)
      }
      await device.connection.waitUntilUnderway()
      world.store.clock.advance(by: 3)
      #expect(await heard.next(1) == [true])
    }
    let observer = QueueObserver()
    try await process.observe(observer)
    try await process.run { SKPaymentQueue.default().restoreCompletedTransactions() }
    await device.connection.waitUntilUnderway()
    world.store.clock.advance(by: 3)
    #expect(await observer.said.next(1) == ["restore finished"])
  }

  @Test func theNetworkCanGoOnTheWay() async throws {
    let world = try DeviceWorld()
    let device = try world.device()
    let process = device.launch()
    let product = try await product(DeviceWorld.coins, in: process)
    device.connection.delay = 5
    let heard = Heard<String>()
    process.start {
      do { _ = try await product.purchase() } catch { heard.add("\(type(of: error))") }
    }
    await device.connection.waitUntilUnderway()
    device.isInAirplaneMode = true
    world.store.clock.advance(by: 5)
    #expect(await heard.next(1) == ["StoreKitError"])
    #expect(world.transactions.isEmpty)
  }

  @Test func aLostAnswerIsANetworkErrorAndThePurchaseComesLater() async throws {
    let world = try DeviceWorld()
    let device = try world.device()
    let process = device.launch()
    let updates = process.listenToUpdates()
    let product = try await product(DeviceWorld.coins, in: process)
    device.connection.answersToLose = 1
    let error = await #expect(throws: StoreKitError.self) {
      try await process.run { _ = try await product.purchase() }
    }
    guard case .networkError(let reason)? = error else {
      return #expect(Bool(false), "\(String(describing: error))")
    }
    #expect(reason.code == .networkConnectionLost)
    #expect(world.transactions.count == 1)
    device.enterForeground()
    #expect(await updates.next(1).map(\.unsafePayloadValue.productID) == [DeviceWorld.coins])
    // Once only.
    device.enterForeground()
    try world.buyElsewhere()
    #expect(await updates.next(1).map(\.unsafePayloadValue.productID) == [DeviceWorld.season])
    #expect(device.connection.answersToLose == 0)
  }

  @Test func aLostAnswerFailsAPaymentAndThePurchaseComesLater() async throws {
    let device = try DeviceWorld().device()
    let process = device.launch()
    let observer = QueueObserver(finishing: [.failed])
    try await process.observe(observer)
    device.connection.answersToLose = 1
    try await process.pay(for: DeviceWorld.coins)
    #expect(
      await observer.said.next(3) == [
        "purchasing \(DeviceWorld.coins)", "failed \(DeviceWorld.coins)", "removed 1",
      ]
    )
    device.enterForeground()
    #expect(await observer.said.next(1) == ["purchased \(DeviceWorld.coins)"])
    #expect(try await process.queueCount() == 1)
  }

  @Test func aLostAnswerOfAKilledAppComesAtTheNextLaunch() async throws {
    let device = try DeviceWorld().device()
    let process = device.launch()
    let product = try await product(DeviceWorld.coins, in: process)
    device.connection.answersToLose = 1
    _ = try? await process.run { try await product.purchase() }
    process.kill()
    let updates = device.launch().listenToUpdates()
    #expect(await updates.next(1).map(\.unsafePayloadValue.productID) == [DeviceWorld.coins])
  }
}

@Suite("A payment that waits for somebody", .timeLimit(.minutes(1)))
struct WaitingPaymentTests {
  @Test(arguments: [false, true])
  func aPaymentThatNeedsActionFailsFirstAndIsChargedLater(_ isPending: Bool) async throws {
    let world = try DeviceWorld()
    let device = try world.device { $0.interruptedPurchaseIsPending = isPending }
    device.person.paymentNeedsAction = true
    let process = device.launch()
    let updates = process.listenToUpdates()
    let result = try await process.buy(DeviceWorld.coins)
    switch result {
    case .pending: #expect(isPending)
    case .userCancelled: #expect(!isPending)
    case .success: #expect(Bool(false), "it was charged")
    }
    #expect(world.transactions.isEmpty)
    #expect(try device.settlePayment().count == 1)
    #expect(await updates.next(1).map(\.unsafePayloadValue.productID) == [DeviceWorld.coins])
    #expect(!device.person.paymentNeedsAction)
    #expect(throws: SimulatorError(.notAllowed, "")) { try device.settlePayment() }
    #expect(world.transactions.count == 1)
  }

  @Test func theQueueFailsItAndGetsItAsAnother() async throws {
    let device = try DeviceWorld().device()
    device.person.paymentNeedsAction = true
    let process = device.launch()
    let observer = QueueObserver(finishing: [.failed])
    try await process.observe(observer)
    try await process.pay(for: DeviceWorld.coins, quantity: 2, username: "somebody")
    let failed = try #require(await observer.transactions.next(2).last)
    #expect((failed.error as? SKError)?.code == .paymentCancelled)
    try device.settlePayment()
    let later = try #require(await observer.transactions.next(1).last)
    #expect(later !== failed)
    #expect(later.transactionState == .purchased)
    #expect(later.payment.quantity == 2)
    #expect(later.payment.applicationUsername == "somebody")
  }

  @Test func whatIsSettledWhileTheAppIsClosedComesAtTheNextLaunch() async throws {
    let device = try DeviceWorld().device()
    device.person.paymentNeedsAction = true
    let process = device.launch()
    _ = try await process.buy(DeviceWorld.coins)
    process.kill()
    device.isInAirplaneMode = true
    #expect(throws: SimulatorError(.unreachable, "")) { try device.settlePayment() }
    device.isInAirplaneMode = false
    try device.settlePayment()
    let observer = QueueObserver()
    try await device.launch().observe(observer)
    #expect(await observer.said.next(1) == ["purchased \(DeviceWorld.coins)"])
  }

  @Test(arguments: [false, true])
  func aDeclinedPaymentLeavesTheQueueOrFails(_ fails: Bool) async throws {
    let world = try DeviceWorld()
    let device = try world.device { $0.failsDeclinedPayments = fails }
    device.person.willAnswer(.askParent)
    let process = device.launch()
    let observer = QueueObserver()
    try await process.observe(observer)
    try await process.pay(for: DeviceWorld.coins)
    #expect(await observer.said.next(2).last == "deferred \(DeviceWorld.coins)")
    try world.store.decline(try #require(world.store.pendingPurchases.first).id)
    if fails { #expect(await observer.said.next(1) == ["failed \(DeviceWorld.coins)"]) }
    #expect(try await process.queueCount() == (fails ? 1 : 0))
    #expect(await observer.said.rest().isEmpty)
  }

  @Test func whatAParentDeclinesWhileTheAppIsClosedIsNeverHeardOf() async throws {
    let world = try DeviceWorld()
    let device = try world.device()
    device.person.willAnswer(.askParent)
    let process = device.launch()
    guard case .pending = try await process.buy(DeviceWorld.coins) else {
      return #expect(Bool(false), "not pending")
    }
    process.kill()
    try world.store.decline(try #require(world.store.pendingPurchases.first).id)
    let again = device.launch()
    let updates = again.listenToUpdates()
    let observer = QueueObserver()
    try await again.observe(observer)
    #expect(try await again.queueCount() == 0)
    try world.buyElsewhere()
    #expect(await updates.next(1).map(\.unsafePayloadValue.productID) == [DeviceWorld.season])
  }

  @Test func aPersonWhoMayNotPayFailsInTheQueue() async throws {
    let world = try DeviceWorld()
    let device = try world.device()
    device.person.isAllowedToPay = false
    let process = device.launch()
    let observer = QueueObserver()
    try await process.observe(observer)
    #expect(try await process.run { SKPaymentQueue.canMakePayments() } == false)
    try await process.pay(for: DeviceWorld.coins)
    let failed = try #require(await observer.transactions.next(2).last)
    #expect((failed.error as? SKError)?.code == .paymentNotAllowed)
    #expect(world.transactions.isEmpty)
    device.person.isAllowedToPay = true
    try world.store.setMayBuy(false, of: DeviceWorld.account)
    #expect(try await process.run { AppStore.canMakePayments } == false)
    await #expect(throws: Product.PurchaseError.purchaseNotAllowed) {
      _ = try await process.buy(DeviceWorld.coins)
    }
  }
}

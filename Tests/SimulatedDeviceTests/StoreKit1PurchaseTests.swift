import AppStoreSimulator
import Foundation
import IAPModel
import SimulatedDevice
import StoreKit
import Testing

@Suite(.timeLimit(.minutes(1))) struct StoreKit1PurchaseTests {
  @Test func aPurchaseGoesFromPurchasingToPurchasedToRemoved() async throws {
    let world = try DeviceWorld()
    let process = try world.device().launch()
    let observer = QueueObserver(finishing: [.purchased])
    try await process.observe(observer)
    let token = UUID().uuidString
    try await process.pay(for: DeviceWorld.coins, quantity: 2, username: token)
    #expect(
      await observer.said.next(3) == [
        "purchasing com.example.demo.coins", "purchased com.example.demo.coins", "removed 1",
      ]
    )
    let transactions = await observer.transactions.next(2)
    let transaction = try #require(transactions.last)
    #expect(transactions.first === transaction)
    #expect(transaction.transactionIdentifier == world.transactions.first?.transactionID.rawValue)
    #expect(transaction.transactionDate == world.store.clock.now)
    #expect(transaction.payment.quantity == 2)
    #expect(transaction.payment.applicationUsername == token)
    #expect(transaction.original == nil)
    #expect(transaction.error == nil)
    #expect(world.transactions.map(\.isFinished) == [true])
    #expect(world.transactions.first?.appAccountToken == AppAccountToken(token))
    #expect(try await process.queueCount() == 0)
  }

  @Test(arguments: [
    (PersonAnswer.cancel, SKError.Code.paymentCancelled),
    (.fail(.paymentFailed), .unknown),
    (.fail(.interrupted), .paymentCancelled),
    (.fail(.productUnavailable), .paymentInvalid),
    (.fail(.ineligibleForOffer), .ineligibleForOffer),
  ])
  func aFailedTransactionStaysUntilItIsFinished(
    _ answer: PersonAnswer,
    _ code: SKError.Code
  ) async throws {
    let world = try DeviceWorld()
    let device = try world.device()
    device.person.willAnswer(answer)
    let first = device.launch()
    let observer = QueueObserver()
    try await first.observe(observer)
    try await first.pay(for: DeviceWorld.coins)
    let failed = try #require(await observer.transactions.next(2).last)
    #expect(failed.transactionState == .failed)
    #expect((failed.error as? SKError)?.code == code)
    #expect(failed.transactionIdentifier == nil)
    first.kill()
    let second = device.launch()
    let again = QueueObserver(finishing: [.failed])
    try await second.observe(again)
    #expect(await again.said.next(2) == ["failed com.example.demo.coins", "removed 1"])
    let third = device.launch()
    let last = QueueObserver()
    try await third.observe(last)
    try await third.pay(for: DeviceWorld.lifetime)
    #expect(await last.said.next(1) == ["purchasing com.example.demo.lifetime"])
  }

  @Test func anInterruptedPurchaseFailsAndComesAgainAsAnother() async throws {
    let world = try DeviceWorld()
    let process = try world.device().launch()
    let observer = QueueObserver(finishing: [.failed])
    try await process.observe(observer)
    world.store.changeFaults { $0.interruptsPurchases = true }
    try await process.pay(for: DeviceWorld.coins)
    #expect(
      await observer.said.next(3) == [
        "purchasing com.example.demo.coins", "failed com.example.demo.coins", "removed 1",
      ]
    )
    try world.store.approve(try #require(world.store.pendingPurchases.first).id)
    #expect(await observer.said.next(1) == ["purchased com.example.demo.coins"])
  }

  @Test func askToBuyIsDeferredAndThenPurchased() async throws {
    let world = try DeviceWorld()
    let device = try world.device()
    device.person.willAnswer(.askParent)
    let process = device.launch()
    let observer = QueueObserver()
    try await process.observe(observer)
    try await process.pay(for: DeviceWorld.coins, username: "somebody")
    #expect(
      await observer.said.next(2) == [
        "purchasing com.example.demo.coins", "deferred com.example.demo.coins",
      ]
    )
    try world.store.approve(try #require(world.store.pendingPurchases.first).id)
    #expect(await observer.said.next(1) == ["purchased com.example.demo.coins"])
    let transactions = await observer.transactions.next(3)
    #expect(transactions[0] === transactions[2])
    #expect(transactions[2].payment.applicationUsername == "somebody")
    #expect(try await process.queueCount() == 1)
  }

  @Test func aDeferredPurchaseArrivesAfterARelaunch() async throws {
    let world = try DeviceWorld()
    let device = try world.device()
    device.person.willAnswer(.askParent)
    let first = device.launch()
    let token = UUID().uuidString
    let observer = QueueObserver()
    try await first.observe(observer)
    try await first.pay(for: DeviceWorld.coins, username: token)
    _ = await observer.said.next(2)
    first.kill()
    try world.store.approve(try #require(world.store.pendingPurchases.first).id)
    let second = device.launch()
    let again = QueueObserver()
    try await second.observe(again)
    let transaction = try #require(await again.transactions.next(1).first)
    #expect(transaction.transactionState == .purchased)
    #expect(transaction.payment.applicationUsername == token)
    #expect(await observer.said.rest().isEmpty)
  }

  @Test func whatWasNotFinishedComesAgainAtTheNextLaunch() async throws {
    let world = try DeviceWorld()
    let device = try world.device()
    let first = device.launch()
    let observer = QueueObserver(finishing: [.purchased])
    try await first.observe(observer)
    first.kill(at: .beforeFinish)
    try await first.pay(for: DeviceWorld.coins)
    await first.waitUntilKilled()
    let second = device.launch()
    let again = QueueObserver(finishing: [.purchased])
    try await second.observe(again)
    #expect(await again.said.next(2) == ["purchased com.example.demo.coins", "removed 1"])
    let third = device.launch()
    let last = QueueObserver()
    try await third.observe(last)
    #expect(try await third.queueCount() == 0)
    #expect(await last.said.rest().isEmpty)
  }

  @Test func aDeadProcessHearsNoCallback() async throws {
    let world = try DeviceWorld()
    let device = try world.device()
    device.person.willAnswer(.hold)
    let process = device.launch()
    let observer = QueueObserver()
    try await process.observe(observer)
    try await process.pay(for: DeviceWorld.coins)
    await device.sheet.waitUntilOpen()
    #expect(await observer.said.next(1) == ["purchasing com.example.demo.coins"])
    process.kill()
    #expect(throws: DeviceError(.noSheet, "")) { try device.sheet.confirm() }
    _ = try await world.device("pad").launch().bought(DeviceWorld.coins)
    #expect(await observer.said.rest().isEmpty)
  }

  @Test func anotherDevicesPurchaseArrivesWhenTheAppComesToTheFront() async throws {
    let world = try DeviceWorld()
    let phone = try world.device("phone")
    let process = phone.launch()
    let observer = QueueObserver()
    try await process.observe(observer)
    _ = try await world.device("pad").launch().bought(DeviceWorld.lifetime)
    #expect(try await process.queueCount() == 0)
    phone.enterForeground()
    #expect(await observer.said.next(1) == ["purchased com.example.demo.lifetime"])
    phone.enterForeground()
    #expect(await observer.said.rest().isEmpty)
  }

  @Test func aPromotedPurchaseAsksTheObserver() async throws {
    let world = try DeviceWorld()
    let device = try world.device()
    let process = device.launch()
    let observer = QueueObserver(takesStorePayments: true)
    try await process.observe(observer)
    try device.promotePurchase(of: "com.example.demo.coins")
    #expect(
      await observer.said.next(3) == [
        "store payment com.example.demo.coins", "purchasing com.example.demo.coins",
        "purchased com.example.demo.coins",
      ]
    )
  }

  @Test func anObserverThatIsGoneHearsNothing() async throws {
    let world = try DeviceWorld()
    let process = try world.device().launch()
    let observer = QueueObserver()
    try await process.observe(observer)
    try await process.run { SKPaymentQueue.default().remove(observer) }
    let other = QueueObserver()
    try await process.observe(other)
    try await process.pay(for: DeviceWorld.coins)
    #expect(await other.said.next(2).count == 2)
    #expect(await observer.said.rest().isEmpty)
    #expect(try await process.run { SKPaymentQueue.default().transactionObservers.count } == 1)
  }

  @Test(arguments: [true, false])
  func theDelegateDecidesAboutAnotherStorefront(_ continues: Bool) async throws {
    let world = try DeviceWorld()
    let device = try world.device()
    device.person.usualAnswer = .hold
    let process = device.launch()
    let observer = QueueObserver()
    let delegate = StorefrontDelegate(continues: continues)
    try await process.observe(observer)
    try await process.run { SKPaymentQueue.default().delegate = delegate }
    try await process.pay(for: DeviceWorld.coins)
    await device.sheet.waitUntilOpen()
    try world.store.setStorefront(.of(countryCode: "JPN"), of: DeviceWorld.account)
    try device.sheet.confirm()
    #expect(
      await observer.said.next(3) == [
        "purchasing com.example.demo.coins", "storefront JPN",
        continues ? "purchased com.example.demo.coins" : "failed com.example.demo.coins",
      ]
    )
    let last = try #require(await observer.transactions.next(2).last)
    #expect((last.error as? SKError)?.code == (continues ? nil : .storeProductNotAvailable))
    #expect(await delegate.asked.next(1) == ["JPN"])
  }

  @Test func aPaymentWithRequestDataFails() async throws {
    let process = try DeviceWorld().device().launch()
    let observer = QueueObserver()
    try await process.observe(observer)
    try await process.run {
      let payment = SKMutablePayment()
      payment.productIdentifier = DeviceWorld.coins
      payment.requestData = Data([1])
      SKPaymentQueue.default().add(payment)
    }
    let failed = try #require(await observer.transactions.next(2).last)
    #expect((failed.error as? SKError)?.code == .unauthorizedRequestData)
  }

  @Test func aPaymentWithoutAProductTraps() async {
    await #expect(processExitsWith: .failure) {
      let process = try DeviceWorld().device().launch()
      try await process.pay(for: "")
    }
  }

  @Test func finishingWhatIsBeingPurchasedTraps() async {
    await #expect(processExitsWith: .failure) {
      let device = try DeviceWorld().device()
      device.person.usualAnswer = .hold
      let process = device.launch()
      try await process.pay(for: DeviceWorld.coins)
      try await process.run {
        let queue = SKPaymentQueue.default()
        queue.finishTransaction(queue.transactions[0])
      }
    }
  }
}

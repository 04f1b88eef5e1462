import AppStoreSimulator
import Foundation
import SimulatedDevice
import StoreKit
import Testing

@Suite(.timeLimit(.minutes(1))) struct StoreKit1RareTests {
  @Test func thePromotionControllerRemembersOrderAndVisibility() async throws {
    let device = try DeviceWorld().device()
    let process = device.launch()
    let order = try await process.run {
      let controller = SKProductStorePromotionController.default()
      #expect(try await controller.promotionOrder().isEmpty)
      let products = try await Self.products([DeviceWorld.coins, DeviceWorld.lifetime])
      try await controller.update(promotionOrder: products)
      try await controller.update(promotionVisibility: .hide, for: products[1])
      #expect(try await controller.promotionVisibility(for: products[0]) == .default)
      #expect(try await controller.promotionVisibility(for: products[1]) == .hide)
      return try await controller.promotionOrder().map(\.productIdentifier)
    }
    #expect(order == [DeviceWorld.coins, DeviceWorld.lifetime])
    #expect(device.hiddenPromotions == [DemoCatalog.lifetime])
  }

  @Test func thePromotionControllerAnswersThroughHandlers() async throws {
    let process = try DeviceWorld().device().launch()
    let heard = Heard<String>()
    try await process.run {
      let products = try await Self.products([DeviceWorld.coins])
      let controller = SKProductStorePromotionController.default()
      controller.update(storePromotionOrder: products) { error in
        heard.add("ordered \(error == nil)")
      }
    }
    #expect(await heard.next(1) == ["ordered true"])
    try await process.run {
      let controller = SKProductStorePromotionController.default()
      controller.fetchStorePromotionOrder { products, error in
        heard.add("\(products.map(\.productIdentifier)) \(error == nil)")
      }
    }
    #expect(await heard.next(1) == ["\([DeviceWorld.coins]) true"])
  }

  @Test func withoutNetworkThePromotionOrderIsAnError() async throws {
    let device = try DeviceWorld().device()
    let process = device.launch()
    try await process.run {
      try await Product.PromotionInfo.updateProductOrder(byID: [DeviceWorld.coins])
    }
    device.isInAirplaneMode = true
    await #expect(throws: SKError.self) {
      try await process.run {
        _ = try await SKProductStorePromotionController.default().promotionOrder()
      }
    }
  }

  @Test func nothingIsThereToDownload() async throws {
    let process = try DeviceWorld().device().launch()
    let observer = QueueObserver()
    try await process.run {
      let queue = SKPaymentQueue.default()
      queue.add(observer)
      let product = try #require(try await Self.products([DeviceWorld.coins]).first)
      queue.add(SKPayment(product: product))
    }
    let entry = try #require(await observer.transactions.next(2).last)
    #expect(entry.transactionState == .purchased)
    #expect(entry.downloads.isEmpty)
    #expect(SKDownloadTimeRemainingUnknown < 0)
  }

  @Test func aDiscountWithoutSignatureFails() async throws {
    let process = try DeviceWorld().device().launch()
    let observer = QueueObserver()
    try await process.observe(observer)
    try await process.run {
      let payment = SKMutablePayment()
      payment.productIdentifier = DeviceWorld.monthly
      payment.paymentDiscount = SKPaymentDiscount(
        identifier: "an.offer",
        keyIdentifier: "KEY",
        nonce: UUID(),
        signature: "",
        timestamp: 1
      )
      SKPaymentQueue.default().add(payment)
    }
    let entry = try #require(await observer.transactions.next(2).last)
    #expect((entry.error as? SKError)?.code == .missingOfferParams)
  }

  @Test func anAppWithAnInvalidReceiptEndsAndGetsANewOne() async throws {
    let device = try DeviceWorld().device()
    let process = device.launch()
    #expect(device.receipt == nil)
    await #expect(throws: DeviceError(.processKilled, "")) {
      try await process.run { SKTerminateForInvalidReceipt() }
    }
    #expect(!process.isAlive)
    #expect(device.receipt == nil)
    _ = device.launch()
    #expect(device.receipt != nil)
  }

  @Test func aPersonWhoDoesNotSignInGetsNoNewReceipt() async throws {
    let device = try DeviceWorld().device()
    device.person.signsIn = false
    _ = try? await device.launch().run { SKTerminateForInvalidReceipt() }
    _ = device.launch()
    #expect(device.receipt == nil)
  }

  @Test(arguments: [false, true])
  func aPromotedPurchaseWaitsForTheAppAndItsObserver(_ isRunning: Bool) async throws {
    let device = try DeviceWorld().device()
    let first = device.launch()
    if !isRunning { first.kill() }
    try device.promotePurchase(of: DemoCatalog.coins)
    let process = isRunning ? first : device.launch()
    let intents = Heard<PurchaseIntent>()
    process.start { for await intent in PurchaseIntent.intents { intents.add(intent) } }
    #expect(await intents.next(1).map(\.id) == [DeviceWorld.coins])
    let observer = QueueObserver(takesStorePayments: true)
    try await process.observe(observer)
    #expect(
      await observer.said.next(3) == [
        "store payment \(DeviceWorld.coins)", "purchasing \(DeviceWorld.coins)",
        "purchased \(DeviceWorld.coins)",
      ]
    )
    let late = QueueObserver(takesStorePayments: true)
    try await device.launch().observe(late)
    #expect(await late.said.next(1) == ["purchased \(DeviceWorld.coins)"])
  }

  private static func products(_ ids: [String]) async throws -> [SKProduct] {
    let found = try await Product.products(for: ids)
    return ids.compactMap { id in found.first { $0.id == id }.map { SKProduct($0) } }
  }
}

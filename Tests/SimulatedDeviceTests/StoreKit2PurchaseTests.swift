import AppStoreSimulator
import Foundation
import IAPModel
import SimulatedDevice
import StoreKit
import Testing

@Suite(.timeLimit(.minutes(1))) struct StoreKit2PurchaseTests {
  @Test func productsCarryTheStoresTextsAndPrices() async throws {
    let world = try DeviceWorld()
    let process = try world.device().launch()
    let products = try await process.run {
      try await Product.products(for: [DeviceWorld.monthly, "no.such.product", DeviceWorld.coins])
    }
    #expect(Set(products.map(\.id)) == [DeviceWorld.monthly, DeviceWorld.coins])
    let coins = try #require(products.first { $0.id == DeviceWorld.coins })
    #expect(coins.type == .consumable)
    #expect(coins.displayName == "100 Coins")
    #expect(coins.price == Decimal(string: "0.99"))
    #expect(coins.displayPrice == "$0.99")
    #expect(coins.subscription == nil)
    let monthly = try #require(products.first { $0.id == DeviceWorld.monthly })
    #expect(monthly.type == .autoRenewable)
    #expect(monthly.subscription?.subscriptionPeriod == .monthly)
    #expect(monthly.subscription?.subscriptionGroupID == DeviceWorld.group)
  }

  @Test func aPurchaseReturnsTheSignedTransaction() async throws {
    let world = try DeviceWorld()
    let device = try world.device()
    let token = UUID()
    let process = device.launch()
    let transaction = try await process.bought(
      DeviceWorld.coins,
      options: [.quantity(3), .appAccountToken(token)]
    )
    #expect(transaction.productID == DeviceWorld.coins)
    #expect(transaction.productType == .consumable)
    #expect(transaction.purchasedQuantity == 3)
    #expect(transaction.appAccountToken == token)
    #expect(transaction.price == Decimal(string: "2.97"))
    #expect(transaction.id == transaction.originalID)
    #expect(transaction.environment == .sandbox)
    #expect(transaction.storefront.countryCode == "USA")
    #expect(transaction.purchaseDate == world.store.clock.now)
    let result = VerificationResult.verified(transaction)
    #expect(result.jwsRepresentation.split(separator: ".").count == 3)
    #expect(result.payloadData == transaction.jsonRepresentation)
    #expect(result.signatureData.count == 64)
    #expect(
      result.signedData == Data(result.jwsRepresentation.utf8.prefix(result.signedData.count))
    )
  }

  @Test func aCompletedPurchaseIsUnfinishedAndNotAlsoAnUpdate() async throws {
    let world = try DeviceWorld()
    let process = try world.device().launch()
    let updates = process.listenToUpdates()
    let transaction = try await process.bought(DeviceWorld.coins)
    #expect(try await process.list(.unfinished) == [DeviceWorld.coins])
    #expect(try await process.list(.all) == [DeviceWorld.coins])
    #expect(try await process.list(.currentEntitlements).isEmpty)
    try await process.run { await transaction.finish() }
    #expect(try await process.list(.unfinished).isEmpty)
    #expect(try await process.list(.all).isEmpty)
    #expect(await updates.rest().isEmpty)
  }

  @Test func cancellingBuysNothing() async throws {
    let world = try DeviceWorld()
    let device = try world.device()
    device.person.usualAnswer = .cancel
    let result = try await device.launch().buy(DeviceWorld.coins)
    guard case .userCancelled = result else { return #expect(Bool(false), "\(result)") }
    #expect(world.transactions.isEmpty)
  }

  @Test(arguments: [
    (StoreFailure.paymentFailed, "unknown"),
    (.networkUnavailable, "networkError"),
    (.storeUnreachable, "networkError"),
  ])
  func aFailureIsThrown(_ failure: StoreFailure, _ expected: String) async throws {
    let world = try DeviceWorld()
    let device = try world.device()
    device.person.willAnswer(.fail(failure))
    let process = device.launch()
    let error = await #expect(throws: StoreKitError.self) {
      _ = try await process.buy(DeviceWorld.coins)
    }
    #expect("\(try #require(error))".hasPrefix(expected))
    #expect(world.transactions.isEmpty)
  }

  @Test func aQuantityOutOfBoundsIsAPurchaseError() async throws {
    let world = try DeviceWorld()
    let process = try world.device().launch()
    _ = try await process.bought(DeviceWorld.coins, options: [.quantity(10)])
    await #expect(throws: Product.PurchaseError.invalidQuantity) {
      _ = try await process.buy(DeviceWorld.coins, options: [.quantity(11)])
    }
  }

  @Test func aPersonWhoMayNotPayGetsAPurchaseError() async throws {
    let world = try DeviceWorld()
    let device = try world.device()
    device.person.isAllowedToPay = false
    let process = device.launch()
    #expect(try await process.run { AppStore.canMakePayments } == false)
    await #expect(throws: Product.PurchaseError.purchaseNotAllowed) {
      _ = try await process.buy(DeviceWorld.coins)
    }
  }

  @Test func theSheetStaysOpenUntilThePersonDecides() async throws {
    let world = try DeviceWorld()
    let device = try world.device()
    device.person.willAnswer(.hold, .hold)
    let process = device.launch()
    async let first = process.buy(DeviceWorld.coins)
    await device.sheet.waitUntilOpen()
    #expect(device.sheet.openProducts == ["com.example.demo.coins"])
    #expect(world.transactions.isEmpty)
    try device.sheet.confirm()
    guard case .success = try await first else { return #expect(Bool(false), "not bought") }
    async let second = process.buy(DeviceWorld.coins)
    await device.sheet.waitUntilOpen()
    try device.sheet.cancel()
    guard case .userCancelled = try await second else { return #expect(Bool(false), "bought") }
    #expect(world.transactions.count == 1)
    #expect(throws: DeviceError(.noSheet, "")) { try device.sheet.confirm() }
  }

  @Test func aParentsApprovalArrivesAsAnUpdate() async throws {
    let world = try DeviceWorld()
    let device = try world.device()
    device.person.willAnswer(.askParent)
    let process = device.launch()
    let updates = process.listenToUpdates()
    guard case .pending = try await process.buy(DeviceWorld.coins) else {
      return #expect(Bool(false), "not pending")
    }
    #expect(try await process.list(.unfinished).isEmpty)
    let pending = try #require(world.store.pendingPurchases.first)
    try world.store.approve(pending.id)
    let update = try #require(await updates.next(1).first)
    #expect(try update.payloadValue.productID == DeviceWorld.coins)
    #expect(try await process.list(.unfinished) == [DeviceWorld.coins])
  }

  @Test func aDeclinedQuestionSaysNothing() async throws {
    let world = try DeviceWorld()
    let device = try world.device()
    let process = device.launch()
    let updates = process.listenToUpdates()
    _ = try await process.buy(DeviceWorld.coins, options: [.simulatesAskToBuyInSandbox(true)])
    try world.store.decline(try #require(world.store.pendingPurchases.first).id)
    #expect(try await process.list(.all).isEmpty)
    #expect(await updates.rest().isEmpty)
  }

  @Test func approvalWhileTheAppIsNotRunningIsAnUpdateAtTheNextLaunch() async throws {
    let world = try DeviceWorld()
    let device = try world.device()
    device.person.willAnswer(.askParent)
    let first = device.launch()
    let token = UUID()
    _ = try await first.buy(DeviceWorld.coins, options: [.appAccountToken(token)])
    first.kill()
    try world.store.approve(try #require(world.store.pendingPurchases.first).id)
    let second = device.launch()
    let update = try #require(await second.listenToUpdates().next(1).first)
    #expect(try update.payloadValue.appAccountToken == token)
  }

  @Test func airplaneModeIsANetworkErrorAndListingsGoOn() async throws {
    let world = try DeviceWorld()
    let device = try world.device()
    let process = device.launch()
    _ = try await process.bought(DeviceWorld.lifetime)
    let product = try await process.run {
      try #require(try await Product.products(for: [DeviceWorld.coins]).first)
    }
    device.isInAirplaneMode = true
    await #expect(throws: StoreKitError.self) {
      try await process.run { _ = try await Product.products(for: [DeviceWorld.coins]) }
    }
    await #expect(throws: StoreKitError.self) {
      try await process.run { _ = try await product.purchase() }
    }
    await #expect(throws: StoreKitError.self) {
      try await process.run { try await AppStore.sync() }
    }
    #expect(try await process.list(.currentEntitlements) == [DeviceWorld.lifetime])
    device.isInAirplaneMode = false
    _ = try await process.bought(DeviceWorld.coins)
  }

  @Test(arguments: [StoreFaults.Signature.broken, .foreignRoot])
  func aSignatureThatDoesNotVerifyIsAnUnverifiedSuccess(
    _ fault: StoreFaults.Signature
  ) async throws {
    let world = try DeviceWorld()
    let process = try world.device().launch()
    world.store.changeFaults { $0.signature = fault }
    guard
      case .success(.unverified(let transaction, let error)) =
        try await process.buy(DeviceWorld.lifetime)
    else { return #expect(Bool(false), "not unverified") }
    #expect(transaction.productID == DeviceWorld.lifetime)
    #expect(error == (fault == .broken ? .invalidSignature : .invalidCertificateChain))
  }

  @Test func aCancelledTaskSeesNothing() async throws {
    let world = try DeviceWorld()
    let process = try world.device().launch()
    _ = try await process.bought(DeviceWorld.lifetime)
    let seen = Heard<Int>()
    let gate = Heard<Void>()
    let task = process.start {
      _ = await gate.next(1)
      var count = 0
      for await _ in StoreKit.Transaction.currentEntitlements { count += 1 }
      let products = try? await Product.products(for: [DeviceWorld.lifetime])
      seen.add(count + (products?.count ?? 100))
    }
    task.cancel()
    gate.add(())
    #expect(await seen.next(1) == [0])
  }

  @Test func theAppTransactionDescribesTheInstallation() async throws {
    let world = try DeviceWorld()
    let device = try world.device()
    let process = device.launch()
    let result = try await process.run { try await AppTransaction.shared }
    let value = try result.payloadValue
    #expect(value.bundleID == DemoCatalog.bundleID.rawValue)
    #expect(value.environment == .sandbox)
    #expect(!value.deviceVerification.isEmpty)
    device.person.signsIn = false
    await #expect(throws: StoreKitError.self) {
      try await process.run { _ = try await AppTransaction.refresh() }
    }
  }

  @Test func aPurchaseFromTheAppStoreIsAnIntent() async throws {
    let world = try DeviceWorld()
    let device = try world.device()
    let process = device.launch()
    let intents = Heard<PurchaseIntent>()
    process.start { for await intent in PurchaseIntent.intents { intents.add(intent) } }
    try device.promotePurchase(of: "com.example.demo.coins")
    #expect(await intents.next(1).map(\.id) == [DeviceWorld.coins])
  }
}

import AppStoreSimulator
import Foundation
import IAPModel
import SimulatedDevice
import StoreKit
import Testing

@Suite(.timeLimit(.minutes(1))) struct StoreKit1RestoreTests {
  /// A phone on which a non-consumable, a consumable and a season were bought and finished.
  private func boughtOnPhone(_ world: DeviceWorld) async throws {
    let process = try world.device("phone").launch()
    for product in [DeviceWorld.lifetime, DeviceWorld.coins, DeviceWorld.season] {
      let transaction = try await process.bought(product)
      try await process.run { await transaction.finish() }
    }
  }

  @Test func aSecondDeviceRestoresCopiesOfWhatLasts() async throws {
    let world = try DeviceWorld()
    try await boughtOnPhone(world)
    world.advance(days: 1)
    let pad = try world.device("pad")
    let process = pad.launch()
    let observer = QueueObserver(finishing: [.restored])
    try await process.observe(observer)
    try await process.run { SKPaymentQueue.default().restoreCompletedTransactions() }
    #expect(
      await observer.said.next(3).sorted() == [
        "removed 1", "restore finished", "restored com.example.demo.lifetime",
      ]
    )
    let copy = try #require(await observer.transactions.next(1).first)
    let bought = try #require(world.transactions.first)
    #expect(copy.transactionIdentifier != bought.transactionID.rawValue)
    #expect(copy.original?.transactionIdentifier == bought.transactionID.rawValue)
    #expect(copy.original?.transactionDate == bought.purchaseDate)
    #expect(copy.transactionDate == world.store.clock.now)
    #expect(pad.receipt != nil)
    let again = pad.launch()
    let quiet = QueueObserver()
    try await again.observe(quiet)
    #expect(try await again.queueCount() == 0)
  }

  @Test func copiesThatWereNotFinishedComeAgain() async throws {
    let world = try DeviceWorld()
    try await boughtOnPhone(world)
    let pad = try world.device("pad")
    let first = pad.launch()
    let observer = QueueObserver()
    try await first.observe(observer)
    try await first.run { SKPaymentQueue.default().restoreCompletedTransactions() }
    #expect(
      await observer.said.next(2) == ["restored com.example.demo.lifetime", "restore finished"]
    )
    let second = pad.launch()
    let again = QueueObserver(finishing: [.restored])
    try await second.observe(again)
    #expect(await again.said.next(2) == ["restored com.example.demo.lifetime", "removed 1"])
  }

  @Test func nothingToRestoreStillFinishes() async throws {
    let process = try DeviceWorld().device().launch()
    let observer = QueueObserver()
    try await process.observe(observer)
    try await process.run { SKPaymentQueue.default().restoreCompletedTransactions() }
    #expect(await observer.said.next(1) == ["restore finished"])
    #expect(await observer.said.rest().isEmpty)
  }

  @Test func aRestoreThatFailsHasOnlyTheFailure() async throws {
    let world = try DeviceWorld()
    try await boughtOnPhone(world)
    let pad = try world.device("pad")
    let process = pad.launch()
    let observer = QueueObserver()
    try await process.observe(observer)
    pad.isInAirplaneMode = true
    try await process.run { SKPaymentQueue.default().restoreCompletedTransactions() }
    #expect(await observer.said.next(1) == ["restore failed 0"])
    pad.isInAirplaneMode = false
    pad.person.signsIn = false
    try await process.run { SKPaymentQueue.default().restoreCompletedTransactions() }
    #expect(await observer.said.next(1) == ["restore failed 2"])
    #expect(await observer.said.rest().isEmpty)
  }

  @Test func aRenewalArrivesAtTheNextLaunchAndNamesItsOriginal() async throws {
    let world = try DeviceWorld()
    let device = try world.device()
    let first = device.launch()
    let observer = QueueObserver(finishing: [.purchased])
    try await first.observe(observer)
    try await first.pay(for: DeviceWorld.monthly)
    _ = await observer.said.next(3)
    world.advance(days: 31)
    #expect(world.transactions.count == 2)
    #expect(await observer.said.rest().isEmpty)
    let second = device.launch()
    let again = QueueObserver()
    try await second.observe(again)
    let renewal = try #require(await again.transactions.next(1).first)
    #expect(renewal.transactionState == .purchased)
    #expect(renewal.transactionIdentifier == world.transactions[1].transactionID.rawValue)
    #expect(
      renewal.original?.transactionIdentifier == world.transactions[0].transactionID.rawValue
    )
  }

  @Test func aRefundSaysNothingAndShowsOnlyInTheNextReceipt() async throws {
    let world = try DeviceWorld()
    let device = try world.device()
    let process = device.launch()
    let observer = QueueObserver(finishing: [.purchased])
    try await process.observe(observer)
    try await process.pay(for: DeviceWorld.lifetime)
    _ = await observer.said.next(3)
    let before = try #require(device.receipt)
    try world.store.refund(try #require(world.transactions.first).transactionID)
    #expect(device.receipt == before)
    let delegate = RequestDelegate()
    try await process.run {
      let request = SKReceiptRefreshRequest(receiptProperties: nil)
      request.delegate = delegate
      request.start()
    }
    #expect(await delegate.said.next(1) == ["finished"])
    #expect(device.receipt != before)
    #expect(await observer.said.rest().isEmpty)
  }
}

@Suite(.timeLimit(.minutes(1))) struct ReceiptTests {
  @Test func aSandboxDeviceHasNoReceiptBeforeTheFirstPurchase() async throws {
    let world = try DeviceWorld()
    let device = try world.device()
    #expect(device.receipt == nil)
    _ = try await device.launch().bought(DeviceWorld.coins)
    #expect(device.receipt != nil)
  }

  @Test func anotherDevicesReceiptIsStaleUntilItIsRefreshed() async throws {
    let world = try DeviceWorld()
    let phone = try world.device("phone")
    let pad = try world.device("pad")
    _ = try await phone.launch().bought(DeviceWorld.lifetime)
    #expect(pad.receipt == nil)
    let process = pad.launch()
    let delegate = RequestDelegate()
    pad.isInAirplaneMode = true
    let refresh = { @Sendable () async throws -> Void in
      try await process.run {
        let request = SKReceiptRefreshRequest(receiptProperties: nil)
        request.delegate = delegate
        request.start()
      }
    }
    try await refresh()
    #expect(await delegate.said.next(1) == ["failed 0"])
    #expect(pad.receipt == nil)
    pad.isInAirplaneMode = false
    try await refresh()
    #expect(await delegate.said.next(1) == ["finished"])
    #expect(pad.receipt != nil)
  }
}

@Suite(.timeLimit(.minutes(1))) struct ProductsRequestTests {
  @Test func theResponseComesBeforeTheEnd() async throws {
    let process = try DeviceWorld().device().launch()
    let delegate = RequestDelegate()
    try await process.run {
      let request = SKProductsRequest(productIdentifiers: [DeviceWorld.monthly, "no.such"])
      request.delegate = delegate
      request.start()
    }
    #expect(await delegate.said.next(2) == ["received 1", "finished"])
    let response = try #require(await delegate.responses.next(1).first)
    #expect(response.invalidProductIdentifiers == ["no.such"])
    let product = try #require(response.products.first)
    #expect(product.productIdentifier == DeviceWorld.monthly)
    #expect(product.subscriptionPeriod?.unit == .month)
    #expect(product.subscriptionPeriod?.numberOfUnits == 1)
    #expect(product.priceLocale.currency?.identifier == "USD")
    #expect(SKPayment(product: product).productIdentifier == DeviceWorld.monthly)
  }

  @Test func aFailureIsTheEnd() async throws {
    let device = try DeviceWorld().device()
    let process = device.launch()
    device.isInAirplaneMode = true
    let delegate = RequestDelegate()
    try await process.run {
      let request = SKProductsRequest(productIdentifiers: [DeviceWorld.coins])
      request.delegate = delegate
      request.start()
    }
    #expect(await delegate.said.next(1) == ["failed 0"])
    #expect(await delegate.said.rest().isEmpty)
  }

  @Test func aCancelledRequestSaysNothing() async throws {
    let process = try DeviceWorld().device().launch()
    let cancelled = RequestDelegate()
    let other = RequestDelegate()
    try await process.run { @MainActor in
      let request = SKProductsRequest(productIdentifiers: [DeviceWorld.coins])
      request.delegate = cancelled
      request.start()
      // The answer cannot be told before this block ends: it is told on the main actor.
      request.cancel()
      let second = SKProductsRequest(productIdentifiers: [DeviceWorld.coins])
      second.delegate = other
      second.start()
    }
    #expect(await other.said.next(2) == ["received 1", "finished"])
    #expect(await cancelled.said.rest().isEmpty)
  }

  @Test func errorsBridgeLikeApples() {
    let error: any Error = SKError(.paymentCancelled)
    #expect((error as NSError).domain == SKErrorDomain)
    #expect((error as NSError).code == 2)
    var isMatched = false
    do { throw error } catch SKError.paymentCancelled { isMatched = true } catch {}
    #expect(isMatched)
  }
}

import AppStoreSimulator
import Foundation
import IAPKit
import IAPModel
import SimulatedApp
import SimulatedDevice
import StoreKit
import Testing

@Suite("The App Store's sheets", .timeLimit(.minutes(1)))
struct StoreSheetTests {
  // MARK: Refunds

  @Test("ask for the money of the purchase itself, not of the first one")
  func refund() async throws {
    let shop = try Shop(.storekit2)
    let app = try await shop.launch()
    _ = try await app.buy(Shop.monthly)
    await app.waitUntilQueueIsEmpty()
    shop.store.clock.advance(by: 32 * 86_400)
    await app.waitUntil(2, of: Shop.monthly)
    let renewal = try #require(shop.store.transactions(of: Shop.account).last)
    let id = renewal.transactionID
    let ask = { (id: String) in try await app.perform { try await $0.requestRefund(for: id) } }
    app.device.person.willAnswerRefund(.cancel)
    #expect(try await ask(id.rawValue) == .cancelled)
    let newest = try await app.perform {
      try await $0.requestRefund(ofNewest: Shop.monthly.rawValue)
    }
    #expect(newest == .success)
    #expect(shop.store.transaction(id)?.refundRequest != nil)
    let first = TransactionID(renewal.originalTransactionID.rawValue)
    #expect(first != id)
    #expect(shop.store.transaction(first)?.refundRequest == nil)
    #expect(try await ask(id.rawValue) == .duplicate)
    #expect(try await ask("99") == .failed)
    await #expect(throws: IAPError.invalidOrder(reason: "")) { _ = try await ask("no number") }
    await #expect(throws: IAPError.storage(.notFound)) {
      _ = try await app.perform { try await $0.requestRefund(ofNewest: "coins") }
    }
    app.device.isInAirplaneMode = true
    await #expect(throws: IAPError.network(underlying: URLError(.unknown))) {
      _ = try await ask(id.rawValue)
    }
  }

  @Test("do not exist on StoreKit 1, but for codes")
  func missing() async throws {
    let app = try await Shop(.storekit1).launch()
    await #expect(throws: IAPError.unsupported(reason: "")) {
      _ = try await app.perform { try await $0.requestRefund(for: "1") }
    }
    await #expect(throws: IAPError.unsupported(reason: "")) {
      try await app.perform { try await $0.manageSubscriptions() }
    }
    #expect(app.sheets == [])
  }

  // MARK: Subscriptions

  @Test("show subscriptions, and access is asked for afterwards")
  func manage() async throws {
    let shop = try Shop(.storekit2)
    let app = try await shop.launch()
    _ = try await app.buy(Shop.monthly)
    await app.waitUntilQueueIsEmpty()
    app.device.person.subscriptionWishes = [.cancel(DemoCatalog.group)]
    let asked = shop.server.asked.count
    try await app.perform {
      try await $0.manageSubscriptions(groupId: DemoCatalog.group.rawValue)
    }
    let status = try shop.store.subscriptionStatuses(on: app.device.id, group: DemoCatalog.group)
    #expect(status.map(\.subscription.willAutoRenew) == [false])
    #expect(app.sheets.map(\.kind) == [.subscriptions])
    #expect(shop.server.asked.count > asked)
  }

  // MARK: Codes

  @Test("for codes open an order, and what is redeemed belongs to it", arguments: generations)
  func code(generation: StoreGeneration) async throws {
    let shop = try Shop(generation, catalog: PlanCatalog.text)
    let app = try await shop.launch { $0.productTypes = PlanCatalog.types }
    app.device.person.offerCode = "WELCOME"
    let number = try await app.perform {
      try await $0.redeemOfferCode(
        options: PurchaseOptions(orderReference: "code-1", context: ["from": "mail"])
      )
    }
    #expect(number == "code-1")
    await app.waitUntil(1, of: PlanCatalog.gold)
    await app.waitUntilQueueIsEmpty()
    #expect(app.effects.map(\.orderNumber) == ["code-1"])
    #expect(app.effects.map(\.context) == [["from": "mail"]])
    let order = try #require(app.manager.store.order("code-1"))
    #expect(order.origin == .offerCode)
    #expect(order.productId == PlanCatalog.gold)
    #expect(order.state == .delivered)
  }

  @Test("for codes that are closed take no other purchase", arguments: generations)
  func closedCode(generation: StoreGeneration) async throws {
    let shop = try Shop(generation, catalog: PlanCatalog.text)
    let app = try await shop.launch { $0.productTypes = PlanCatalog.types }
    try await app.perform { _ = try await $0.redeemOfferCode() }
    _ = try await app.buy(PlanCatalog.coins)
    await app.waitUntilQueueIsEmpty()
    let orders = app.manager.store.orders
    #expect(orders.first { $0.origin == .offerCode }?.state == .opened)
    #expect(orders.first { $0.origin == .purchase }?.state == .delivered)
    #expect(app.manager.purchaseState("") == .idle)
  }

  @Test("for codes say that the store cannot be reached")
  func offlineCode() async throws {
    let app = try await Shop(.storekit2).launch()
    app.device.isInAirplaneMode = true
    await #expect(throws: IAPError.network(underlying: URLError(.unknown))) {
      _ = try await app.perform { try await $0.redeemOfferCode() }
    }
    #expect(app.manager.store.orders.map(\.state) == [.failed])
  }

  // MARK: Messages

  @Test("wait with messages until the app is ready")
  func heldMessages() async throws {
    let shop = try Shop(.storekit2)
    let app = try await shop.launch { $0.holdsStoreMessages = true }
    var stream = app.manager.storeMessageStream.makeAsyncIterator()
    app.device.show(.billingIssue)
    #expect(await stream.next() == .billingIssue)
    shop.store.clock.advance(by: 60)
    #expect(app.manager.heldStoreMessages == [.billingIssue])
    #expect(app.sheets == [])
    try await app.perform { try await $0.showStoreMessages() }
    #expect(app.manager.heldStoreMessages == [])
    #expect(app.sheets.map(\.kind) == [.billingIssue])
    app.manager.holdStoreMessages()
    app.device.show(.init(rawValue: 77))
    #expect(await stream.next() == StoreMessage(rawValue: "reason 77"))
    #expect(app.manager.heldStoreMessages == [StoreMessage(rawValue: "reason 77")])
  }

  @Test("show messages by themselves unless the app wants them", arguments: generations)
  func systemMessages(generation: StoreGeneration) async throws {
    let shop = try Shop(generation)
    let app = try await shop.launch()
    app.device.show(.billingIssue)
    shop.store.clock.advance(by: 60)
    #expect(app.sheets.map(\.kind) == [.billingIssue])
    #expect(app.manager.heldStoreMessages == [])
  }

  @Test("wait with a higher price until the app is ready", arguments: generations)
  func priceConsent(generation: StoreGeneration) async throws {
    let shop = try Shop(generation)
    let app = try await shop.launch { $0.holdsStoreMessages = true }
    _ = try await app.buy(Shop.monthly)
    await app.waitUntilQueueIsEmpty()
    var stream = app.manager.storeMessageStream.makeAsyncIterator()
    let original = try #require(shop.store.transactions(of: Shop.account).last)
      .originalTransactionID
    try shop.store.raisePrice(to: 9990, of: original, needsConsent: true)
    shop.store.clock.advance(by: 60)
    #expect(await stream.next() == .priceIncreaseConsent)
    #expect(app.sheets == [])
    app.device.person.priceAnswer = .agree
    try await app.perform { try await $0.showStoreMessages() }
    #expect(app.sheets.map(\.kind) == [.priceIncrease])
    #expect(app.sheets.map(\.ending) == [.done])
  }
}

extension SimulatedApp {
  /// What the person saw besides the sheet for paying.
  fileprivate var sheets: [SheetVisit] { device.visits.filter { $0.kind != .payment } }
}

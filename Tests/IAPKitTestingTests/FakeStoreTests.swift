import Foundation
import IAPKit
import IAPKitTesting
import Testing

private let coins = "com.example.coins"
private let lifetime = "com.example.lifetime"
private let monthly = "com.example.pro.monthly"
private let yearly = "com.example.pro.yearly"
private let basic = "com.example.basic.monthly"
private let generations = StoreGeneration.allCases

private let catalog: [IAPProduct] = [
  .fake(coins, .consumable, price: 0.99),
  .fake(lifetime, .nonConsumable, price: 19.99),
  .fakeSubscription(
    monthly,
    group: "pro",
    level: 1,
    price: 4.99,
    offers: [
      .fake(.introductory),
      .fake(.promotional, id: "loyal", mode: .payAsYouGo, price: 1.99, periodCount: 2),
      .fake(.winBack, id: "back", mode: .payUpFront, price: 2.99),
    ]
  ),
  .fakeSubscription(basic, group: "pro", level: 2, price: 2.99),
  .fakeSubscription(
    yearly,
    group: "pro",
    level: 1,
    period: SubscriptionPeriod(1, .year),
    price: 40
  ),
]

/// What an app's handler was called with, once for each key.
private actor Shelf {
  private var keys: Set<String> = []
  private(set) var effects: [String] = []
  func put(_ delivery: Delivery) -> DeliveryAnswer {
    if keys.insert(delivery.idempotencyKey).inserted {
      effects.append("\(delivery.kind) \(delivery.transaction.productId)")
    }
    return .delivered
  }
}

private struct Scene {
  let store: FakeStore
  let shelf = Shelf()

  init(_ generation: StoreGeneration = .storekit2) {
    store = FakeStore(products: catalog, generation: generation)
  }

  func launch(
    validated: Bool = true,
    change: (inout IAPConfiguration) -> Void = { _ in }
  ) -> IAPManager {
    var configuration = IAPConfiguration(
      productIds: catalog.map(\.id),
      validator: validated ? store.validator : nil,
      delivery: { [shelf] in await shelf.put($0) }
    )
    change(&configuration)
    return store.launch(configuration)
  }
}

@Suite("Fake store", .timeLimit(.minutes(1)))
struct FakeStoreTests {
  @Test("sells its products in the order asked for", arguments: generations)
  func products(generation: StoreGeneration) async throws {
    let manager = Scene(generation).launch()
    let answer = try await manager.products(ids: [monthly, "com.example.unknown", coins])
    #expect(answer.products.map(\.id) == [monthly, coins])
    #expect(answer.missing == ["com.example.unknown"])
    #expect(manager.generation == generation)
  }

  @Test("delivers once, finishes, and the books are empty", arguments: generations)
  func purchase(generation: StoreGeneration) async throws {
    let scene = Scene(generation)
    let manager = scene.launch()
    guard case .delivered(let result) = await manager.buy(coins, options: .init(quantity: 3)) else {
      Issue.record("not delivered")
      return
    }
    await scene.store.waitUntilFinished()
    #expect(await scene.shelf.effects == ["grant \(coins)"])
    #expect(result.quantity == 3)
    #expect(result.price == Decimal(string: "2.97"))
    #expect(result.environment == .xcode)
    #expect(scene.store.unfinishedTransactionIds == [])
    #expect(scene.store.validator.acknowledgedTransactionIds == [result.transactionId])
  }

  @Test("cancels, fails and refuses as told", arguments: generations)
  func sheets(generation: StoreGeneration) async throws {
    let scene = Scene(generation)
    let manager = scene.launch()
    scene.store.willAnswer(.cancel, .fail(.store(code: 4, underlying: IAPError.unknown)))
    #expect(await manager.buy(coins) == .cancelled)
    #expect(await manager.buy(coins) == .failed(.store(code: 4, underlying: IAPError.unknown)))
    scene.store.canMakePayments = false
    #expect(await manager.buy(coins) == .failed(.paymentsNotAllowed))
    scene.store.canMakePayments = true
    #expect(await manager.buy("com.example.unknown") == .failed(.productNotFound(id: "")))
    #expect(await scene.shelf.effects == [])
  }

  @Test("keeps a sheet open until it is answered")
  func openSheet() async throws {
    let scene = Scene()
    let manager = scene.launch()
    scene.store.willAnswer(.later)
    async let first = manager.buy(coins)
    await scene.store.waitUntilSheetIsOpen()
    #expect(manager.purchaseState(coins) == .inProgress)
    #expect(await manager.buy(coins) == .failed(.purchaseInProgress))
    try scene.store.answerSheet(.cancel)
    #expect(await first == .cancelled)
    #expect(throws: FakeStoreError.self) { try scene.store.answerSheet(.buy) }
  }

  @Test("waits for a parent, who approves or declines", arguments: generations)
  func parent(generation: StoreGeneration) async throws {
    let scene = Scene(generation)
    let manager = scene.launch()
    scene.store.willAnswer(.askParent, .askParent)
    guard case .pending(let number) = await manager.buy(coins) else {
      Issue.record("not pending")
      return
    }
    _ = await manager.buy(lifetime)
    try await scene.store.approvePurchase(of: coins)
    try await scene.store.declinePurchase(of: lifetime)
    #expect(await scene.shelf.effects == ["grant \(coins)"])
    #expect(manager.store.order(number)?.state == .delivered)
    #expect(manager.purchaseState(coins) == .complete)
    #expect(manager.purchaseState(lifetime) == .pending)
    await #expect(throws: FakeStoreError(code: .nothingPending, subject: lifetime)) {
      try await scene.store.approvePurchase(of: lifetime)
    }
  }

  @Test("sets an order aside after four refusals", arguments: generations)
  func rejecting(generation: StoreGeneration) async throws {
    let scene = Scene(generation)
    let manager = scene.launch()
    scene.store.validator.mood = .rejecting
    #expect(await manager.buy(coins) == .failed(.receiptValidationFailed))
    await scene.store.advance(by: 3600)
    #expect(manager.store.records().map(\.state) == [.quarantined])
    #expect(scene.store.validator.asked.count == 4)
    #expect(scene.store.unfinishedTransactionIds == [])
    #expect(await scene.shelf.effects == [])
  }

  @Test("holds what is not signed rightly, and lets the rest through")
  func unverified() async throws {
    let scene = Scene()
    let manager = scene.launch()
    scene.store.willAnswer(.buyUnverified)
    #expect(await manager.buy(coins) == .failed(.verificationFailed(underlying: IAPError.unknown)))
    _ = try await manager.purchase(productId: lifetime)
    #expect(await scene.shelf.effects == ["grant \(lifetime)"])
    #expect(scene.store.unfinishedTransactionIds.count == 1)
  }

  @Test("goes on after a kill with what the disk kept", arguments: generations)
  func relaunch(generation: StoreGeneration) async throws {
    let scene = Scene(generation)
    scene.store.validator.mood = .unavailable
    let first = scene.launch()
    _ = await first.buy(coins)
    scene.store.validator.mood = .truthful
    let second = scene.launch()
    await scene.store.settle()
    #expect(await scene.shelf.effects == ["grant \(coins)"])
    #expect(second.store.orders.map(\.state) == [.delivered])
    #expect(scene.store.unfinishedTransactionIds == [])
  }

  @Test("writes nothing on a full disk, and delivers when there is room", arguments: generations)
  func fullDisk(generation: StoreGeneration) async throws {
    let scene = Scene(generation)
    let manager = scene.launch()
    scene.store.willAnswer(.later)
    async let outcome = manager.buy(coins)
    await scene.store.waitUntilSheetIsOpen()
    scene.store.isDiskFull = true
    try scene.store.answerSheet(.buy)
    #expect(await outcome == .failed(.storage(.full)))
    scene.store.isDiskFull = false
    await scene.store.advance(by: 60)
    #expect(await scene.shelf.effects == ["grant \(coins)"])
  }

  @Test("two runs of a test are the same")
  func repeatable() async throws {
    func run() async throws -> [String] {
      let scene = Scene()
      let manager = scene.launch()
      _ = try await manager.purchase(productId: coins)
      _ = try await manager.purchase(productId: monthly)
      try await scene.store.renew(monthly)
      return manager.store.records().map { "\($0.transactionId) \($0.orderNumber ?? "-")" }
    }
    let first = try await run()
    #expect(first.count == 3)
    #expect(try await run() == first)
  }
}

@Suite("Fake subscriptions", .timeLimit(.minutes(1)))
struct FakeSubscriptionTests {
  @Test("renew by themselves and are delivered for each period", arguments: generations)
  func renewals(generation: StoreGeneration) async throws {
    let scene = Scene(generation)
    let manager = scene.launch()
    let first = try await manager.purchase(productId: basic)
    #expect(first.offerType == nil)
    await scene.store.advance(by: 70 * 86_400)
    #expect(await scene.shelf.effects == Array(repeating: "grant \(basic)", count: 3))
    #expect(manager.entitlements.access(to: basic).isGranted)
    try scene.store.setRenewal(of: basic, isOn: false)
    await scene.store.advance(by: 31 * 86_400)
    #expect(!manager.entitlements.access(to: basic).isGranted)
  }

  @Test("begin with the introductory offer once")
  func introductory() async throws {
    let scene = Scene()
    let manager = scene.launch()
    let first = try await manager.purchase(productId: monthly)
    #expect(first.offerType == .introductory)
    #expect(first.price == 0)
    #expect(first.expiresDate == first.purchaseDate.addingTimeInterval(7 * 86_400))
    try await scene.store.expire(monthly)
    let second = try await manager.purchase(productId: monthly)
    #expect(second.offerType == nil)
    #expect(second.price == Decimal(string: "4.99"))
    #expect(second.originalTransactionId == first.originalTransactionId)
  }

  @Test("are sold with the offer that the purchase names, or not at all")
  func namedOffers() async throws {
    let scene = Scene()
    let manager = scene.launch()
    let bought = try await manager.purchase(
      productId: monthly,
      options: PurchaseOptions(offer: .winBack(id: "back"))
    )
    #expect(bought.offerType == .winBack)
    #expect(bought.price == Decimal(string: "2.99"))
    let refused = await manager.buy(basic, options: PurchaseOptions(offer: .winBack(id: "none")))
    #expect(refused == .failed(.offerRefused(.invalidIdentifier)))
  }

  @Test("come from an offer code without a tap in the app")
  func code() async throws {
    let scene = Scene()
    let manager = scene.launch()
    var stream = manager.transactionStream.makeAsyncIterator()
    try await scene.store.redeemCode("SUMMER", for: basic)
    let result = try #require(await stream.next())
    #expect(result.offerType == .code)
    #expect(result.offerId == "SUMMER")
    #expect(result.price == 0)
    #expect(manager.entitlements.access(to: basic).isGranted)
  }

  @Test("move up at once and down at the end of the period")
  func planChanges() async throws {
    let scene = Scene()
    let manager = scene.launch()
    _ = try await manager.purchase(productId: basic)
    guard case .delivered(let up) = await manager.buy(monthly) else {
      Issue.record("no upgrade")
      return
    }
    #expect(up.productId == monthly)
    guard case .scheduled(let held) = await manager.buy(basic) else {
      Issue.record("no downgrade for later")
      return
    }
    #expect(held?.productId == monthly)
    try await scene.store.renew(monthly)
    #expect(manager.entitlements.access(to: basic).isGranted)
    #expect(!manager.entitlements.access(to: monthly).isGranted)
  }

  @Test("are given by the family and taken back")
  func family() async throws {
    let scene = Scene()
    let manager = scene.launch()
    try await scene.store.shareFromFamily(lifetime)
    #expect(manager.entitlements.access(to: lifetime).isGranted)
    try await scene.store.stopSharing(lifetime)
    #expect(!manager.entitlements.access(to: lifetime).isGranted)
    #expect(await scene.shelf.effects == ["grant \(lifetime)", "clawback \(lifetime)"])
  }
}

@Suite("Fake refunds", .timeLimit(.minutes(1)))
struct FakeRefundTests {
  @Test("take the goods back and give them again")
  func refundAndReversal() async throws {
    let scene = Scene()
    let manager = scene.launch()
    let bought = try await manager.purchase(productId: lifetime)
    try await scene.store.refund(bought.transactionId)
    #expect(!manager.entitlements.access(to: lifetime).isGranted)
    #expect(await scene.shelf.effects == ["grant \(lifetime)", "clawback \(lifetime)"])
    try await scene.store.reverseRefund(bought.transactionId)
    #expect(await scene.shelf.effects.last == "regrant \(lifetime)")
    #expect(scene.store.unfinishedTransactionIds == [])
  }

  @Test("are heard of from the server where StoreKit 1 says nothing")
  func storeKit1() async throws {
    let scene = Scene(.storekit1)
    let manager = scene.launch()
    let bought = try await manager.purchase(productId: lifetime)
    try await scene.store.refund(bought.transactionId)
    #expect(manager.entitlements.access(to: lifetime).isGranted)
    manager.applicationDidBecomeActive()
    _ = await manager.restoreSummary()
    await scene.store.settle()
    #expect(!manager.entitlements.access(to: lifetime).isGranted)
  }

  @Test("of what nobody bought are the test's mistake")
  func unknown() async {
    let scene = Scene()
    let manager = scene.launch()
    await #expect(throws: FakeStoreError(code: .unknownTransaction, subject: "1")) {
      try await scene.store.refund("1")
    }
    #expect(manager.store.records() == [])
  }
}

@Suite("Fake restores", .timeLimit(.minutes(1)))
struct FakeRestoreTests {
  @Test("find what the customer owns on a new device", arguments: generations)
  func restore(generation: StoreGeneration) async throws {
    let scene = Scene(generation)
    try await scene.store.buyElsewhere(lifetime)
    let manager = scene.launch()
    let restored = try await manager.restore().map(\.productId)
    #expect(restored == [lifetime])
    #expect(manager.entitlements.access(to: lifetime).isGranted)
    #expect(await scene.shelf.effects == ["grant \(lifetime)"])
  }

  @Test("find nothing, or say that there is no network", arguments: generations)
  func nothing(generation: StoreGeneration) async throws {
    let scene = Scene(generation)
    let manager = scene.launch()
    #expect(await manager.restoreSummary().isNothingFound)
    scene.store.isOffline = true
    #expect(await manager.restoreSummary().error == .network(underlying: IAPError.unknown))
  }
}

import Foundation
import IAPKit
import IAPKitTesting
import IAPModel
import Testing

private let coins = "com.example.coins"
private let plus = "com.example.plus"
private let basic = "com.example.basic"
private let generations = StoreGeneration.allCases
private let day: TimeInterval = 86_400

private let catalog: [IAPProduct] = [
  .fake(coins, .consumable, price: 1),
  .fakeSubscription(
    plus,
    group: "plans",
    level: 1,
    price: 10,
    offers: [
      .fake(.introductory),
      .fake(.promotional, id: "loyal", mode: .payUpFront, price: 4),
      .fake(.winBack, id: "back", mode: .payUpFront, price: 3),
    ]
  ),
  .fakeSubscription(basic, group: "plans", level: 2, price: 5),
]

/// A fake store and an app that sells what it has.
private struct Scene {
  let store: FakeStore

  init(_ generation: StoreGeneration = .storekit2) {
    store = FakeStore(products: catalog, generation: generation)
  }

  func launch(change: (inout IAPConfiguration) -> Void = { _ in }) -> IAPManager {
    var configuration = IAPConfiguration(
      productIds: catalog.map(\.id),
      delivery: { _ in .delivered }
    )
    configuration.offerSigner = store.offerSigner
    change(&configuration)
    return store.launch(configuration)
  }
}

@Suite("Fake states of subscriptions", .timeLimit(.minutes(1)))
struct FakeStateTests {
  private func state(_ manager: IAPManager) -> IAPSubscription.State? {
    manager.entitlements.subscriptions.first?.state
  }

  @Test("are told from the purchase to the end")
  func states() async throws {
    let scene = Scene()
    let manager = scene.launch()
    _ = try await manager.purchase(productId: basic)
    await scene.store.settle()
    let bought = try #require(manager.entitlements.subscriptions.first)
    #expect(bought.state == .subscribed)
    #expect(bought.productID.rawValue == basic)
    #expect(bought.willAutoRenew == true)
    #expect(bought.pendingProductID == nil)
    try scene.store.setRenewal(of: basic, isOn: false)
    await scene.store.settle()
    #expect(manager.entitlements.subscriptions.first?.willAutoRenew == false)
    try await scene.store.expire(basic)
    #expect(state(manager) == .expired)
    #expect(!manager.entitlements.access(to: basic).isGranted)
  }

  @Test("keep access in a grace period, and lose it when the charge goes on failing")
  func grace() async throws {
    let scene = Scene()
    let manager = scene.launch()
    _ = try await manager.purchase(productId: basic)
    try await scene.store.failRenewal(of: basic, graceSeconds: 6 * day)
    #expect(state(manager) == .inGracePeriod)
    #expect(manager.entitlements.access(to: basic).isGranted)
    await scene.store.advance(by: 7 * day)
    #expect(state(manager) == .inBillingRetry)
    #expect(!manager.entitlements.access(to: basic).isGranted)
    try await scene.store.payOverdue(basic)
    #expect(state(manager) == .subscribed)
    #expect(manager.entitlements.access(to: basic).isGranted)
    await #expect(throws: FakeStoreError(code: .nothingOverdue, subject: basic)) {
      try await scene.store.payOverdue(basic)
    }
  }

  @Test("lose access at once without a grace period")
  func billingRetry() async throws {
    let scene = Scene()
    let manager = scene.launch()
    let first = try await manager.purchase(productId: basic)
    try await scene.store.failRenewal(of: basic)
    #expect(state(manager) == .inBillingRetry)
    #expect(!manager.entitlements.access(to: basic).isGranted)
    await scene.store.advance(by: 10 * day)
    try await scene.store.payOverdue(basic)
    let expires = try #require(manager.entitlements.subscriptions.first?.expiresDate)
    #expect(expires > (try #require(first.expiresDate)).addingTimeInterval(10 * day))
  }

  @Test("show a price that waits for consent, and end or go on with the answer")
  func priceConsent() async throws {
    for agrees in [true, false] {
      let scene = Scene()
      let manager = scene.launch()
      _ = try await manager.purchase(productId: basic)
      try await scene.store.raisePrice(of: basic, to: 8)
      #expect(manager.entitlements.subscriptions.first?.priceIncreaseStatus == .pending)
      #expect(scene.store.shownMessages == [.priceIncreaseConsent])
      try await scene.store.answerPriceIncrease(of: basic, agrees: agrees)
      await scene.store.advance(by: 32 * day)
      let records = manager.store.records()
      #expect(records.map(\.transaction.price?.milliunits) == (agrees ? [5000, 8000] : [5000]))
      #expect(state(manager) == (agrees ? .subscribed : .expired))
      await #expect(throws: FakeStoreError(code: .nothingPending, subject: basic)) {
        try await scene.store.answerPriceIncrease(of: basic, agrees: true)
      }
    }
  }

  @Test("end with their period when nobody answers to a higher price")
  func noConsent() async throws {
    let scene = Scene()
    let manager = scene.launch()
    _ = try await manager.purchase(productId: basic)
    try await scene.store.raisePrice(of: basic, to: 8)
    await scene.store.advance(by: 32 * day)
    let ended = try #require(manager.entitlements.subscriptions.first)
    #expect(ended.state == .expired)
    #expect(ended.expirationReason == .didNotConsentToPriceIncrease)
  }

  @Test("are not known on StoreKit 1, which tells periods alone")
  func storeKit1() async throws {
    let scene = Scene(.storekit1)
    let manager = scene.launch()
    _ = try await manager.purchase(productId: basic)
    try await scene.store.failRenewal(of: basic, graceSeconds: 6 * day)
    #expect(!manager.entitlements.access(to: basic).isGranted)
  }
}

@Suite("Fake offers", .timeLimit(.minutes(1)))
struct FakeOfferTests {
  @Test("that are promotional are signed for the order and bought", arguments: generations)
  func promotional(generation: StoreGeneration) async throws {
    let scene = Scene(generation)
    let manager = scene.launch()
    let bought = try await manager.purchase(
      productId: plus,
      options: PurchaseOptions(orderReference: "R-1", offer: .promotional(id: "loyal"))
    )
    #expect(bought.offerType == .promotional)
    #expect(bought.offerId == "loyal")
    #expect(bought.price == 4)
    let order = try #require(manager.store.order("R-1"))
    #expect(scene.store.offerSigner.requests.map(\.accountToken) == [order.accountToken.rawValue])
  }

  @Test("as a JWS, and win-backs, are StoreKit 2's", arguments: generations)
  func newForms(generation: StoreGeneration) async throws {
    let scene = Scene(generation)
    let manager = scene.launch()
    let jws = await manager.buy(
      plus,
      options: PurchaseOptions(offer: .promotionalJWS(id: "loyal", jws: nil))
    )
    #expect((jws == .failed(.unsupported(reason: ""))) == (generation == .storekit1))
    #expect((jws.result?.offerId == "loyal") == (generation == .storekit2))
    if generation == .storekit1 {
      await #expect(throws: IAPError.unsupported(reason: "")) {
        _ = try await manager.winBackOffers(plus)
      }
    } else {
      #expect(try await manager.winBackOffers(plus) == [])
      try await scene.store.expire(plus)
      #expect(try await manager.winBackOffers(plus).map(\.id) == ["back"])
      let back = PurchaseOptions(offer: .winBack(id: "back"))
      #expect(try await manager.purchase(productId: plus, options: back).price == 3)
    }
  }

  @Test("that nobody signs, or the store refuses, sell nothing", arguments: generations)
  func refused(generation: StoreGeneration) async throws {
    let scene = Scene(generation)
    let manager = scene.launch()
    let options = PurchaseOptions(offer: .promotional(id: "loyal"))
    scene.store.offerSigner.mood = .refusing
    #expect(await manager.buy(plus, options: options) == .failed(.offerRefused(.notSigned)))
    scene.store.offerSigner.mood = .unavailable
    let unanswered = await manager.buy(plus, options: options)
    #expect(unanswered == .failed(.network(underlying: URLError(.timedOut))))
    scene.store.offerSigner.mood = .signing
    scene.store.offerProblem = .ineligible
    guard case .failed(.offerRefused(let problem)) = await manager.buy(plus, options: options)
    else {
      Issue.record("not refused")
      return
    }
    #expect(problem == .ineligible)
    #expect(scene.store.latestTransactionId(of: plus) == nil)
  }

  @Test("to begin with heed the books and the server's word")
  func introductory() async throws {
    let scene = Scene()
    let manager = scene.launch()
    #expect(await manager.introductoryOfferEligibility(plus) == .eligible)
    #expect(await manager.introductoryOfferEligibility(basic) == .notEligible)
    var options = PurchaseOptions()
    options.introductoryEligibility = .signed(isAllowed: false, transactionId: "1")
    #expect(try await manager.purchase(productId: plus, options: options).offerType == nil)
    #expect(await manager.introductoryOfferEligibility(plus) == .notEligible)
    try await scene.store.expire(plus)
    options.introductoryEligibility = .signed(isAllowed: true, transactionId: "1")
    let again = try await manager.purchase(productId: plus, options: options)
    #expect(again.offerType == .introductory)
  }

  @Test("by a code that is entered in the app belong to an order", arguments: generations)
  func code(generation: StoreGeneration) async throws {
    let scene = Scene(generation)
    let manager = scene.launch()
    try scene.store.willEnterCode("SUMMER", for: basic)
    let number = try await manager.redeemOfferCode(options: PurchaseOptions(orderReference: "C-1"))
    await scene.store.settle()
    #expect(number == "C-1")
    #expect(manager.store.order("C-1")?.state == .delivered)
    #expect(manager.store.order("C-1")?.productId.rawValue == basic)
    #expect(manager.entitlements.access(to: basic).isGranted)
    _ = try await manager.redeemOfferCode(options: PurchaseOptions(orderReference: "C-2"))
    #expect(manager.store.order("C-2")?.state == .opened)
  }
}

@Suite("Fake sheets", .timeLimit(.minutes(1)))
struct FakeSheetTests {
  @Test("for refunds answer once for each purchase, or as told")
  func refunds() async throws {
    let scene = Scene()
    let manager = scene.launch()
    let bought = try await manager.purchase(productId: coins)
    let strange = RefundOutcome(rawValue: "strange")
    scene.store.willAnswerRefundRequests(.cancelled, .failed, strange)
    var outcomes: [RefundOutcome] = []
    for _ in 0..<5 {
      outcomes.append(try await manager.requestRefund(for: bought.transactionId))
    }
    #expect(outcomes == [.cancelled, .failed, strange, .success, .duplicate])
    #expect(scene.store.refundRequests == [bought.transactionId])
    #expect(try await manager.requestRefund(for: "7") == .failed)
  }

  @Test("beside the payment sheet do not exist on StoreKit 1")
  func storeKit1() async throws {
    let manager = Scene(.storekit1).launch()
    await #expect(throws: IAPError.unsupported(reason: "")) {
      _ = try await manager.requestRefund(for: "1")
    }
    await #expect(throws: IAPError.unsupported(reason: "")) {
      try await manager.manageSubscriptions()
    }
  }

  @Test("for subscriptions are opened for the group that is asked for")
  func subscriptions() async throws {
    let scene = Scene()
    let manager = scene.launch()
    try await manager.manageSubscriptions()
    try await manager.manageSubscriptions(groupId: "plans")
    #expect(scene.store.managedSubscriptionGroups == [nil, "plans"])
  }

  @Test("for messages wait until the app is ready, and come at once otherwise")
  func messages() async throws {
    let scene = Scene()
    let manager = scene.launch { $0.holdsStoreMessages = true }
    await scene.store.settle()
    while manager.heldStoreMessages.isEmpty {
      await scene.store.sendMessage(.billingIssue)
    }
    let held = manager.heldStoreMessages
    #expect(held == [.billingIssue])
    #expect(scene.store.shownMessages.allSatisfy { $0 == .billingIssue })
    try await manager.showStoreMessages()
    #expect(manager.heldStoreMessages == [])
    await scene.store.sendMessage(.winBackOffer)
    #expect(scene.store.shownMessages.last == .winBackOffer)
    let plain = Scene()
    _ = plain.launch()
    await plain.store.sendMessage(.generic)
    #expect(plain.store.shownMessages == [.generic])
  }
}

@Suite("Fake promoted purchases", .timeLimit(.minutes(1)))
struct FakePromotedTests {
  @Test("are bought, kept or dropped as the app says", arguments: generations)
  func answers(generation: StoreGeneration) async throws {
    for answer in [PromotedAnswer.accept, .later, .refuse] {
      let scene = Scene(generation)
      let manager = scene.launch { $0.promotedPurchases = { _ in answer } }
      try await scene.store.promote(coins)
      #expect(manager.store.orders.map(\.state) == (answer == .accept ? [.delivered] : []))
      #expect(manager.waitingPromotedPurchases.count == (answer == .later ? 1 : 0))
    }
  }

  @Test("that wait outlive a kill, for a day")
  func durable() async throws {
    let scene = Scene()
    let first = scene.launch { $0.promotedPurchases = { _ in .later } }
    try await scene.store.promote(coins)
    _ = first
    let second = scene.launch { $0.promotedPurchases = { _ in .later } }
    let waiting = try #require(second.waitingPromotedPurchases.first)
    #expect(waiting == PromotedPurchase(productId: coins))
    guard case .delivered = await second.buy(waiting) else {
      Issue.record("not bought")
      return
    }
    #expect(scene.launch().waitingPromotedPurchases == [])
  }

  @Test("with a win-back offer use it, and an unknown one is the test's mistake")
  func winBack() async throws {
    let scene = Scene()
    let manager = scene.launch()
    try await scene.store.promote(plus, winBackOffer: "back")
    #expect(manager.store.records().map(\.transaction.offerType) == [.winBack])
    await #expect(throws: FakeStoreError(code: .unknownOffer, subject: "none")) {
      try await scene.store.promote(plus, winBackOffer: "none")
    }
    await #expect(throws: FakeStoreError(code: .notLaunched, subject: coins)) {
      try await Scene().store.promote(coins)
    }
  }

  @Test("whose sheet stays open are answered later")
  func openSheet() async throws {
    let scene = Scene()
    let manager = scene.launch()
    scene.store.willAnswer(.later)
    try await scene.store.promote(coins)
    #expect(manager.purchaseState(coins) == .inProgress)
    try scene.store.answerSheet(.cancel)
    while manager.purchaseState(coins) == .inProgress { await Task.yield() }
    #expect(manager.purchaseState(coins) == .cancelled)
  }
}

@Suite("A fake server", .timeLimit(.minutes(1)))
struct FakeServerTests {
  private func outcome(
    _ mood: FakeValidator.Mood,
    _ generation: StoreGeneration
  ) async -> (Scene, IAPManager, PurchaseOutcome) {
    let scene = Scene(generation)
    scene.store.validator.mood = mood
    let manager = scene.launch { $0.validator = scene.store.validator }
    return (scene, manager, await manager.buy(coins))
  }

  @Test("that gives no answer leaves the purchase to be asked about again", arguments: generations)
  func noAnswers(generation: StoreGeneration) async throws {
    let moods: [FakeValidator.Mood] = [
      .unavailable, .failing(URLError(.badServerResponse)), .unavailableFor(2), .receiptIsStale,
    ]
    for mood in moods {
      let (scene, manager, outcome) = await outcome(mood, generation)
      guard case .processing = outcome else {
        Issue.record("\(mood): \(outcome)")
        continue
      }
      scene.store.validator.mood = .truthful
      await scene.store.advance(by: 60)
      #expect(manager.store.orders.map(\.state) == [.delivered], "\(mood)")
    }
  }

  @Test("that fails twice is asked a third time", arguments: generations)
  func recovers(generation: StoreGeneration) async throws {
    let (scene, manager, outcome) = await outcome(.unavailableFor(2), generation)
    guard case .processing = outcome else {
      Issue.record("\(outcome)")
      return
    }
    await scene.store.advance(by: 60)
    #expect(scene.store.validator.asked.count == 3)
    #expect(manager.store.orders.map(\.state) == [.delivered])
  }

  @Test("that is slow is waited for on the store's clock", arguments: generations)
  func slow(generation: StoreGeneration) async throws {
    let scene = Scene(generation)
    scene.store.validator.mood = .slow(20)
    let manager = scene.launch { $0.validator = scene.store.validator }
    async let outcome = manager.buy(coins)
    while scene.store.validator.asked.isEmpty { await Task.yield() }
    #expect(manager.purchaseState(coins) != .complete)
    while manager.store.orders.map(\.state) != [.delivered] {
      scene.store.moveClock(by: 20)
      await Task.yield()
    }
    #expect(await outcome.result?.productId == coins)
    #expect(scene.store.validator.asked.count == 1)
  }

  @Test("that speaks of another product has not answered to a signed transaction")
  func anotherProduct() async throws {
    let (_, manager, outcome) = await outcome(.aboutAnotherProduct, .storekit2)
    guard case .processing = outcome else {
      Issue.record("\(outcome)")
      return
    }
    #expect(manager.store.pendingRecords().map(\.state) == [.received])
  }

  @Test("that names another owner or another device holds the goods", arguments: generations)
  func others(generation: StoreGeneration) async throws {
    let (_, owned, first) = await outcome(.belongsToAnother, generation)
    guard case .processing = first else {
      Issue.record("\(first)")
      return
    }
    #expect(owned.ordersNeedingAttention.map(\.reason) == [.anotherAccount])
    let (scene, claimed, second) = await outcome(.claimedElsewhere, generation)
    guard case .processing = second else {
      Issue.record("\(second)")
      return
    }
    #expect(claimed.store.pendingRecords().map(\.state) == [.accepted])
    #expect(scene.store.unfinishedTransactionIds.count == 1)
  }
}

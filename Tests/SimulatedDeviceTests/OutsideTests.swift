import AppStoreSimulator
import Foundation
import IAPModel
import SimulatedDevice
import StoreKit
import Testing

@Suite("Offer codes on a device", .timeLimit(.minutes(1)))
struct OfferCodeTests {
  private func codeSheet(_ shows: SheetVisit.Ending, _ code: String?) -> [SheetVisit] {
    [SheetVisit(kind: .offerCode, subject: code, ending: shows)]
  }

  @Test func aCodeFromTheAppsSheetIsAnUpdate() async throws {
    let shop = try OfferWorld()
    let device = try shop.world.device()
    let process = device.launch()
    let updates = process.listenToUpdates()
    device.person.offerCode = "NEW"
    try await process.run { try await AppStore.presentOfferCodeRedeemSheet() }
    let redeemed = try #require(await updates.next(1).first).unsafePayloadValue
    #expect(redeemed.productID == OfferWorld.silver)
    #expect(redeemed.offer?.type == .code)
    #expect(redeemed.offer?.id == "NEW")
    #expect(device.otherVisits == codeSheet(.done, "NEW"))
  }

  @Test func aCodeFromTheQueuesSheetIsInTheQueue() async throws {
    let shop = try OfferWorld()
    let device = try shop.world.device()
    let process = device.launch()
    let observer = QueueObserver()
    try await process.observe(observer)
    device.person.offerCode = "NEW"
    try await process.run { SKPaymentQueue.default().presentCodeRedemptionSheet() }
    #expect(await observer.said.next(1) == ["purchased \(OfferWorld.silver)"])
    #expect(device.receipt != nil)
  }

  @Test func aSheetThatIsClosedRedeemsNothing() async throws {
    let shop = try OfferWorld()
    let device = try shop.world.device()
    let process = device.launch()
    try await process.run { try await AppStore.presentOfferCodeRedeemSheet() }
    try await process.run { SKPaymentQueue.default().presentCodeRedemptionSheet() }
    #expect(device.otherVisits == codeSheet(.closed, nil) + codeSheet(.closed, nil))
    #expect(shop.world.transactions.isEmpty)
  }

  @Test(arguments: ["NOBODY KNOWS", "BACK"])
  func aCodeThatIsNotMeantForThePersonIsRefused(_ code: OfferCode) async throws {
    let shop = try OfferWorld()
    let device = try shop.world.device()
    let process = device.launch()
    device.person.offerCode = code
    try await process.run { try await AppStore.presentOfferCodeRedeemSheet() }
    guard case .refused? = device.otherVisits.first?.ending else {
      return #expect(Bool(false), "\(device.otherVisits)")
    }
    #expect(throws: SimulatorError(.notAllowed, "")) { try device.redeem(code) }
    #expect(shop.world.transactions.isEmpty)
  }

  @Test func aCodeThatWasGivenOutWorksOnce() async throws {
    let shop = try OfferWorld()
    let device = try shop.world.device()
    let terms = OfferCodeTerms(productID: ProductID(OfferWorld.silver), offerName: "NEW")
    let code = try #require(try shop.store.makeOneTimeCodes(1, terms).first)
    try device.redeem(code)
    #expect(shop.world.transactions.map(\.offer?.type) == [.code])
    #expect(throws: SimulatorError(.notAllowed, "")) { try device.redeem(code) }
  }

  @Test func aCodeFromTheAppStoreWaitsForTheNextLaunch() async throws {
    let shop = try OfferWorld()
    let device = try shop.world.device()
    device.isInAirplaneMode = true
    #expect(throws: SimulatorError(.unreachable, "")) { try device.redeem("NEW") }
    device.isInAirplaneMode = false
    try device.redeem("NEW")
    let process = device.launch()
    let updates = process.listenToUpdates()
    #expect(await updates.next(1).map(\.unsafePayloadValue.offer?.id) == ["NEW"])
    let observer = QueueObserver()
    try await process.observe(observer)
    #expect(await observer.said.next(1) == ["purchased \(OfferWorld.silver)"])
  }
}

@Suite("Subscriptions managed on a device", .timeLimit(.minutes(1)))
struct SubscriptionSheetTests {
  private let group = SubscriptionGroupID(OfferWorld.group)

  private func subscribed() async throws -> (OfferWorld, SimulatedDevice, AppProcess) {
    let shop = try OfferWorld()
    let device = try shop.world.device()
    let process = device.launch()
    let bought = try await process.bought(OfferWorld.silver)
    try await process.run { await bought.finish() }
    return (shop, device, process)
  }

  private func show(_ process: AppProcess, _ group: String? = nil) async throws {
    try await process.run { try await AppStore.showManageSubscriptions(subscriptionGroupID: group) }
  }

  private func willRenew(_ process: AppProcess) async throws -> Bool? {
    try await process.status(of: OfferWorld.group)?.renewalInfo.unsafePayloadValue.willAutoRenew
  }

  private func refusals(_ device: SimulatedDevice) -> Int {
    device.otherVisits.count { if case .refused = $0.ending { true } else { false } }
  }

  @Test func thePersonCancelsAndComesBack() async throws {
    let (_, device, process) = try await subscribed()
    device.person.subscriptionWishes = [.cancel(group)]
    try await show(process)
    #expect(try await willRenew(process) == false)
    // The wish is done, so the next sheet is closed as it is.
    try await show(process)
    #expect(try await willRenew(process) == false)
    device.person.subscriptionWishes = [.resume(group)]
    try await show(process, OfferWorld.group)
    #expect(try await willRenew(process) == true)
    let endings = device.otherVisits.filter { $0.kind == .subscriptions }.map(\.ending)
    #expect(endings == [.done, .closed, .done])
  }

  @Test func anUpgradeIsAnUpdateAndADowngradeIsScheduled() async throws {
    let (shop, device, process) = try await subscribed()
    let updates = process.listenToUpdates()
    device.person.subscriptionWishes = [.change(to: ProductID(OfferWorld.silverYear))]
    try await show(process)
    let info = try await process.status(of: OfferWorld.group)?.renewalInfo.unsafePayloadValue
    #expect(info?.autoRenewPreference == OfferWorld.silverYear)
    #expect(shop.world.transactions.count == 1)
    device.person.subscriptionWishes = [.change(to: ProductID(OfferWorld.gold))]
    try await show(process)
    let heard = await updates.next(2).map(\.unsafePayloadValue)
    #expect(Set(heard.map(\.productID)) == [OfferWorld.silver, OfferWorld.gold])
    #expect(heard.first { $0.productID == OfferWorld.silver }?.isUpgraded == true)
  }

  @Test func whatTheSheetCannotDoIsRefusedAndChangesNothing() async throws {
    let (shop, device, process) = try await subscribed()
    let history = shop.store.history.count
    device.person.subscriptionWishes = [
      .resume(group), .cancel("another"), .change(to: "nothing"),
      .change(to: ProductID(OfferWorld.coins)),
    ]
    try await show(process)
    #expect(refusals(device) == 4)
    device.person.subscriptionWishes = [.cancel(group)]
    try await show(process, "another")
    #expect(refusals(device) == 5)
    #expect(shop.store.history.count == history)
    let table: [(SubscriptionWish, SimulatorError.Code)] = [
      (.resume(group), .notAllowed), (.cancel("another"), .unknownSubscription),
      (.change(to: "nothing"), .unknownProduct),
    ]
    for (wish, code) in table {
      #expect(throws: SimulatorError(code, "")) { try device.manageSubscription(wish) }
    }
    device.isInAirplaneMode = true
    #expect(throws: SimulatorError(.unreachable, "")) {
      try device.manageSubscription(.cancel(group))
    }
    await #expect(throws: StoreKitError.self) { try await show(process) }
    #expect(shop.store.history.count == history)
  }

  @Test func whoCameBackInTheSettingsIsHeardOfAtTheNextLaunch() async throws {
    let (shop, device, process) = try await subscribed()
    process.kill()
    try device.manageSubscription(.cancel(group))
    shop.world.advance(days: 40)
    #expect(throws: SimulatorError(.notAllowed, "")) {
      try device.manageSubscription(.cancel(group))
    }
    guard
      case .purchased(let record)? = try device.manageSubscription(
        .change(to: ProductID(OfferWorld.silver))
      )
    else { return #expect(Bool(false), "not bought") }
    let observer = QueueObserver()
    let again = device.launch()
    let updates = again.listenToUpdates()
    let heard = await updates.next(1).map { "\($0.unsafePayloadValue.id)" }
    #expect(heard == [record.transactionID.rawValue])
    try await again.observe(observer)
    #expect(await observer.said.next(1) == ["purchased \(OfferWorld.silver)"])
  }
}

@Suite("Messages of the App Store on a device", .timeLimit(.minutes(1)))
struct MessageTests {
  @Test func anOfferToComeBackIsAMessageThatThePersonCanTake() async throws {
    let shop = try OfferWorld()
    let device = try shop.world.device()
    try shop.lapse(on: device)
    let process = device.launch()
    let updates = process.listenToUpdates()
    let message = try #require(await process.listenToMessages().next(1).first)
    #expect(message.reason == .winBackOffer)
    try await process.run { try await message.display() }
    device.person.acceptsWinBackOffers = true
    try await process.run { try await message.display() }
    let bought = try #require(await updates.next(1).first).unsafePayloadValue
    #expect(bought.offer?.type == .winBack)
    #expect(device.otherVisits.map(\.ending) == [.closed, .done])
    let messages = device.launch().listenToMessages()
    device.show(.generic)
    #expect(await messages.next(1).map(\.reason) == [.generic])
  }

  @Test func theSystemShowsAFailedChargeToWhomNobodyTells() async throws {
    let world = try DeviceWorld()
    let device = try world.device()
    let process = device.launch()
    _ = try await process.bought(DeviceWorld.monthly)
    try world.store.setPayment(works: false, of: DeviceWorld.account)
    device.person.mendsPayment = true
    world.advance(days: 40)
    #expect(device.otherVisits.filter { $0.kind == .billingIssue }.map(\.ending) == [.done])
    #expect(try await process.status(of: DeviceWorld.group)?.state == .subscribed)
    #expect(world.transactions.count == 2)
  }

  @Test func anyOtherMessageIsShownToo() async throws {
    let world = try DeviceWorld()
    let device = try world.device { $0.messageDelay = 3 }
    let process = device.launch()
    device.show(.generic)
    world.store.clock.advance(by: 2.999)
    #expect(device.otherVisits == [])
    world.store.clock.advance(by: 0.001)
    #expect(device.otherVisits.map(\.kind) == [.general])
    process.kill()
    // It is lost when the app is not running.
    device.show(.generic)
    world.store.clock.advance(by: 10)
    #expect(device.otherVisits.count == 1)
  }

  @Test func aMessageThatTheAppTakesInTimeIsItsOwn() async throws {
    let world = try DeviceWorld()
    let device = try world.device()
    let process = device.launch()
    device.show(.generic)
    #expect(await process.listenToMessages().next(1).map(\.reason) == [.generic])
    world.store.clock.advance(by: 10)
    #expect(device.otherVisits == [])
  }
}

@Suite("Purchases that begin in the App Store", .timeLimit(.minutes(1)))
struct PromotedPurchaseTests {
  @Test func anIntentCanCarryAnOffer() async throws {
    let shop = try OfferWorld()
    let device = try shop.world.device()
    try shop.lapse(on: device)
    try device.promotePurchase(of: ProductID(OfferWorld.silver), winBackOffer: "please")
    let process = device.launch()
    let intents = Heard<PurchaseIntent>()
    process.start { for await intent in PurchaseIntent.intents { intents.add(intent) } }
    let intent = try #require(await intents.next(1).first)
    #expect(intent.offer?.id == "please")
    let option = Product.PurchaseOption.winBackOffer(try #require(intent.offer))
    let result = try await process.run { try await intent.product.purchase(options: [option]) }
    guard case .success(.verified(let bought)) = result else {
      return #expect(Bool(false), "not bought")
    }
    #expect(bought.offer?.id == "please")
  }

  @Test func whatCannotBePromotedIsRefused() throws {
    let shop = try OfferWorld()
    let device = try shop.world.device()
    #expect(throws: SimulatorError(.unknownProduct, "")) {
      try device.promotePurchase(of: "nothing")
    }
    for product in [OfferWorld.silver, OfferWorld.coins] {
      #expect(throws: SimulatorError(.notAllowed, "")) {
        try device.promotePurchase(of: ProductID(product), winBackOffer: "nothing")
      }
    }
    device.isInAirplaneMode = true
    #expect(throws: SimulatorError(.unreachable, "")) {
      try device.promotePurchase(of: ProductID(OfferWorld.coins))
    }
  }

  @Test func anAppMayRefuseAndPayLater() async throws {
    let device = try DeviceWorld().device()
    let process = device.launch()
    let observer = QueueObserver(takesStorePayments: false)
    try await process.observe(observer)
    try device.promotePurchase(of: DemoCatalog.coins)
    #expect(await observer.said.next(1) == ["store payment \(DeviceWorld.coins)"])
    #expect(try await process.queueCount() == 0)
    try await process.pay(for: DeviceWorld.coins)
    #expect(await observer.said.next(2).last == "purchased \(DeviceWorld.coins)")
  }
}

@Suite("What a family shares no more", .timeLimit(.minutes(1)))
struct FamilyRevocationTests {
  private func family() async throws -> (OfferWorld, SimulatedDevice) {
    let shop = try OfferWorld()
    try shop.store.addAccount("bob")
    try shop.store.addFamily("home", organizer: DeviceWorld.account)
    try shop.store.joinFamily("home", "bob")
    let member = try shop.world.device("tablet", account: "bob")
    let owner = try shop.world.device().launch()
    _ = try await owner.bought(OfferWorld.book)
    _ = try await owner.bought(OfferWorld.silver)
    return (shop, member)
  }

  @Test func isToldToTheQueueAtOnce() async throws {
    let (shop, member) = try await family()
    let observer = QueueObserver(finishing: [.purchased])
    try await member.launch().observe(observer)
    _ = await observer.said.next(4)
    try shop.store.leaveFamily("home", "bob")
    let revoked = await observer.said.next(2).sorted()
    #expect(revoked == ["revoked \(OfferWorld.book)", "revoked \(OfferWorld.silver)"])
  }

  @Test func isToldToTheQueueOnceAtTheNextLaunch() async throws {
    let (shop, member) = try await family()
    let first = QueueObserver(finishing: [.purchased])
    let process = member.launch()
    try await process.observe(first)
    _ = await first.said.next(4)
    process.kill()
    try shop.store.leaveFamily("home", "bob")
    // A process without observer does not use the news up.
    member.launch().kill()
    let second = QueueObserver()
    try await member.launch().observe(second)
    #expect(
      await second.said.next(2) == ["revoked \(OfferWorld.book)", "revoked \(OfferWorld.silver)"]
    )
    let third = QueueObserver()
    let last = member.launch()
    try await last.observe(third)
    #expect(try await last.queueCount() == 0)
    try await last.pay(for: OfferWorld.coins)
    #expect(await third.said.next(1) == ["purchasing \(OfferWorld.coins)"])
  }

  @Test func isNoNewsToAnAppThatWasInstalledLater() async throws {
    let (shop, _) = try await family()
    try shop.store.leaveFamily("home", "bob")
    let process = try shop.world.device("new", account: "bob").launch()
    let observer = QueueObserver()
    try await process.observe(observer)
    try await process.pay(for: OfferWorld.coins)
    let said = await observer.said.next(2)
    #expect(said.allSatisfy { !$0.hasPrefix("revoked") })
  }
}

@Suite("Finished transactions that come again", .timeLimit(.minutes(1)))
struct FinishedAgainTests {
  @Test(arguments: [false, true])
  func areAnnouncedAtEachLaunchWhereSystemsDoThat(_ again: Bool) async throws {
    let world = try DeviceWorld()
    let device = try world.device { $0.announcesFinishedAgain = again }
    let process = device.launch()
    for id in [DeviceWorld.coins, DeviceWorld.lifetime] {
      let bought = try await process.bought(id)
      try await process.run { await bought.finish() }
    }
    let refunded = try await process.bought(DeviceWorld.coins)
    try await process.run { await refunded.finish() }
    let before = process.listenToUpdates()
    try world.store.refund(TransactionID("\(refunded.id)"))
    #expect(await before.next(1).first?.unsafePayloadValue.revocationDate != nil)
    for _ in 0..<2 {
      let next = device.launch()
      let updates = next.listenToUpdates()
      let observer = QueueObserver(finishing: [.purchased])
      try await next.observe(observer)
      if again {
        let products = await updates.next(2).map(\.unsafePayloadValue.productID)
        #expect(products == [DeviceWorld.coins, DeviceWorld.lifetime])
        let said = await observer.said.next(4).filter { $0.hasPrefix("purchased") }
        #expect(said == products.map { "purchased \($0)" })
      }
      #expect(try await next.queueCount() == 0)
    }
    #expect(world.transactions.count == 3)
  }
}

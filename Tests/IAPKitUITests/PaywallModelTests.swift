import Foundation
import IAPKit
import IAPKitTesting
import IAPKitUI
import Testing

private let coins = "com.example.coins"
private let lifetime = "com.example.lifetime"

@MainActor
@Suite("Paywall model", .timeLimit(.minutes(1)))
struct PaywallModelTests {
  let store = FakeStore(products: [
    .fake(coins, .consumable, price: 0.99), .fake(lifetime, .nonConsumable, price: 9.99),
  ])

  private func makeModel(ids: [String]? = nil) -> (PaywallModel, IAPManager) {
    let manager = store.launch(
      IAPConfiguration(
        productIds: [lifetime, coins],
        validator: store.validator,
        delivery: { _ in .delivered }
      )
    )
    return (PaywallModel(manager: manager, productIds: ids, language: .english), manager)
  }

  /// Waits until the screen shows something.
  private func wait(_ model: PaywallModel, until isMet: (PaywallState) -> Bool) async {
    for await state in model.states where isMet(state) { return }
  }

  @Test func showsTheProductsOfTheConfigurationInOrder() async {
    let (model, _) = makeModel()
    #expect(model.state == PaywallState())
    await model.load()
    #expect(model.state.phase == .ready)
    #expect(model.state.rows.map(\.id) == [lifetime, coins])
    #expect(model.state.rows.map(\.canBuy) == [true, true])
  }

  @Test func saysThatNothingIsForSale() async {
    let (model, _) = makeModel(ids: ["com.example.unknown"])
    await model.load()
    #expect(model.state.phase == .empty)
  }

  @Test func keepsWhatItShowedWhenTheStoreIsSilent() async {
    let (model, _) = makeModel()
    store.isOffline = true
    await model.load()
    #expect(model.state.phase == .failed(.productLoadFailed))
    store.isOffline = false
    await model.load()
    #expect(model.state.phase == .ready)
  }

  @Test func sellsAndTakesTheButtonAway() async {
    let (model, _) = makeModel()
    await model.load()
    await model.buy(lifetime)
    #expect(model.state.message == .delivered)
    #expect(model.state.rows.map(\.isOwned) == [true, false])
    #expect(model.state.rows.map(\.canBuy) == [false, true])
    await model.buy(coins)
    #expect(model.state.rows.map(\.canBuy) == [false, true])
    model.dismissMessage()
    #expect(model.state.message == nil)
  }

  @Test func isBusyWhileTheSheetIsOpenAndSilentWhenItIsClosed() async throws {
    let (model, _) = makeModel()
    await model.load()
    store.willAnswer(.later)
    async let buying: Void = model.buy(coins)
    await store.waitUntilSheetIsOpen()
    await wait(model) { $0.rows.last?.isBusy == true }
    try store.answerSheet(.cancel)
    await buying
    #expect(model.state.message == nil)
    #expect(model.state.rows.last?.canBuy == true)
  }

  @Test func explainsWhatTakesTime() async throws {
    let (model, _) = makeModel()
    await model.load()
    store.willAnswer(.askParent)
    await model.buy(lifetime)
    #expect(model.state.message == .pending)
    #expect(model.state.rows.first?.canBuy == true)
    store.validator.mood = .unavailable
    await model.buy(coins)
    #expect(model.state.message == .processing)
    store.validator.mood = .truthful
    try await store.approvePurchase(of: lifetime)
    await wait(model) { $0.rows.first?.isOwned == true }
  }

  @Test func followsWhatHappensElsewhere() async throws {
    let (model, manager) = makeModel()
    await model.load()
    try await store.buyElsewhere(lifetime)
    await wait(model) { $0.rows.first?.isOwned == true }
    let id = try #require(store.latestTransactionId(of: lifetime))
    try await store.refund(id)
    await wait(model) { $0.rows.first?.isOwned == false }
    #expect(!manager.entitlements.access(to: lifetime).isGranted)
  }

  @Test func restoresOrSaysThatThereIsNothing() async throws {
    let (model, _) = makeModel()
    await model.load()
    await model.restore()
    #expect(model.state.message == .nothingToRestore)
    try await store.buyElsewhere(lifetime)
    await model.restore()
    #expect(model.state.message == .restored(1))
    store.isOffline = true
    await model.restore()
    guard case .failed(.network, _) = model.state.message else {
      Issue.record("no error: \(String(describing: model.state.message))")
      return
    }
    #expect(!model.state.isRestoring)
  }

  @Test func showsHeadlinePoliciesAndWhatStandsInForProducts() async throws {
    let screens = Screens()
    let policies = PolicyLinks(
      termsOfUse: try #require(URL(string: "https://example.com/terms")),
      privacyPolicy: try #require(URL(string: "https://example.com/privacy"))
    )
    let model = PaywallModel(
      manager: screens.launch(),
      headline: PaywallHeadline(title: "Pro", points: ["All maps"]),
      policies: policies,
      language: .english
    )
    #expect(model.state.placeholder == "Loading…")
    #expect(!model.state.canReload)
    screens.store.isOffline = true
    await model.load()
    #expect(model.state.placeholder == "The App Store did not answer.")
    #expect(model.state.canReload)
    screens.store.isOffline = false
    await model.load()
    #expect(model.state.placeholder == nil)
    #expect(model.state.headline?.points == ["All maps"])
    #expect(model.state.policies == policies.links(.english))
    #expect(model.state.restoreTitle == "Restore Purchases")
  }

  @Test func promisesATrialOnceAndNotAgain() async throws {
    let screens = Screens()
    let manager = screens.launch()
    let model = PaywallModel(
      manager: manager,
      productIds: [Screens.monthly],
      language: .english
    )
    await model.load()
    #expect(model.state.rows.first?.eligibility == .eligible)
    let price = try #require(model.state.rows.first?.product.displayPrice)
    #expect(model.state.rows.first?.terms.offer == "1 week free, then \(price) per month")
    await model.buy(Screens.monthly)
    #expect(model.state.rows.first?.button.title == "Subscribed")
    await wait(model) { $0.rows.first?.eligibility == .notEligible }
    #expect(model.state.rows.first?.terms.offer == nil)
  }

  @Test func tellsWhenCodesCannotBeEntered() async {
    let (model, _) = makeModel()
    await model.load()
    await model.redeemCode()
    #expect(model.state.message == nil)
  }

  @Test func everyMessageHasBothLanguages() {
    let messages: [PaywallMessage] = [
      .delivered, .processing, .pending, .scheduled, .restored(2), .nothingToRestore,
    ]
    for message in messages {
      let texts = [message.text(.english), message.text(.simplifiedChinese)]
      #expect(!texts[0].isEmpty && texts[0] != texts[1])
      #expect(texts[1].unicodeScalars.contains { $0.value > 0x4E00 })
    }
  }
}

import AppStoreSimulator
import Foundation
import IAPKit
import IAPKitUI
import IAPModel
import SimulatedApp
import SimulatedDevice

/// Everything that the page shows, as a value.
struct DemoSnapshot: Hashable, Sendable {
  /// A telephone.
  struct Phone: Hashable, Sendable {
    let name: DemoPhone.Name
    let generation: StoreGeneration
    let isRunning: Bool
    let isAway: Bool
    let isOnline: Bool
    let plannedDeath: KillStep?
    let lastDeath: String?
    /// Nil while the app does not run.
    let screens: Screens?
    /// What the payment sheet asks money for; nil while none is open.
    let sheet: PaywallState.Row?
    let coins: Int
    let access: [ProductID: Access]
  }

  /// The states of the app's screens.
  struct Screens: Hashable, Sendable {
    let shop: PaywallState
    let plans: PaywallState
    let status: SubscriptionStatusState
    let open: OpenPurchasesState
  }

  /// A question to a parent.
  struct Question: Hashable, Sendable {
    let id: PendingID
    let product: ProductID
    let device: DemoPhone.Name
  }

  var phones: [Phone] = []
  var questions: [Question] = []
  var lives: [OrderLife] = []
  /// The names of the products, as the store's catalog has them.
  var names: [IAPError.Language: [ProductID: String]] = [:]
  /// The store's time, to the minute.
  var now = Date(timeIntervalSince1970: 0)
  var storefront = ""
  var isServerUp = true
  var isCardGood = true
  var isLeaping = false
  /// Whether the person's subscription renews; nil without one that runs.
  var renews: Bool?
  var trouble: Words?
  var language = IAPError.Language.english

  func phone(_ name: DemoPhone.Name) -> Phone? { phones.first { $0.name == name } }

  /// What a product is called.
  func name(of product: ProductID, _ language: IAPError.Language) -> String {
    names[language]?[product] ?? product.rawValue
  }
}

extension DemoSnapshot {
  @MainActor
  init(_ demo: WebDemo) {
    let store = demo.world.store
    phones = demo.phones.map { Phone($0) }
    let owners = Dictionary(
      demo.phones.map { ($0.device.id, $0.name) },
      uniquingKeysWith: { one, _ in one }
    )
    questions = store.pendingPurchases.compactMap { pending in
      guard pending.answer == .waiting, let device = owners[pending.request.device] else {
        return nil
      }
      return Question(id: pending.id, product: pending.request.productID, device: device)
    }
    names = Self.names(store)
    lives = OrderLife.all(demo.phones, store, demo.account)
    now = Date(
      timeIntervalSince1970: (store.clock.now.timeIntervalSince1970 / 60).rounded(.down) * 60
    )
    storefront = demo.storefront
    isServerUp = demo.isServerUp
    isCardGood = demo.isCardGood
    isLeaping = demo.isLeaping
    trouble = demo.trouble
    language = demo.language
    renews =
      store.subscriptions.last { $0.account == demo.account && $0.isRunning }?.willAutoRenew
  }
}

extension DemoSnapshot {
  private static func names(
    _ store: SimulatedAppStore
  ) -> [IAPError.Language: [ProductID: String]] {
    let catalog = store.configuration.catalog
    return Dictionary(
      uniqueKeysWithValues: IAPError.Language.allCases.map { language in
        let locale = language == .english ? "en_US" : "zh_Hans"
        let named = DemoOffer.all.map { id in
          (id, catalog[id]?.localization(for: locale)?.displayName ?? id.rawValue)
        }
        return (language, Dictionary(uniqueKeysWithValues: named))
      }
    )
  }
}

extension DemoSnapshot.Phone {
  @MainActor
  init(_ phone: DemoPhone) {
    name = phone.name
    generation = phone.generation
    isRunning = phone.screens != nil
    isAway = phone.isAway
    isOnline = !phone.device.isInAirplaneMode
    plannedDeath = phone.plannedDeath
    lastDeath = phone.lastDeath
    screens = phone.screens.map { screens in
      DemoSnapshot.Screens(
        shop: screens.shop.state,
        plans: screens.plans.state,
        status: screens.status.state,
        open: screens.open.state
      )
    }
    let rows = (screens?.shop.rows ?? []) + (screens?.plans.rows ?? [])
    sheet = phone.device.sheet.openProducts.first.flatMap { wanted in
      rows.first { $0.id == wanted.rawValue }
    }
    let coins = phone.app.effects.filter { $0.productId == DemoCatalog.coins.rawValue }
    self.coins = coins.reduce(0) { sum, effect in
      let count = effect.quantity * DemoOffer.coinsEach
      return effect.kind == .clawback ? sum - count : sum + count
    }
    access = Dictionary(
      uniqueKeysWithValues: DemoOffer.all.map { ($0, phone.app.access(to: $0)) }
    )
  }

  /// Whether a plan or the lifetime purchase gives access now.
  var hasEverything: Bool {
    access.contains { $0.key != DemoCatalog.coins && $0.value.isGranted }
  }
}

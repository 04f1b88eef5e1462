import AppStoreSimulator
import Foundation
import IAPKit
import IAPKitUI
package import IAPModel
import SimulatedApp
import SimulatedDevice

/// A telephone of the demo: the app on it is the real client, its screens are the models of
/// `IAPKitUI`.
@MainActor
final class DemoPhone {
  /// Which telephone of the person it is.
  enum Name: String, Hashable, Sendable, CaseIterable {
    case first = "phone"
    case second
  }

  /// The screens of one run of the app.
  struct Screens: Sendable {
    let shop: PaywallModel
    let plans: PaywallModel
    let status: SubscriptionStatusModel
    let open: OpenPurchasesModel
  }

  let name: Name
  let device: SimulatedDevice
  let app: SimulatedApp
  /// Nil while the app does not run.
  private(set) var screens: Screens?
  /// What the client's journal noted, over all launches.
  private(set) var events: [DiagnosticEvent] = []
  /// Where the next death is planned.
  private(set) var plannedDeath: KillStep?
  /// Where the app died last, while it has not been started again; nil when it was ended otherwise.
  private(set) var lastDeath: String?
  /// Whether the person has left the app.
  private(set) var isAway = false
  private(set) var generation: StoreGeneration
  private var following: Task<Void, Never>?

  init(
    _ name: Name,
    of account: AccountID,
    generation: StoreGeneration,
    world: DemoWorld
  ) throws(SimulatorError) {
    self.name = name
    self.generation = generation
    device = try SimulatedDevice(
      store: world.store,
      account: account,
      id: DeviceID("\(account)-\(name.rawValue)")
    )
    // The sheet waits for whoever sits before the page.
    device.person.usualAnswer = .hold
    app = SimulatedApp(device: device, setup: world.makeSetup(generation, account))
  }

  // MARK: The app's life

  /// Starts the app; one that runs is killed first.
  func launch(_ language: IAPError.Language) async throws {
    device.locale = language == .simplifiedChinese ? "zh_Hans" : "en_US"
    following?.cancel()
    screens = nil
    plannedDeath = nil
    isAway = false
    try await app.launch()
    lastDeath = nil
    let told = try await app.perform { $0.diagnosticEventStream(replayingMissed: true) }
    following = Task { [weak self] in
      for await event in told { self?.events.append(event) }
    }
    screens = try await app.perform { await Screens($0, language) }
    act { screens in
      async let shop: Void = screens.shop.load()
      async let plans: Void = screens.plans.load()
      async let status: Void = screens.status.load()
      async let open: Void = screens.open.load()
      _ = await (shop, plans, status, open)
    }
  }

  /// Starts the app again with another of Apple's two APIs.
  func launch(with generation: StoreGeneration, _ language: IAPError.Language) async throws {
    self.generation = generation
    app.update { $0.generation = generation }
    try await launch(language)
  }

  func kill() {
    app.kill()
    noteDeath()
  }

  /// Plans a death at the next passing of a step; nil forgets it.
  func planDeath(at step: KillStep?) {
    // What was planned is passed so often that it never comes.
    if let planned = plannedDeath { app.kill(at: planned, occurrence: Int.max) }
    plannedDeath = step
    if let step { app.kill(at: step) }
  }

  /// Looks whether the app has died by itself.
  func noteDeath() {
    guard screens != nil, !app.isAlive else { return }
    screens = nil
    lastDeath = plannedDeath == nil ? nil : app.deaths.elements.last
    plannedDeath = nil
    isAway = false
  }

  func leave() {
    device.enterBackground()
    isAway = true
  }

  func comeBack() async throws {
    isAway = false
    try await app.enterForeground()
  }

  var isInFront: Bool { screens != nil && !isAway }

  /// Lets the person do something on the app's screens; nobody waits for its end.
  func act(_ body: @escaping @MainActor @Sendable (Screens) async -> Void) {
    guard let screens else { return }
    Task { [app] in _ = try? await app.perform { _ in await body(screens) } }
  }

  /// The screen that sells a product.
  func screen(selling id: ProductID) -> PaywallModel? {
    DemoOffer.plans.contains(id) ? screens?.plans : screens?.shop
  }
}

extension DemoPhone.Screens {
  @MainActor
  fileprivate init(_ manager: IAPManager, _ language: IAPError.Language) {
    shop = PaywallModel(
      manager: manager,
      productIds: DemoOffer.goods.map(\.rawValue),
      language: language
    )
    plans = PaywallModel(
      manager: manager,
      productIds: DemoOffer.plans.map(\.rawValue),
      headline: DemoOffer.headline(language),
      policies: DemoOffer.policies,
      language: language
    )
    status = SubscriptionStatusModel(manager: manager, timeZone: .gmt, language: language)
    open = OpenPurchasesModel(manager: manager, timeZone: .gmt, language: language)
  }
}

/// What the demo's app sells, and what it says about it.
package enum DemoOffer {
  /// What is paid once.
  package static let goods = [DemoCatalog.coins, DemoCatalog.lifetime]
  /// What is paid again and again.
  package static let plans = [DemoCatalog.yearly, DemoCatalog.monthly]
  /// Everything.
  package static let all = goods + plans
  /// The types, which StoreKit 1 does not tell.
  package static let types: [ProductID: ProductType] = [
    DemoCatalog.coins: .consumable, DemoCatalog.lifetime: .nonConsumable,
    DemoCatalog.monthly: .autoRenewable, DemoCatalog.yearly: .autoRenewable,
  ]
  /// How many coins one purchase brings.
  static let coinsEach = 100

  @MainActor
  static func headline(_ language: IAPError.Language) -> PaywallHeadline {
    PaywallHeadline(
      title: Words("Tidepool Plus", zh: "潮池 Plus")(language),
      subtitle: Words("The whole sea, every day.", zh: "每一天，整片大海。")(language),
      points: [
        Words("Every reef and every creature", zh: "全部珊瑚礁与海洋生物")(language),
        Words("A new dive each week", zh: "每周一次全新潜水")(language),
        Words("No advertising", zh: "没有广告")(language),
      ]
    )
  }

  static var policies: PolicyLinks? {
    guard
      let terms = URL(string: "https://www.apple.com/legal/internet-services/itunes/dev/stdeula/"),
      let privacy = URL(string: "https://example.com/tidepool/privacy")
    else { return nil }
    return PolicyLinks(termsOfUse: terms, privacyPolicy: privacy)
  }
}

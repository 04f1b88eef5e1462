import AppStoreSimulator
import Foundation
import HTTPClient
import IAPKit
import IAPModel
import SimulatedApp
import SimulatedDevice
import Synchronization

/// One walk through the tour with one of Apple's two APIs: an account of its own, a telephone and
/// an app.
///
/// Steps build on each other; a step that fails does not stop the next.
struct Tour: Sendable {
  let world: TourWorld
  let generation: StoreGeneration
  let account: AccountID
  let app: SimulatedApp
  /// Where the app's calls to its server go.
  let route: TourRoute
  /// Every app of this walk: each has a shelf.
  let apps: TourApps

  static let coins: ProductID = "com.example.demo.coins"
  static let lifetime: ProductID = "com.example.demo.lifetime"
  static let monthly: ProductID = "com.example.demo.plus.monthly"
  static let unknown: ProductID = "com.example.demo.nothing"

  /// Sets up the account, the telephone and the app, and starts the app.
  init(world: TourWorld, generation: StoreGeneration) async throws {
    self.world = world
    self.generation = generation
    account = AccountID("mia-\(generation.rawValue)")
    route = TourRoute(main: world.server.base, production: world.productionServer.base)
    apps = TourApps()
    try world.store.addAccount(account)
    app = try apps.install(
      on: DeviceID("phone-\(generation.rawValue)"),
      of: account,
      world,
      Self.setup(world, generation, account, route)
    )
    try await app.launch()
  }

  /// How the tour's app is built.
  static func setup(
    _ world: TourWorld,
    _ generation: StoreGeneration,
    _ account: AccountID,
    _ route: TourRoute
  ) -> AppSetup {
    AppSetup(
      generation: generation,
      productIds: [coins, lifetime, monthly],
      productTypes: [
        coins: .consumable, lifetime: .nonConsumable, monthly: .autoRenewable,
      ],
      configure: { $0.account = account.rawValue }
    )
    .judged(by: route, client: world.client)
  }

  // MARK: The script

  /// A step: what it shows, and what it does and sees.
  struct Step: Sendable {
    let name: Words
    let run: @Sendable (Tour) async throws -> Words
  }

  /// The steps in their order.
  static let script: [Step] = [
    Step(name: Words("load products", zh: "加载商品")) { try await $0.loadProducts() },
    Step(name: Words("buy a consumable", zh: "购买消耗型商品")) { try await $0.buyConsumable() },
    Step(name: Words("the same proof twenty times at once", zh: "同一凭证并发提交二十次")) {
      try await $0.presentTwentyTimes()
    },
    Step(name: Words("server down while buying", zh: "购买时服务器宕机")) {
      try await $0.buyWhileServerIsDown()
    },
    Step(name: Words("killed between save and validation", zh: "保存之后、验证之前被杀死")) {
      try await $0.dieBeforeValidation()
    },
    Step(name: Words("killed between delivery and finish", zh: "交付之后、完成之前被杀死")) {
      try await $0.dieBeforeFinish()
    },
    Step(name: Words("cancel, and a second tap", zh: "取消与重复点击")) {
      try await $0.cancelAndTapTwice()
    },
    Step(name: Words("Ask to Buy", zh: "购买前询问")) { try await $0.askToBuy() },
    Step(name: Words("explicit rejections", zh: "服务器明确拒绝")) {
      try await $0.rejectUntilQuarantined()
    },
    Step(name: Words("restore on a second device", zh: "在第二台设备上恢复购买")) {
      try await $0.restoreElsewhere()
    },
    Step(name: Words("a month passes", zh: "一个月过去")) { try await $0.renew() },
    Step(name: Words("refund", zh: "退款")) { try await $0.refund() },
    Step(name: Words("forged, foreign and sandbox proofs", zh: "伪造、其他 App 与沙盒凭证")) {
      try await $0.presentBadProofs()
    },
  ]

  /// Runs one step; whatever goes wrong is what it says in the end.
  func result(of step: Step) async -> DemoStep {
    do {
      let tour = self
      let detail = try await LiveTour.deadline(step.name(.english), seconds: 60) {
        try await step.run(tour)
      }
      return DemoStep(name: step.name, path: generation.rawValue, ok: true, detail: detail)
    } catch {
      let detail = (error as? CommandError)?.reason ?? Words("\(error)")
      return DemoStep(name: step.name, path: generation.rawValue, ok: false, detail: detail)
    }
  }

  // MARK: What steps share

  /// Lets the person do something in the app, for at most half a minute.
  func user<Value: Sendable>(
    _ what: String,
    _ action: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    try await LiveTour.deadline(what, action)
  }

  /// Buys and expects the goods at once.
  func buyDelivered(_ product: ProductID) async throws -> IAPTransactionResult {
    let app = app
    let outcome = try await user("buying \(product)") { try await app.buy(product) }
    guard case .delivered(let result) = outcome else {
      throw CommandError(.failed, Words("buying \(product) ended as \(outcome.word)"))
    }
    return result
  }

  /// Buys in a process that is killed on the way.
  func buyAndDie(_ product: ProductID, at step: KillStep) async throws {
    let app = app
    app.kill(at: step)
    do {
      let outcome = try await user("dying at \(step.rawValue)") { try await app.buy(product) }
      throw CommandError(.failed, Words("not killed; buying ended as \(outcome.word)"))
    } catch let error as DeviceError where error.code == .processKilled {
      return
    }
  }

  /// Waits until the store waits for nothing on this telephone.
  func settleQueue() async throws {
    try await world.settle("the queue is empty") { app.isQueueEmpty }
  }

  /// What proves a purchase to the server.
  func proof(of id: TransactionID, on device: SimulatedDevice) throws -> JSONObject {
    switch generation {
    case .storekit2:
      return ["signedTransaction": .string(try world.store.signedTransaction(id, on: device.id))]
    case .storekit1:
      guard let receipt = device.receipt else {
        throw CommandError(.failed, "the telephone has no receipt")
      }
      return [
        "receipt": .string(Data(receipt).base64EncodedString()),
        "transactionId": .string(id.rawValue),
      ]
    }
  }

  /// The purchases that the server credits to the account.
  func serverPurchases() async throws -> [JSONObject] {
    let answer = try await world.caller.customer(account.rawValue)
    return answer["purchases"]?.arrayValue?.compactMap(\.objectValue) ?? []
  }

  /// How long the server says that the account may use a product; nil when it may not.
  func serverAccess(to product: ProductID) async throws -> JSONObject? {
    let answer = try await world.caller.customer(account.rawValue)
    let all = answer["entitlements"]?.arrayValue?.compactMap(\.objectValue) ?? []
    return all.first { $0["productId"]?.stringValue == product.rawValue }
  }
}

/// Where an app's calls to its server go at present.
final class TourRoute: Sendable {
  private let bases: (main: String, production: String)
  private let leadsToProduction = Mutex(false)

  init(main: String, production: String) { bases = (main, production) }

  /// Whether calls go to the server that takes production data only.
  var isProduction: Bool {
    get { leadsToProduction.withLock { $0 } }
    set { leadsToProduction.withLock { $0 = newValue } }
  }

  /// The address of the same path at the server that calls go to now.
  func target(_ url: URL) -> String { (isProduction ? bases.production : bases.main) + url.path }

  /// What the app is told.
  var endpoint: String { bases.main + "/v1/verify" }
}

/// The apps of a walk.
final class TourApps: Sendable {
  private let apps = Mutex<[SimulatedApp]>([])

  /// Every app so far.
  var all: [SimulatedApp] { apps.withLock { $0 } }

  /// Sets up a telephone with the app on it; it does not run yet.
  func install(
    on device: DeviceID,
    of account: AccountID,
    _ world: TourWorld,
    _ setup: AppSetup
  ) throws -> SimulatedApp {
    let device = try SimulatedDevice(store: world.store, account: account, id: device)
    var setup = setup
    // Two installations never draw the same numbers.
    setup.seed = world.nextSeed()
    let app = SimulatedApp(device: device, setup: setup)
    apps.withLock { $0.append(app) }
    return app
  }
}

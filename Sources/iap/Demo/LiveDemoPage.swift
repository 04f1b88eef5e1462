import AppStoreSimulator
import Dashboard
import Foundation
import HTTPValues
import IAPKit
import MicroHTTP
import SimulatedApp
import WebDemo

/// The page of the demo while it is served: from here on the store's time is everybody's.
struct LiveDemoPage {
  /// Where to open it.
  let address: String
  private let demo: WebDemo
  private let http: HTTPServer
  private let work: Task<Void, Never>

  /// How often the page looks for changes, and time goes on.
  private static let interval = Duration.milliseconds(100)
  /// How many moments everything rests at each instant while time is moved.
  private static let restsAtInstant = 8
  /// The port that is written down for people; another one when it is taken.
  static let usualPort = 8787

  /// Starts the telephones and serves the page on this machine only.
  ///
  /// - Parameters:
  ///   - world: The store and the server.
  ///   - port: Where; nil for the usual port, or any when that is taken.
  ///   - language: The language that the telephones speak until somebody comes.
  /// - Returns: The page; whoever opens it closes it.
  /// - Throws: ``CommandError`` when the port is taken.
  static func open(
    _ world: TourWorld,
    port: Int?,
    _ language: Language
  ) async throws -> LiveDemoPage {
    let password = try await world.server.addOperator("demo", at: world.store.clock.now)
    let demo = try await WebDemo(
      world: DemoWorld(
        store: world.store,
        makeSetup: { generation, account in setup(world, generation, account) },
        server: DemoWorld.Server(
          start: { try await world.server.start() },
          stop: { await world.server.stop() }
        ),
        dashboard: DemoWorld.Dashboard(
          address: world.server.base + "/dashboard",
          name: "demo",
          password: password
        ),
        formToken: token(),
        rest: { for _ in 0..<restsAtInstant { await LiveTour.rest() } }
      ),
      language: language == .english ? .english : .simplifiedChinese
    )
    let http = try start(await DemoSite(demo).handler, port)
    let pace = LiveStorePace(clock: world.store.clock, rate: 1)
    let work = Task {
      async let telling: Void = tell(world.store)
      while !Task.isCancelled {
        try? await Task.sleep(for: interval)
        pace.synchronize()
        await demo.tick()
      }
      await telling
    }
    return LiveDemoPage(address: http.address.url, demo: demo, http: http, work: work)
  }

  private static func start(_ handler: @escaping HTTPHandler, _ port: Int?) throws -> HTTPServer {
    let limits = HTTPLimits(bodyBytesMax: 64 * 1024, stopTimeout: .seconds(2))
    do throws(HTTPServerError) {
      return try HTTPServer.start(
        host: "127.0.0.1",
        port: port ?? usualPort,
        limits: limits,
        handler: handler
      )
    } catch {
      guard port == nil, error.code == .addressInUse else {
        throw CommandError(
          .failed,
          Words(
            "the page cannot be served: \(error.reason).",
            zh: "无法提供网页：\(error.reason)。"
          )
        )
      }
      return try HTTPServer.start(host: "127.0.0.1", port: 0, limits: limits, handler: handler)
    }
  }

  /// Sends what the store has to tell the server, as soon as it is due.
  private static func tell(_ store: SimulatedAppStore) async {
    while !Task.isCancelled {
      try? await Task.sleep(for: interval)
      await store.drainNotifications()
    }
  }

  private static func setup(
    _ world: TourWorld,
    _ generation: StoreGeneration,
    _ account: AccountID
  ) -> AppSetup {
    var setup = AppSetup(
      generation: generation,
      productIds: DemoOffer.all,
      productTypes: DemoOffer.types,
      configure: { $0.account = account.rawValue },
      seed: world.nextSeed()
    )
    setup = setup.judged(
      by: TourRoute(main: world.server.base, production: world.productionServer.base),
      client: world.client
    )
    return setup
  }

  private static func token() -> String {
    var chance = SystemRandomNumberGenerator()
    return (0..<2).map { _ in String(chance.next(), radix: 36) }.joined()
  }

  /// Ends the page and its telephones.
  func close() async {
    work.cancel()
    await demo.close()
    await http.stop()
    await work.value
  }
}

import AppStoreSimulator
import EntitlementServer
import Foundation
import HTTPClient
import HTTPValues
import IAPKit
import IAPModel
import MicroHTTP
import OpenSSLCrypto
import Synchronization

/// Everything around the telephones: the simulated store, an entitlement server that takes sandbox
/// data and one that takes production data only, each on a SQLite file, all on loopback.
final class TourWorld: Sendable {
  let store: SimulatedAppStore
  let client: HTTPClient
  let server: TourServer
  let productionServer: TourServer
  /// The store's own HTTP face.
  let storeFace: HTTPServer
  private let directory: URL
  private let seeds: Mutex<SeededGenerator>

  /// What a second app is called, whose transactions must not count.
  static let otherBundleID = BundleID("com.example.other")

  /// Opens the store and starts the servers.
  ///
  /// - Parameters:
  ///   - seed: What all chance comes from.
  ///   - start: Where the store's clock starts.
  ///   - directory: An empty folder for the databases.
  /// - Throws: What the store, the servers or the sockets could not do.
  init(seed: UInt64, start: Date, directory: URL) async throws {
    var options = StoreOptions(environment: .sandbox)
    // The sandbox tries once; the tour wants to see Apple's retries.
    options.retryTimetable = .production
    let catalog = try StoreCatalog(parsing: Array(DemoCatalog.text.utf8), file: "Demo.storekit")
    let store = try SimulatedAppStore(
      configuration: StoreConfiguration(
        catalog: catalog,
        bundleID: DemoCatalog.bundleID,
        appAppleID: DemoCatalog.appAppleID,
        seed: seed,
        start: start,
        options: options
      ),
      signing: try OpenSSLPrimitives()
    )
    try store.addApp(
      Self.otherBundleID,
      appAppleID: AppAppleID(DemoCatalog.appAppleID.rawValue + 1),
      catalog: catalog
    )
    let client = HTTPClient()
    self.store = store
    self.client = client
    self.directory = directory
    seeds = Mutex(SeededGenerator(seed: seed))
    server = try await TourServer(
      try Self.settings(store, directory, "sandbox", [.production, .sandbox])
    )
    productionServer = try await TourServer(
      try Self.settings(store, directory, "production", [.production])
    )
    storeFace = try HTTPServer.start(
      host: "127.0.0.1",
      port: 0,
      handler: StoreHTTPFace(store: store).handler
    )
    store.setNotificationSender { url, body in
      await NotificationPost.send(body, to: url, client)
    }
    try store.setNotificationURL(URL(string: server.base + "/v1/notifications/apple"))
  }

  private static func settings(
    _ store: SimulatedAppStore,
    _ directory: URL,
    _ name: String,
    _ environments: Set<StoreEnvironment>
  ) throws(SimulatorError) -> ServeSettings {
    var settings = ServeSettings()
    settings.port = 0
    settings.database = .sqlite(
      path: directory.appendingPathComponent(name + ".sqlite").path
    )
    settings.isSimulated = true
    settings.requiresKeys = false
    settings.roots = [store.jwsRootCertificate, try store.receiptRootCertificate()]
    settings.clock = .given(ClosureClock { [clock = store.clock] in clock.now })
    settings.apps = [
      ServerApp(
        bundleID: DemoCatalog.bundleID,
        appAppleID: DemoCatalog.appAppleID,
        environments: environments
      )
    ]
    return settings
  }

  /// What the chance of the next app comes from.
  func nextSeed() -> UInt64 { seeds.withLock { $0.next() } }

  /// What the tour asks the server that takes sandbox data.
  var caller: TourCaller { TourCaller(client: client, base: server.base) }

  /// What the tour asks the server that takes production data only.
  var productionCaller: TourCaller { TourCaller(client: client, base: productionServer.base) }

  /// Lets time pass until the condition holds: first whatever is under way on real sockets, then up
  /// to the next instant at which the store or an app wants to be woken.
  ///
  /// - Parameters:
  ///   - what: What is waited for, for the error.
  ///   - hours: How far the store's clock may be moved.
  ///   - isMet: The condition.
  /// - Throws: ``CommandError`` with code `failed` when it does not come about.
  func settle(
    _ what: String,
    hours: Double = 12,
    until isMet: () async throws -> Bool
  ) async throws {
    let end = store.clock.now.addingTimeInterval(hours * 3600)
    await store.drainNotifications()
    var idleRests = 0
    for _ in 0..<Self.restsMax {
      if try await isMet() { return }
      await LiveTour.rest()
      idleRests += 1
      guard idleRests >= Self.restsBeforeAdvance, let due = store.clock.nextDue, due <= end
      else { continue }
      await store.advance(to: due)
      idleRests = 0
    }
    throw CommandError(.failed, Words("this did not come about: \(what)"))
  }

  /// How often the condition is looked at, at most.
  private static let restsMax = 5_000
  /// How long everything rests before the clock moves: the answers of loopback come sooner.
  private static let restsBeforeAdvance = 25

  /// Stops everything and removes the databases.
  func close() async {
    store.setNotificationTransport(nil)
    await storeFace.stop()
    await server.stop()
    await productionServer.stop()
    try? FileManager.default.removeItem(at: directory)
  }
}

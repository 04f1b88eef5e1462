import AppStoreServerAPI
import Dashboard
import EntitlementServer
import Foundation
import HTTPClient
import HTTPValues
import IAPModel
import IAPSignatures
import MicroHTTP
import OpenSSLCrypto
import ServerStorage

/// A server that runs.
struct RunningServer: Sendable {
  /// Where it listens, with the real port.
  let address: HTTPServerAddress
  /// Its ledger: for looking, beside the server.
  let ledger: any Ledger
  private let http: HTTPServer
  /// What is done beside answering.
  private let work: Task<Void, Never>
  /// Answers the requests that wait for something to happen.
  private let endWaiting: @Sendable () -> Void

  init(
    http: HTTPServer,
    ledger: any Ledger,
    work: Task<Void, Never>,
    endWaiting: @escaping @Sendable () -> Void
  ) {
    self.endWaiting = endWaiting
    address = http.address
    self.ledger = ledger
    self.http = http
    self.work = work
  }

  /// Answers what was begun, then stops and closes the ledger.
  func stop() async {
    work.cancel()
    endWaiting()
    await http.stop()
    await work.value
    await ledger.close()
  }
}

/// Puts the server together: the one place that knows all its parts.
enum ServerComposition {
  /// Starts a server on the ledger that its settings name.
  ///
  /// - Parameters:
  ///   - settings: What it is composed from.
  ///   - log: Takes what happens.
  /// - Returns: The running server; whoever starts it stops it.
  /// - Throws: ``CommandError`` with code `failed`, in words for a person.
  static func start(
    _ settings: ServeSettings,
    log: @escaping @Sendable (ServerEvent) -> Void = { _ in }
  ) async throws(CommandError) -> RunningServer {
    let notices = LedgerNotices()
    let slow = settings.slowQueryMilliseconds
    let ledger = try settings.database.open(slowMilliseconds: slow) { notices.take($0) }
    do throws(CommandError) {
      return try await start(settings, ledger: ledger, notices: notices, log: log)
    } catch {
      await ledger.close()
      throw error
    }
  }

  /// Starts a server on any ledger, which it closes when it stops.
  static func start(
    _ settings: ServeSettings,
    ledger: any Ledger,
    notices: LedgerNotices = LedgerNotices(),
    log: @escaping @Sendable (ServerEvent) -> Void = { _ in }
  ) async throws(CommandError) -> RunningServer {
    let clock = try await makeClock(settings.clock)
    var limits = settings.limits
    limits.slowQueryMilliseconds = settings.slowQueryMilliseconds
    let configuration = ServerConfiguration(
      apps: settings.apps,
      isSimulated: settings.isSimulated,
      requiresKeys: settings.requiresKeys,
      limits: limits
    )
    let servers = ServerCount()
    var world = ServerWorld.live(isShared: settings.database.isShared, log: log)
    world.serversSeen = { servers.set($0) }
    var appleWorld = AppStoreServerWorld.live()
    appleWorld.servers = { servers.value }
    let server = EntitlementServer(
      configuration: configuration,
      ledger: ledger,
      verifiers: try makeVerifiers(settings, configuration),
      clock: clock,
      world: world,
      offerKeys: try makeOfferKeys(settings),
      apple: try makeAppleAccess(settings, appleWorld),
      webhooks: .live(allowsLoopback: settings.isSimulated || settings.allowsLoopbackWebhooks)
    )
    notices.lead(to: server)
    let dashboard = try makeDashboard(server)
    do throws(HTTPServerError) {
      let http = try HTTPServer.start(
        host: settings.host,
        port: settings.port,
        limits: server.httpLimits,
        refuse: { server.refusal($0) },
        handler: dashboard.handler(before: server.handler)
      )
      let interval = settings.reconcileEvery
      let work = Task {
        async let sending: Void = sendWebhooks(server)
        async let counting: Void = count(dashboard)
        async let presence: Void = showPresence(server)
        await Self.work(server, reconcilingEvery: interval)
        await sending
        await counting
        await presence
      }
      return RunningServer(
        http: http,
        ledger: ledger,
        work: work,
        endWaiting: { server.endWaiting() }
      )
    } catch {
      let place = "\(settings.host):\(settings.port)"
      throw CommandError(
        .failed,
        Words(
          "cannot listen on \(place): \(error.reason).",
          zh: "无法监听 \(place)：\(error.reason)。"
        )
      )
    }
  }

  private static func makeDashboard(
    _ server: EntitlementServer
  ) throws(CommandError) -> DashboardSite {
    do throws(CryptoError) {
      return DashboardSite(server: server, mill: .live(try OpenSSLPrimitives()))
    } catch {
      throw CommandError(.failed, Words("the cryptography cannot be set up.", zh: "无法初始化密码学组件。"))
    }
  }

  private static func makeVerifiers(
    _ settings: ServeSettings,
    _ configuration: ServerConfiguration
  ) throws(CommandError) -> ServerVerifiers {
    do throws(CryptoError) {
      return ServerVerifiers(
        anchors: settings.isSimulated ? try .simulated(settings.roots) : .apple,
        configuration: configuration,
        crypto: try OpenSSLPrimitives(),
        cache: BoundedChainCache(),
        revocation: try makeRevocationDesk(settings)
      )
    } catch {
      throw CommandError(
        .failed,
        Words(
          "the cryptography cannot be set up: \(error.reason).",
          zh: "无法初始化密码学组件：\(error.reason)。"
        )
      )
    }
  }

  /// What asks whether certificates were revoked; nil when nobody is to be asked.
  private static func makeRevocationDesk(
    _ settings: ServeSettings
  ) throws(CryptoError) -> RevocationDesk? {
    guard settings.asksAboutRevocation else { return nil }
    let client = HTTPClient()
    return RevocationDesk(
      verifier: OCSPVerifier(crypto: try OpenSSLPrimitives()),
      hosts: settings.isSimulated ? settings.simulatedHosts : RevocationDesk.appleHosts,
      send: { try await client.send($0) }
    )
  }

  private static func makeOfferKeys(
    _ settings: ServeSettings
  ) throws(CommandError) -> [BundleID: AppStoreServerKey] {
    var keys: [BundleID: AppStoreServerKey] = [:]
    for (app, file) in settings.offerKeys {
      do {
        keys[app] = try file.key()
      } catch {
        throw CommandError(
          .file,
          Words(
            "the offerKey of \(app) cannot be used: expected a .p8 file of App Store Connect.",
            zh: "\(app) 的 offerKey 无法使用：应为 App Store Connect 的 .p8 文件。"
          )
        )
      }
    }
    return keys
  }

  private static func makeClock(
    _ clock: ServeSettings.Clock
  ) async throws(CommandError) -> any ServerClock {
    switch clock {
    case .wall: return WallClock()
    case .given(let clock): return clock
    case .followed(let url): return try await FollowedClock(following: url)
    }
  }
}

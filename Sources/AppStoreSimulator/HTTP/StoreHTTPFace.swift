public import Foundation
public import HTTPValues
import IAPModel

/// The simulated store over HTTP: Apple's server interface under `/inApps`, `verifyReceipt`, and a
/// control interface of our own under `/control`.
///
/// Apple's parts are also found under `/production` and `/sandbox`, which stand for Apple's two
/// addresses: at the one that is not the store's environment no purchase is known. JSON in and
/// out, UNIX milliseconds. It does no input or output itself.
///
/// - **Concurrency:** safe from any thread.
public struct StoreHTTPFace: Sendable {
  let store: SimulatedAppStore
  let pace: ClockPace?
  private let router: HTTPRouter

  /// Puts a face on a store.
  ///
  /// - Parameters:
  ///   - store: The store.
  ///   - pace: What moves the store's clock with the real one; nil when nothing does.
  ///   - limits: How many requests an app may send.
  ///   - wallClock: The real time, by which tokens and rates are measured; nil for the store's.
  public init(
    store: SimulatedAppStore,
    pace: ClockPace? = nil,
    limits: RateLimits = .off,
    wallClock: (@Sendable () -> Date)? = nil
  ) {
    self.store = store
    self.pace = pace
    let desk = ServerAPIDesk(limits: limits, wallClock: wallClock ?? { store.now })
    let control = ControlRoutes(store: store, pace: pace, desk: desk)
    let addresses: [(String, StoreEnvironment?)] = [
      ("", nil), ("/production", .production), ("/sandbox", .sandbox),
    ]
    router = HTTPRouter(
      routes: control.routes + OCSPRoutes(store: store).routes
        + addresses.flatMap { prefix, environment in
          ServerAPIRoutes(store: store, desk: desk, environment: environment, prefix: prefix)
            .routes
            + VerifyReceiptRoutes(
              store: store,
              desk: desk,
              environment: environment,
              prefix: prefix
            ).routes
        }
    )
  }

  /// Answers a request.
  ///
  /// - Parameter request: The request.
  /// - Returns: The response; every request gets one.
  public func handle(_ request: HTTPRequest) async -> HTTPResponse {
    pace?.synchronize()
    return await router.handle(request)
  }

  /// The face as what a server calls.
  public var handler: HTTPHandler { { request in await handle(request) } }
}

/// Moves a store's clock with the real one, supplied from outside.
public struct ClockPace: Sendable {
  /// How many seconds of the store pass in a real one.
  public let rate: @Sendable () -> Double
  /// Sets how many seconds of the store pass in a real one; zero stands still.
  public let setRate: @Sendable (Double) -> Void
  /// Brings the store's clock up to date.
  public let synchronize: @Sendable () -> Void

  /// The fastest rate: a year in a third of a second.
  public static let rateMax = 100_000_000.0

  /// Makes a pace.
  ///
  /// - Parameters:
  ///   - rate: How many seconds of the store pass in a real one.
  ///   - setRate: Sets it.
  ///   - synchronize: Brings the store's clock up to date.
  public init(
    rate: @escaping @Sendable () -> Double,
    setRate: @escaping @Sendable (Double) -> Void,
    synchronize: @escaping @Sendable () -> Void
  ) {
    self.rate = rate
    self.setRate = setRate
    self.synchronize = synchronize
  }
}

public import HTTPValues
import IAPModel

/// The simulated store over HTTP: a small part of Apple's server interface under `/inApps`, and a
/// control interface of our own under `/control`.
///
/// JSON in and out, UNIX milliseconds. It does no input or output itself.
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
  public init(store: SimulatedAppStore, pace: ClockPace? = nil) {
    self.store = store
    self.pace = pace
    let control = ControlRoutes(store: store, pace: pace)
    router = HTTPRouter(
      routes: ServerAPIRoutes(store: store).routes + control.routes
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

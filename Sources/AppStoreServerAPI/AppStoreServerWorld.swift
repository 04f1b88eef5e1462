public import Foundation
public import HTTPValues

/// What the client takes from outside.
public struct AppStoreServerWorld: Sendable {
  /// The real time: tokens are dated by it, never by a simulated store's clock.
  public var now: @Sendable () -> Date
  /// Waits for so many seconds; throws when the task is cancelled.
  public var sleep: @Sendable (TimeInterval) async throws -> Void
  /// A number from 0 up to, not including, 1.
  public var random: @Sendable () -> Double
  /// A new identifier.
  public var uuid: @Sendable () -> UUID
  /// Sends one request; throws when there is no response.
  public var send: @Sendable (HTTPOutgoingRequest) async throws -> HTTPResponse
  /// How many servers ask with the same key, this one among them: they divide Apple's rates.
  public var servers: @Sendable () -> Int = { 1 }

  /// Makes a world.
  ///
  /// - Parameters:
  ///   - now: The real time.
  ///   - sleep: Waits for so many seconds.
  ///   - random: A number from 0 up to, not including, 1.
  ///   - uuid: A new identifier.
  ///   - send: Sends one request.
  public init(
    now: @escaping @Sendable () -> Date,
    sleep: @escaping @Sendable (TimeInterval) async throws -> Void,
    random: @escaping @Sendable () -> Double,
    uuid: @escaping @Sendable () -> UUID,
    send: @escaping @Sendable (HTTPOutgoingRequest) async throws -> HTTPResponse
  ) {
    self.now = now
    self.sleep = sleep
    self.random = random
    self.uuid = uuid
    self.send = send
  }
}

/// Where the App Store's server is.
public struct AppStoreServerHosts: Hashable, Sendable {
  /// The address for real money, without a slash at its end.
  public var production: String
  /// The address for test accounts, TestFlight and App Review.
  public var sandbox: String

  /// Names the addresses.
  ///
  /// - Parameters:
  ///   - production: For real money.
  ///   - sandbox: For test accounts.
  public init(production: String, sandbox: String) {
    self.production = production
    self.sandbox = sandbox
  }

  /// Apple's addresses of the server API.
  public static let apple = Self(
    production: "https://api.storekit.apple.com",
    sandbox: "https://api.storekit-sandbox.apple.com"
  )

  /// Apple's addresses of `verifyReceipt`.
  public static let appleReceipts = Self(
    production: "https://buy.itunes.apple.com",
    sandbox: "https://sandbox.itunes.apple.com"
  )
}

/// How often a call is tried, and how long it may wait.
public struct CallPolicy: Hashable, Sendable {
  /// The most attempts.
  public var attemptsMax: Int
  /// The wait before the second attempt, in seconds; each further one doubles it.
  public var firstDelay: TimeInterval
  /// The longest wait before an attempt, in seconds; what would take longer is an error that says
  /// when to ask again.
  public var waitMax: TimeInterval
  /// How long one attempt may take, in seconds.
  public var timeout: TimeInterval
  /// The part of Apple's rate that may be used, above 0 and at most 1.
  public var rateShare: Double

  /// Makes a policy.
  ///
  /// - Parameters:
  ///   - attemptsMax: The most attempts, at least 1.
  ///   - firstDelay: The wait before the second attempt, in seconds.
  ///   - waitMax: The longest wait before an attempt, in seconds.
  ///   - timeout: How long one attempt may take, in seconds.
  ///   - rateShare: The part of Apple's rate that may be used.
  public init(
    attemptsMax: Int = 4,
    firstDelay: TimeInterval = 0.5,
    waitMax: TimeInterval = 60,
    timeout: TimeInterval = 30,
    rateShare: Double = 0.8
  ) {
    precondition(attemptsMax >= 1, "at least one attempt")
    precondition(rateShare > 0 && rateShare <= 1, "a share is above 0 and at most 1")
    self.attemptsMax = attemptsMax
    self.firstDelay = firstDelay
    self.waitMax = waitMax
    self.timeout = timeout
    self.rateShare = rateShare
  }
}

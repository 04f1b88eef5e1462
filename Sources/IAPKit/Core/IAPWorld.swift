package import Foundation
package import IAPModel

/// Everything that the client takes from outside: time, chance, disk and network, as values.
///
/// `Live/LiveWorld.swift` makes the real one; simulations and tests make their own.
package struct IAPWorld: Sendable {
  /// The present instant.
  package var now: @Sendable () -> Date
  /// Waits for so many seconds; throws `CancellationError` when the task is cancelled.
  package var sleep: @Sendable (TimeInterval) async throws -> Void
  /// Waits until an instant of ``now``; throws `CancellationError` when the task is cancelled.
  ///
  /// Where a clock can jump, this is not the same as sleeping for the difference.
  package var sleepUntil: @Sendable (Date) async throws -> Void
  /// Waits until an instant at which somebody else's answer is late, as ``sleepUntil`` does.
  package var lateness: @Sendable (Date) async throws -> Void
  /// A new identifier.
  package var uuid: @Sendable () -> UUID
  /// A number from 0 up to, not including, 1.
  package var random: @Sendable () -> Double
  /// The app's folder on the disk.
  package var files: any ClientFiles
  /// Makes one HTTP call.
  ///
  /// Throws ``IAPError/network(underlying:)`` when there is no answer.
  package var http: @Sendable (ClientRequest) async throws -> ClientResponse
  /// Writes one line of the log.
  package var log: @Sendable (LogLine) -> Void
  /// Where secrets are kept.
  package var secrets: any ClientSecrets
  /// What signed data is checked with on this device; nil where it cannot be checked.
  package var trust: DeviceTrust?
  /// Tells each time that the network is back; ends at once where nobody can tell.
  package var networkReturns: @Sendable () -> AsyncStream<Void> = { AsyncStream { $0.finish() } }
  /// A new name for a call of the server, by which its log has it; nil where calls are not named.
  ///
  /// It is a chance of its own, so that naming calls moves nothing else that is drawn.
  package var trace: (@Sendable () -> UUID)?
  /// Names the calls of the server in the world of a manager.
  var calls: CallWatch?
  /// Whether what happened is kept for support; long simulations do without, mostly.
  package var keepsEvents = true
  #if PLANTED_BUGS
  /// The mistake that is switched on.
  package var planted: PlantedBug?
  #endif
  /// Is passed before each action of a delivery machine: where a simulated process can die.
  package var atStep: (@Sendable (DeliveryStep) async -> Void)?

  package init(
    now: @escaping @Sendable () -> Date,
    sleep: @escaping @Sendable (TimeInterval) async throws -> Void,
    sleepUntil: (@Sendable (Date) async throws -> Void)? = nil,
    uuid: @escaping @Sendable () -> UUID,
    random: @escaping @Sendable () -> Double,
    files: any ClientFiles,
    http: @escaping @Sendable (ClientRequest) async throws -> ClientResponse,
    log: @escaping @Sendable (LogLine) -> Void,
    secrets: (any ClientSecrets)? = nil,
    trust: DeviceTrust? = nil
  ) {
    self.now = now
    self.sleep = sleep
    let sleepUntil =
      sleepUntil ?? { date in try await sleep(max(0, date.timeIntervalSince(now()))) }
    self.sleepUntil = sleepUntil
    lateness = sleepUntil
    self.uuid = uuid
    self.random = random
    self.files = files
    self.http = http
    self.log = log
    self.secrets = secrets ?? FileSecrets(files: files)
    self.trust = trust
  }
}

/// An HTTP call of the client.
package struct ClientRequest: Sendable {
  package var method: String
  package var url: URL
  package var headers: [String: String]
  package var body: [UInt8]
  /// Seconds until the call is given up.
  package var timeout: TimeInterval
  /// The longest body of an answer that is read; a longer one is no answer.
  package var answerBytesMax: Int
  /// What it is about, for this device's own notes; it is not sent.
  package var subject = Subject()

  /// What a call is about, as far as that is known.
  package struct Subject: Hashable, Sendable {
    package var transaction: TransactionID?
    package var order: OrderNumber?
    package var product: ProductID?

    package init() {}
  }

  package init(
    method: String,
    url: URL,
    headers: [String: String] = [:],
    body: [UInt8] = [],
    timeout: TimeInterval = 30,
    answerBytesMax: Int = 4 * 1024 * 1024
  ) {
    self.method = method
    self.url = url
    self.headers = headers
    self.body = body
    self.timeout = timeout
    self.answerBytesMax = answerBytesMax
  }
}

/// What came back for a ``ClientRequest``.
package struct ClientResponse: Sendable {
  package var status: Int
  package var headers: [String: String]
  package var body: [UInt8]

  package init(status: Int, headers: [String: String] = [:], body: [UInt8] = []) {
    self.status = status
    self.headers = headers
    self.body = body
  }
}

/// How much a line of the log matters.
public enum LogLevel: Int, Hashable, Sendable, Comparable, CaseIterable {
  /// Each step.
  case debug
  /// What happened.
  case info
  /// What should be looked at.
  case warning
  /// What failed.
  case error

  /// Orders by weight.
  public static func < (left: LogLevel, right: LogLevel) -> Bool { left.rawValue < right.rawValue }
}

/// One line of the log.
///
/// It never contains a receipt, a signed transaction, a token or an account.
public struct LogLine: Hashable, Sendable {
  /// How much it matters.
  public let level: LogLevel
  /// The text.
  public let message: String
  /// Makes a line.
  public init(_ level: LogLevel, _ message: String) {
    self.level = level
    self.message = message
  }
}

/// The app's folder on the disk, by plain file names.
///
/// All calls are synchronous and return after the effect is durable. They throw only
/// ``IAPError/storage(_:)``.
package protocol ClientFiles: Sendable {
  /// Takes the lock of this name for as long as the value lives; `.inUse` when it is taken.
  func lock(_ name: String) throws(IAPError) -> any ClientFileLock
  /// The whole file; nil when there is none.
  func read(_ name: String) throws(IAPError) -> [UInt8]?
  /// Cuts the file to `length` bytes when it is longer, writes the bytes there, and flushes.
  ///
  /// The file is made when there is none (and `length` is 0). After a failure it may hold a part
  /// of the bytes behind `length`: the next call cuts them off.
  func append(_ bytes: [UInt8], to name: String, at length: Int) throws(IAPError)
  /// Replaces the whole file in one step: after a crash there is the old one or the new one.
  func replace(_ name: String, with bytes: [UInt8]) throws(IAPError)
}

/// A lock that is held until it is released or its value is gone.
package protocol ClientFileLock: AnyObject, Sendable {
  /// Gives the lock back; a second call does nothing.
  func release()
}

extension IAPWorld {
  /// How many seconds the app's own code has to answer a question: more than the client's own calls
  /// of a server take.
  package static let answerSecondsMax: TimeInterval = 60

  /// What is answered in time; who answers later is not heard any more.
  ///
  /// - Parameter question: Asks somebody who may take for ever.
  /// - Returns: The answer.
  /// - Throws: What the question throws, or ``IAPError/network(underlying:)`` when it is late.
  func answer<Answer: Sendable>(
    _ question: @escaping @Sendable () async throws -> Answer
  ) async throws -> Answer {
    let late = now() + Self.answerSecondsMax
    let (answers, told) = AsyncStream.makeStream(of: Result<Answer, any Error>.self)
    let asking = Task {
      do {
        told.yield(.success(try await question()))
      } catch {
        told.yield(.failure(error))
      }
    }
    let watching = Task { [lateness] in
      do { try await lateness(late) } catch { return }
      told.yield(.failure(IAPError.network(underlying: URLError(.timedOut))))
    }
    defer {
      asking.cancel()
      watching.cancel()
    }
    for await answer in answers { return try answer.get() }
    throw CancellationError()
  }
}

public import Foundation
#if PLANTED_BUGS
package import IAPModel
#else
import IAPModel
#endif

/// What the server takes from outside beside clock and ledger.
public struct ServerWorld: Sendable {
  /// A new name for a request.
  public var requestID: @Sendable () -> String
  /// The time since the server started, from a clock that never jumps: for measuring.
  public var uptime: @Sendable () -> Duration
  /// So many bytes of chance that nobody can guess.
  public var random: @Sendable (Int) -> [UInt8]
  /// Waits for so long; less when the task is cancelled.
  public var pause: @Sendable (Duration) async -> Void
  /// Takes what happened.
  public var log: @Sendable (ServerEvent) -> Void
  /// The name of this server among those that share the ledger; nil when nobody else has it.
  public var worker: String?
  /// Takes how many servers share the ledger, whenever that was looked at.
  public var serversSeen: @Sendable (Int) -> Void = { _ in }
  #if PLANTED_BUGS
  /// The mistake that is switched on.
  package var planted: PlantedBug?
  #endif

  /// Makes a world.
  public init(
    requestID: @escaping @Sendable () -> String,
    uptime: @escaping @Sendable () -> Duration,
    random: @escaping @Sendable (Int) -> [UInt8],
    pause: @escaping @Sendable (Duration) async -> Void = { _ in await Self.cancellation() },
    log: @escaping @Sendable (ServerEvent) -> Void
  ) {
    self.requestID = requestID
    self.uptime = uptime
    self.random = random
    self.pause = pause
    self.log = log
  }

  /// Waits until the task is cancelled: what a wait is in a world where no time passes.
  @Sendable public static func cancellation() async {
    let (stream, continuation) = AsyncStream.makeStream(of: Never.self)
    for await _ in stream {}
    withExtendedLifetime(continuation) {}
  }
}

/// Something that happened, for the log: no secret, no receipt, no personal identifier.
public struct ServerEvent: Hashable, Sendable, CustomStringConvertible {
  /// How much it matters.
  public enum Level: String, Hashable, Sendable {
    /// The normal course.
    case info
    /// Somebody's request was refused.
    case notice
    /// The server itself could not do its work.
    case error
  }

  /// How much it matters.
  public let level: Level
  /// What happened, as a stable word.
  public let name: String
  /// The circumstances, in order.
  public let fields: [Field]

  /// One circumstance.
  public struct Field: Hashable, Sendable {
    /// Its name.
    public let name: String
    /// Its value.
    public let value: String
    /// Makes a field.
    public init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }

  /// Makes an event.
  public init(_ level: Level, _ name: String, _ fields: [Field] = []) {
    self.level = level
    self.name = name
    self.fields = fields
  }

  /// The name, then each circumstance as `name=value`.
  public var description: String {
    ([name] + fields.map { "\($0.name)=\($0.value)" }).joined(separator: " ")
  }

  /// One line of JSON.
  ///
  /// - Parameter date: When it happened.
  /// - Returns: The line, without a line break.
  public func json(at date: Date) -> String {
    var object: JSONObject = [
      "time": .integer(date.milliseconds), "level": .string(level.rawValue),
      "event": .string(name),
    ]
    for field in fields { object[field.name] = .string(field.value) }
    return JSONValue.object(object).serializedText
  }
}

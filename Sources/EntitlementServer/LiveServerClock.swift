public import Foundation

/// The wall clock of this machine.
public struct WallClock: ServerClock {
  /// Makes the clock.
  public init() {}

  /// The present instant.
  public func now() async -> Date { Date() }
}

extension ServerWorld {
  /// The world as it is: random names of requests, and a clock that never jumps.
  public static func live(log: @escaping @Sendable (ServerEvent) -> Void) -> ServerWorld {
    let start = ContinuousClock.now
    return ServerWorld(
      requestID: { "req_" + UUID().uuidString.lowercased() },
      uptime: { start.duration(to: .now) },
      log: log
    )
  }
}

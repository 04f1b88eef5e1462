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
  ///
  /// - Parameters:
  ///   - isShared: Whether other servers may have the ledger open too.
  ///   - log: Takes what happens.
  /// - Returns: The world.
  public static func live(
    isShared: Bool = false,
    log: @escaping @Sendable (ServerEvent) -> Void
  ) -> ServerWorld {
    let start = ContinuousClock.now
    var world = ServerWorld(
      requestID: { requestName(randomUUID()) },
      uptime: { start.duration(to: .now) },
      random: secureRandomBytes,
      pause: { try? await Task.sleep(for: $0) },
      log: log
    )
    if isShared { world.worker = "srv_" + UUID().uuidString.lowercased() }
    return world
  }
}

/// A UUID of version 4 out of the system's chance: Foundation opens, reads and closes a device for
/// each.
private func randomUUID() -> UUID {
  var generator = SystemRandomNumberGenerator()
  let (high, low) = (generator.next(), generator.next())
  var bytes: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
  withUnsafeMutableBytes(of: &bytes) { bytes in
    bytes.storeBytes(of: high, as: UInt64.self)
    bytes.storeBytes(of: low, toByteOffset: 8, as: UInt64.self)
    bytes[6] = bytes[6] & 0x0F | 0x40
    bytes[8] = bytes[8] & 0x3F | 0x80
  }
  return UUID(uuid: bytes)
}

/// `req_` and the UUID in small letters, without a text in capitals on the way: every request is
/// named.
private func requestName(_ id: UUID) -> String {
  var text = Array("req_".utf8)
  text.reserveCapacity(40)
  withUnsafeBytes(of: id.uuid) { bytes in
    for (index, byte) in bytes.enumerated() {
      if [4, 6, 8, 10].contains(index) { text.append(UInt8(ascii: "-")) }
      for value in [byte >> 4, byte & 15] {
        text.append(value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10)
      }
    }
  }
  return String(decoding: text, as: UTF8.self)
}

/// Bytes of the system's own chance, good enough for keys.
///
/// - Parameter count: How many.
/// - Returns: The bytes.
@Sendable public func secureRandomBytes(_ count: Int) -> [UInt8] {
  var generator = SystemRandomNumberGenerator()
  return (0..<count).map { _ in UInt8.random(in: 0...UInt8.max, using: &generator) }
}

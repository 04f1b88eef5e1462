/// How much a server takes from one client before it says no.
public struct HTTPLimits: Hashable, Sendable {
  /// The longest request line and header fields together, in bytes; longer ones get 431.
  public var headerBytesMax: Int
  /// The longest body in bytes; longer ones get 413.
  public var bodyBytesMax: Int
  /// How many bytes of a body that is too long are read and thrown away, so that its sender can
  /// read the 413; beyond that the connection is closed.
  public var discardedBodyBytesMax: Int
  /// The most connections at one time; further ones are closed or wait unaccepted.
  public var connectionsMax: Int
  /// The most connections of one address at one time; nil when only ``connectionsMax`` counts.
  public var connectionsPerAddressMax: Int?
  /// How long a connection may stay without a byte moving.
  public var idleTimeout: Duration
  /// How long a whole request may take to arrive, and a whole response to be taken.
  public var transferTimeout: Duration
  /// How long stopping waits for requests that are being answered; then they get 503.
  public var stopTimeout: Duration

  /// Makes limits.
  public init(
    headerBytesMax: Int = 16 * 1024,
    bodyBytesMax: Int = 2 * 1024 * 1024,
    discardedBodyBytesMax: Int = 16 * 1024 * 1024,
    connectionsMax: Int = 1024,
    connectionsPerAddressMax: Int? = nil,
    idleTimeout: Duration = .seconds(30),
    transferTimeout: Duration = .seconds(60),
    stopTimeout: Duration = .seconds(30)
  ) {
    precondition(headerBytesMax > 0 && bodyBytesMax >= 0, "limits on bytes are not negative")
    precondition(discardedBodyBytesMax >= 0 && connectionsMax > 0, "limits are not negative")
    precondition(connectionsPerAddressMax.map { $0 > 0 } ?? true, "limits are not negative")
    self.headerBytesMax = headerBytesMax
    self.bodyBytesMax = bodyBytesMax
    self.discardedBodyBytesMax = discardedBodyBytesMax
    self.connectionsMax = connectionsMax
    self.connectionsPerAddressMax = connectionsPerAddressMax
    self.idleTimeout = idleTimeout
    self.transferTimeout = transferTimeout
    self.stopTimeout = stopTimeout
  }

  /// 16 KiB of header, 2 MiB of body, 1,024 connections, 30 s without a byte, 60 s a transfer.
  public static let standard = HTTPLimits()
}

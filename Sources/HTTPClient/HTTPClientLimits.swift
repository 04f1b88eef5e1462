/// How much a client takes from other servers.
public struct HTTPClientLimits: Hashable, Sendable {
  /// The longest head of a response, in bytes.
  public var headerBytesMax: Int
  /// The longest body of a response, in bytes.
  public var bodyBytesMax: Int
  /// The most connections at one time; further requests wait, within their own time-out.
  public var connectionsMax: Int

  /// Makes limits.
  public init(
    headerBytesMax: Int = 64 * 1024,
    bodyBytesMax: Int = 16 * 1024 * 1024,
    connectionsMax: Int = 64
  ) {
    precondition(headerBytesMax > 0 && bodyBytesMax >= 0 && connectionsMax > 0)
    self.headerBytesMax = headerBytesMax
    self.bodyBytesMax = bodyBytesMax
    self.connectionsMax = connectionsMax
  }

  /// 64 KiB of header, 16 MiB of body, 64 connections.
  public static let standard = HTTPClientLimits()
}

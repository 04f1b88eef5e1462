/// Where a server listens.
public struct HTTPServerAddress: Hashable, Sendable, CustomStringConvertible {
  /// The numeric address.
  public let host: String
  /// The port, never zero.
  public let port: Int

  /// Makes an address.
  public init(host: String, port: Int) {
    self.host = host
    self.port = port
  }

  /// The address as a URL without a path, for example `http://127.0.0.1:8080`.
  public var url: String { "http://\(description)" }

  /// Host and port; an IPv6 host stands in brackets.
  public var description: String {
    host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
  }
}

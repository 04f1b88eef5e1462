/// A request to be sent to another server.
public struct HTTPOutgoingRequest: Hashable, Sendable {
  /// What to do.
  public var method: HTTPMethod
  /// The absolute address, `http` or `https`.
  public var url: String
  /// The header fields.
  public var headers: HTTPHeaders
  /// The whole body; empty when there is none.
  public var body: [UInt8]
  /// How long the whole exchange may take, from the look-up of the name to the last byte.
  public var timeout: Duration

  /// Makes a request.
  ///
  /// - Parameters:
  ///   - method: What to do.
  ///   - url: The absolute address, `http` or `https`.
  ///   - headers: The header fields.
  ///   - body: The whole body.
  ///   - timeout: How long the whole exchange may take.
  public init(
    method: HTTPMethod,
    url: String,
    headers: HTTPHeaders = HTTPHeaders(),
    body: [UInt8] = [],
    timeout: Duration = .seconds(30)
  ) {
    self.method = method
    self.url = url
    self.headers = headers
    self.body = body
    self.timeout = timeout
  }
}

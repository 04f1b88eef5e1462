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
  /// Where the URL's host is, when the caller has looked it up and judged the address itself.
  public var pin: HTTPAddressPin?

  /// Makes a request.
  ///
  /// - Parameters:
  ///   - method: What to do.
  ///   - url: The absolute address, `http` or `https`.
  ///   - headers: The header fields.
  ///   - body: The whole body.
  ///   - timeout: How long the whole exchange may take.
  ///   - pin: Where the URL's host is; nil to have it looked up.
  public init(
    method: HTTPMethod,
    url: String,
    headers: HTTPHeaders = HTTPHeaders(),
    body: [UInt8] = [],
    timeout: Duration = .seconds(30),
    pin: HTTPAddressPin? = nil
  ) {
    self.method = method
    self.url = url
    self.headers = headers
    self.body = body
    self.timeout = timeout
    self.pin = pin
  }
}

/// The address that a connection is made to, whatever the name of the host stands for by then.
///
/// The name stays what it is in the `Host` field and for the other side's certificate.
public struct HTTPAddressPin: Hashable, Sendable {
  /// The host as it stands in the URL.
  public let host: String
  /// The port that the URL leads to.
  public let port: Int
  /// The numeric address, IPv4 or IPv6 without brackets.
  public let address: String

  /// Makes a pin.
  ///
  /// - Parameters:
  ///   - host: The host as it stands in the URL.
  ///   - port: The port that the URL leads to.
  ///   - address: The numeric address.
  public init(host: String, port: Int, address: String) {
    self.host = host
    self.port = port
    self.address = address
  }
}

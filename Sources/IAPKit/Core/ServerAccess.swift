public import Foundation

/// How the app reaches its backend.
///
/// One value serves everything that the client asks there: verdicts, the catalog, offer signatures,
/// reviews, and what a customer has.
public struct ServerAccess: Hashable, Sendable {
  /// The address before `/v1`, for example `https://iap.example.com`.
  public var url: URL
  /// The app's public key, sent as `Authorization: Bearer`; nil when the server asks for none.
  ///
  /// It names the app and opens nobody's data: it may be part of the build.
  public var publicKey: String?

  /// Makes an access.
  ///
  /// - Parameters:
  ///   - url: The address before `/v1`.
  ///   - publicKey: The app's public key.
  public init(url: URL, publicKey: String? = nil) {
    self.url = url
    self.publicKey = publicKey
  }

  /// What every call carries.
  package var headers: [String: String] {
    publicKey.map { ["Authorization": "Bearer \($0)"] } ?? [:]
  }

  /// The whole address of a path, for example `v1/catalog`.
  package func endpoint(_ path: String) -> URL { url.appendingPathComponent(path) }

  /// A call of the server.
  ///
  /// - Parameters:
  ///   - method: The HTTP method.
  ///   - path: For example `v1/catalog`.
  ///   - headers: Sent beside ``headers``.
  ///   - body: JSON, or nothing.
  ///   - timeout: Seconds until the call is given up.
  /// - Returns: The call, with the key in it: it is not for the log.
  package func request(
    _ method: String,
    _ path: String,
    headers: [String: String] = [:],
    body: [UInt8] = [],
    timeout: TimeInterval = 30
  ) -> ClientRequest {
    var all = self.headers.merging(headers) { _, own in own }
    all["Accept"] = "application/json"
    if !body.isEmpty { all["Content-Type"] = "application/json" }
    return ClientRequest(
      method: method,
      url: endpoint(path),
      headers: all,
      body: body,
      timeout: timeout
    )
  }
}

extension ServerAccess: CustomStringConvertible {
  /// The host alone: the key is not for the log.
  public var description: String { "ServerAccess(\(url.host ?? "no host"))" }
}

extension ServerReceiptValidator {
  /// Makes a validator that asks `/v1/verify` of the app's backend.
  ///
  /// - Parameter server: How it is reached.
  public init(server: ServerAccess) { self.init(server: server, http: LiveWorld.http) }

  package init(
    server: ServerAccess,
    http: @escaping @Sendable (ClientRequest) async throws -> ClientResponse
  ) {
    self.init(endpoint: server.endpoint("v1/verify"), headers: server.headers, http: http)
  }
}

extension IAPConfiguration {
  /// Who judges purchases: the app's own validator, else its server; nil for the device alone.
  func judge(_ world: IAPWorld) -> (any ReceiptValidator)? {
    if let validator { return world.calls?.watching(validator) ?? validator }
    guard checksPurchasesAtServer, let server else { return nil }
    return ServerReceiptValidator(server: server, http: world.http)
  }
}

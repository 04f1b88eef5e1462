/// A whole request as a server received it.
public struct HTTPRequest: Hashable, Sendable {
  /// What to do.
  public var method: HTTPMethod
  /// The request target as it stood in the request line: path and query, still percent-encoded.
  public var target: String
  /// The header fields.
  public var headers: HTTPHeaders
  /// The whole body; empty when there is none.
  public var body: [UInt8]
  /// The numeric address of the other side, when the server knows it: personal data, never logged.
  public var remote: String?

  /// Makes a request.
  ///
  /// - Parameters:
  ///   - method: What to do.
  ///   - target: Path and query, percent-encoded.
  ///   - headers: The header fields.
  ///   - body: The whole body.
  ///   - remote: The numeric address of the other side.
  public init(
    method: HTTPMethod,
    target: String,
    headers: HTTPHeaders = HTTPHeaders(),
    body: [UInt8] = [],
    remote: String? = nil
  ) {
    self.method = method
    self.target = target
    self.headers = headers
    self.body = body
    self.remote = remote
  }

  /// The target up to the question mark, still percent-encoded.
  public var path: String {
    String(Substring(target.utf8.prefix { $0 != UInt8(ascii: "?") }))
  }

  /// The parts of the path between slashes, percent-decoded; empty parts are left out.
  ///
  /// Decoding comes after splitting, so a part may contain a slash of its own.
  public var pathSegments: [String] {
    path.utf8.split(separator: UInt8(ascii: "/")).map { PercentCoding.decode(Substring($0)) }
  }

  /// What stands behind the question mark, percent-encoded; nil without one.
  public var query: String? {
    guard let mark = target.utf8.firstIndex(of: UInt8(ascii: "?")) else { return nil }
    return String(target[target.utf8.index(after: mark)...])
  }

  /// The parts of the query, percent-decoded, in their order; a part without `=` has no value.
  public var queryItems: [HTTPQueryItem] {
    // Bytes, not characters: what parts a query is ASCII, and finding characters takes long.
    (query ?? "").utf8.split(separator: UInt8(ascii: "&")).map { part in
      guard let equals = part.firstIndex(of: UInt8(ascii: "=")) else {
        return HTTPQueryItem(PercentCoding.decodeForm(Substring(part)), nil)
      }
      return HTTPQueryItem(
        PercentCoding.decodeForm(Substring(part[..<equals])),
        PercentCoding.decodeForm(Substring(part[part.index(after: equals)...]))
      )
    }
  }

  /// The value of the first query item of that name; nil when there is none or it has no value.
  public func queryValue(_ name: String) -> String? {
    queryItems.first { $0.name == name }?.value
  }

  /// The media type of the body in lower case without parameters, for example `application/json`.
  public var mediaType: String? {
    guard let value = headers["Content-Type"] else { return nil }
    let type = value.prefix { $0 != ";" }.split(separator: " ").joined()
    return type.isEmpty ? nil : type.lowercased()
  }
}

/// One part of a query.
public struct HTTPQueryItem: Hashable, Sendable {
  /// The name, percent-decoded.
  public let name: String
  /// The value, percent-decoded; nil when there was no `=`.
  public let value: String?
  /// Makes an item.
  public init(_ name: String, _ value: String?) {
    self.name = name
    self.value = value
  }
}

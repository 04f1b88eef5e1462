/// A whole response.
public struct HTTPResponse: Hashable, Sendable {
  /// The status, 200...599.
  public var status: Int
  /// The header fields; length and connection handling are added by the server.
  public var headers: HTTPHeaders
  /// The whole body.
  public var body: [UInt8]

  /// Makes a response.
  ///
  /// - Parameters:
  ///   - status: A final status, 200...599.
  ///   - headers: The header fields.
  ///   - body: The whole body.
  public init(status: Int, headers: HTTPHeaders = HTTPHeaders(), body: [UInt8] = []) {
    precondition((200...599).contains(status), "a response has a final status")
    self.status = status
    self.headers = headers
    self.body = body
  }

  /// A JSON response.
  ///
  /// - Parameters:
  ///   - status: A final status.
  ///   - body: UTF-8 bytes of the JSON text.
  /// - Returns: The response with its content type.
  public static func json(_ status: Int, _ body: [UInt8]) -> HTTPResponse {
    HTTPResponse(status: status, headers: ["Content-Type": "application/json"], body: body)
  }

  /// A plain-text response.
  ///
  /// - Parameters:
  ///   - status: A final status.
  ///   - text: The text.
  /// - Returns: The response with its content type.
  public static func text(_ status: Int, _ text: String) -> HTTPResponse {
    HTTPResponse(
      status: status,
      headers: ["Content-Type": "text/plain; charset=utf-8"],
      body: Array(text.utf8)
    )
  }

  /// Whether the status says success, 200...299.
  public var isSuccess: Bool { (200...299).contains(status) }
}

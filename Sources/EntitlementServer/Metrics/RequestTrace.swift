import HTTPValues

/// What is being answered by the present task, for the log and for what follows from it.
struct RequestTrace: Sendable {
  /// The number of the request.
  let requestID: String
  /// The route, without any identifier.
  let route: String
  /// The chain that the request belongs to.
  let context: TraceContext
  /// Whether the caller began the chain; else the server did.
  let isCallers: Bool

  private static let local = TaskLocal<RequestTrace?>(wrappedValue: nil)

  /// What the present task answers; nil outside of requests.
  static var current: RequestTrace? { local.get() }

  /// Answers within a trace.
  func around<Value>(_ body: () async -> Value) async -> Value {
    await Self.local.withValue(self) { await body() }
  }

  /// Follows a request's chain, or begins one.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - route: The route, without any identifier.
  ///   - requestID: The number of the request.
  ///   - digest: SHA-256: a chain that begins here is named after the request's number, so that
  ///     no further chance is needed.
  init?(
    _ request: HTTPRequest,
    _ route: String,
    _ requestID: String,
    digest: ([UInt8]) -> [UInt8]
  ) {
    let bytes = digest(Array("trace:\(requestID)".utf8))
    let callers = request.headers[TraceContext.headerName].flatMap { TraceContext(header: $0) }
    guard let context = callers?.next(bytes) ?? TraceContext(bytes: bytes) else { return nil }
    self.requestID = requestID
    self.route = route
    self.context = context
    isCallers = callers != nil
  }
}

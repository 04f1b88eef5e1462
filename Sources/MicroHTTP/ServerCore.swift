internal import CMicroHTTPD
internal import Dispatch
internal import HTTPValues
internal import Synchronization

/// The running server: what the library's callbacks work on.
///
/// The library holds one reference from start to stop; requests are counted so that stopping can
/// wait for the answers that are still owed.
final class ServerCore: Sendable {
  private enum Phase {
    case running
    case draining
    case closed
  }

  private struct State {
    var phase = Phase.running
    var active: [ObjectIdentifier: Exchange] = [:]
    var whenIdle: CheckedContinuation<Void, Never>?
  }

  let deadlines: ConnectionDeadlines
  private let limits: HTTPLimits
  private let refuse: @Sendable (Int) -> HTTPResponse
  private let handler: HTTPHandler
  private let state = Mutex(State())

  init(
    limits: HTTPLimits,
    refuse: @escaping @Sendable (Int) -> HTTPResponse,
    handler: @escaping HTTPHandler
  ) {
    self.limits = limits
    self.refuse = refuse
    self.handler = handler
    deadlines = ConnectionDeadlines(limits: limits)
  }

  /// How many requests are being read or answered.
  var activeCount: Int { state.withLock { $0.active.count } }

  func makeExchange(_ connection: LibraryHandle, target: String) -> Exchange {
    deadlines.transferBegins(connection)
    return Exchange(connection: connection, target: target, limits: limits, refuse: refuse)
  }

  /// Takes the head of a request, and says whether to go on.
  func begin(_ exchange: Exchange, head: RequestHead) -> Exchange.Step {
    let isOpen = state.withLock { state in
      guard state.phase != .closed else { return false }
      state.active[ObjectIdentifier(exchange)] = exchange
      return true
    }
    guard isOpen else { return .abort }
    guard let headers = head.headers, !Self.isFramingAmbiguous(headers) else {
      return .respond(refuse(400), closing: true)
    }
    return exchange.head(
      method: head.method,
      headers: headers,
      headerBytes: head.bytes,
      remote: head.remote
    )
  }

  /// Whether two readers could disagree about where the body ends: a proxy in front of the server
  /// might take for the next request what is part of this one.
  ///
  /// - Source: RFC 9112, sections 6.1 and 6.3.
  private static func isFramingAmbiguous(_ headers: HTTPHeaders) -> Bool {
    let lengths = headers.values("Content-Length").count
    let codings = headers.values("Transfer-Encoding")
    let isChunked = codings.map { $0.lowercased() } == ["chunked"]
    return lengths > 1 || lengths + codings.count > 1 || !(codings.isEmpty || isChunked)
  }

  /// Lets the handler answer, away from the library's thread.
  func handle(_ request: HTTPRequest, of exchange: Exchange) {
    deadlines.transferEnds(exchange.connection)
    let handler = handler
    Task { [self] in
      let response = await handler(request)
      finish(exchange, response)
    }
  }

  /// The request is over, however it ended.
  func end(_ exchange: Exchange) {
    deadlines.exchangeEnds(exchange.connection)
    let waiting = state.withLock { state -> CheckedContinuation<Void, Never>? in
      state.active[ObjectIdentifier(exchange)] = nil
      return Self.takeWaiterIfIdle(&state)
    }
    waiting?.resume()
  }

  /// How long a stop waits for the rest of a request: its sender may be gone, which the library
  /// does not always notice by itself.
  private static let unfinishedRequestGrace = Duration.seconds(1)

  /// Whether connections are to be closed behind their response.
  var isDraining: Bool { state.withLock { $0.phase != .running } }

  /// Waits until nothing is owed any more; from then on requests are turned away.
  func drain() async {
    let begun = state.withLock { state in
      state.phase = .draining
      return Array(state.active.values)
    }
    for exchange in begun where exchange.isReading {
      deadlines.hasten(exchange.connection, Self.unfinishedRequestGrace)
    }
    let overdue = DispatchWorkItem { [self] in answerOverdue() }
    DispatchQueue.global().asyncAfter(
      deadline: .now() + limits.stopTimeout.inSeconds,
      execute: overdue
    )
    await withCheckedContinuation { continuation in
      let waiting = state.withLock { state -> CheckedContinuation<Void, Never>? in
        state.whenIdle = continuation
        return Self.takeWaiterIfIdle(&state)
      }
      waiting?.resume()
    }
    overdue.cancel()
  }

  private static func takeWaiterIfIdle(
    _ state: inout State
  ) -> CheckedContinuation<Void, Never>? {
    guard state.phase == .draining, state.active.isEmpty, let waiting = state.whenIdle
    else { return nil }
    state.phase = .closed
    state.whenIdle = nil
    return waiting
  }

  /// Answers for handlers that are too slow for a stop.
  private func answerOverdue() {
    let exchanges = state.withLock { Array($0.active.values) }
    for exchange in exchanges { finish(exchange, refuse(503)) }
  }

  private func finish(_ exchange: Exchange, _ response: HTTPResponse) {
    exchange.finish(response) { connection in
      deadlines.transferBegins(connection)
      unsafe MHD_resume_connection(connection.pointer)
    }
  }
}

/// The head of a request as the library gives it.
struct RequestHead {
  let method: HTTPMethod
  /// Nil when a field is none.
  let headers: HTTPHeaders?
  let bytes: Int
  let remote: String?
}

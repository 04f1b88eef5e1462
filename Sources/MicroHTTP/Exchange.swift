internal import HTTPValues
internal import Synchronization

/// One request and its response on one connection.
///
/// The library calls in on its own thread; the handler's task brings the response from another.
final class Exchange: Sendable {
  /// What the library is to do next.
  enum Step {
    /// Go on reading.
    case proceed
    /// Send this response; with `closing`, close the connection behind it.
    case respond(HTTPResponse, closing: Bool)
    /// The request is whole: hand it to the handler.
    case handle(HTTPRequest)
    /// Close the connection without a response.
    case abort
  }

  private enum Phase {
    case reading
    case handling
    case suspended
    case answered(HTTPResponse)
    case ended
  }

  private struct State {
    var phase = Phase.reading
    var request: HTTPRequest
    var refusal: HTTPResponse?
    var discarded = 0
    var hasHead = false
  }

  let connection: LibraryHandle
  private let limits: HTTPLimits
  private let refuse: @Sendable (Int) -> HTTPResponse
  private let state: Mutex<State>

  init(
    connection: LibraryHandle,
    target: String,
    limits: HTTPLimits,
    refuse: @escaping @Sendable (Int) -> HTTPResponse
  ) {
    self.connection = connection
    self.limits = limits
    self.refuse = refuse
    state = Mutex(State(request: HTTPRequest(method: .get, target: target)))
  }

  /// Whether the head of the request was taken.
  var hasHead: Bool { state.withLock { $0.hasHead } }

  /// Whether the request is not whole yet.
  var isReading: Bool {
    state.withLock { state in
      if case .reading = state.phase { true } else { false }
    }
  }

  /// Takes the head of the request; `headerBytes` is its size as it came.
  func head(
    method: HTTPMethod,
    headers: HTTPHeaders,
    headerBytes: Int,
    remote: String?
  ) -> Step {
    state.withLock { state in
      state.hasHead = true
      state.request.method = method
      state.request.headers = headers
      state.request.remote = remote
      if headerBytes > limits.headerBytesMax {
        return .respond(refuse(431), closing: true)
      }
      guard let length = headers["Content-Length"].flatMap({ Int($0) }) else { return .proceed }
      if length > limits.bodyBytesMax {
        // Who asks first, or sends more than we want to throw away, is answered at once.
        let asksFirst = headers["Expect"] != nil
        if asksFirst || length - limits.bodyBytesMax > limits.discardedBodyBytesMax {
          return .respond(refuse(413), closing: true)
        }
        state.refusal = refuse(413)
      } else {
        state.request.body.reserveCapacity(min(length, reservedBodyBytesMax))
      }
      return .proceed
    }
  }

  /// Takes a part of the body.
  func body(_ part: UnsafeRawBufferPointer) -> Step {
    state.withLock { state in
      if state.refusal == nil, state.request.body.count + part.count > limits.bodyBytesMax {
        state.refusal = refuse(413)
      }
      guard state.refusal != nil else {
        unsafe state.request.body.append(contentsOf: part)
        return .proceed
      }
      state.request.body = []
      state.discarded += part.count
      return state.discarded > limits.bodyBytesMax + limits.discardedBodyBytesMax
        ? .abort : .proceed
    }
  }

  /// The request is whole, or its response has come.
  func whole() -> Step {
    state.withLock { state in
      switch state.phase {
      case .reading:
        if let refusal = state.refusal { return .respond(refusal, closing: false) }
        state.phase = .handling
        let request = state.request
        state.request.body = []
        return .handle(request)
      case .answered(let response):
        state.phase = .ended
        return .respond(response, closing: false)
      case .handling, .suspended: return .proceed
      case .ended: return .abort
      }
    }
  }

  /// Notes that the connection is suspended until there is a response.
  func suspended() {
    state.withLock { $0.phase = .suspended }
  }

  /// Brings the response; only the first one counts.
  ///
  /// `resume` wakes the connection up, under the lock that says that it is suspended.
  func finish(_ response: HTTPResponse, resume: (LibraryHandle) -> Void) {
    state.withLock { state in
      guard case .suspended = state.phase else { return }
      state.phase = .answered(response)
      resume(connection)
    }
  }

  /// Room made beforehand; a body that claims to be large grows as it really comes.
  private var reservedBodyBytesMax: Int { 64 * 1024 }
}

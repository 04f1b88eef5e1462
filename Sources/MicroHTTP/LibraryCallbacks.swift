internal import CMicroHTTPD
internal import HTTPValues

/// What the library calls, on its own thread: thin, and everything unsafe is here.
enum LibraryCallbacks {
  /// The request line has come.
  static let target:
    @convention(c) (
      UnsafeMutableRawPointer?, UnsafePointer<CChar>?, OpaquePointer?
    ) -> UnsafeMutableRawPointer? = { context, target, connection in
      guard let core = unsafe core(context), let connection = unsafe connection else {
        return nil
      }
      let text = unsafe target.map { unsafe String(cString: $0) } ?? ""
      let exchange = unsafe core.makeExchange(LibraryHandle(connection), target: text)
      // Given back in `completed`.
      return unsafe Unmanaged.passRetained(exchange).toOpaque()
    }

  /// The head has come, or a part of the body, or the end.
  static let request: MHD_AccessHandlerCallback = {
    context,
    connection,
    _,
    method,
    _,
    data,
    size,
    slot in
    guard let core = unsafe core(context), let connection = unsafe connection,
      let exchange = unsafe exchange(slot?.pointee)
    else { return .NO }
    let step: Exchange.Step
    if !exchange.hasHead {
      step = unsafe core.begin(exchange, head: head(connection, method))
    } else if let size = unsafe size, unsafe size.pointee > 0 {
      step = unsafe exchange.body(UnsafeRawBufferPointer(start: data, count: size.pointee))
      unsafe size.pointee = 0
    } else {
      step = exchange.whole()
    }
    return unsafe perform(step, core, exchange, connection)
  }

  /// A request is over, answered or not.
  static let completed: MHD_RequestCompletedCallback = { context, _, slot, _ in
    guard let core = unsafe core(context), let pointer = unsafe slot?.pointee else { return }
    let exchange = unsafe Unmanaged<Exchange>.fromOpaque(pointer).takeRetainedValue()
    unsafe slot?.pointee = nil
    core.end(exchange)
  }

  /// A connection was made or is about to be closed.
  static let connection: MHD_NotifyConnectionCallback = { context, connection, _, change in
    guard let core = unsafe core(context), let connection = unsafe connection else { return }
    let handle = unsafe LibraryHandle(connection)
    if change == .CONNECTION_NOTIFY_STARTED {
      core.deadlines.opened(handle, descriptor: unsafe iap_microhttpd_socket(connection))
    } else {
      core.deadlines.closed(handle)
    }
  }

  private static func perform(
    _ step: Exchange.Step,
    _ core: ServerCore,
    _ exchange: Exchange,
    _ connection: OpaquePointer
  ) -> MHD_Result {
    switch step {
    case .proceed: return .YES
    case .abort: return .NO
    case .respond(let response, let closing):
      return unsafe queue(response, on: connection, closing: closing || core.isDraining)
    case .handle(let request):
      unsafe MHD_suspend_connection(connection)
      exchange.suspended()
      core.handle(request, of: exchange)
      return .YES
    }
  }

  private static func queue(
    _ response: HTTPResponse,
    on connection: OpaquePointer,
    closing: Bool
  ) -> MHD_Result {
    let made = unsafe response.body.withUnsafeBytes { bytes in
      // The library copies the bytes, whatever the pointer's type says.
      unsafe MHD_create_response_from_buffer(
        bytes.count,
        UnsafeMutableRawPointer(mutating: bytes.baseAddress),
        .RESPMEM_MUST_COPY
      )
    }
    guard let made = unsafe made else { return .NO }
    defer { unsafe MHD_destroy_response(made) }
    for field in response.headers {
      _ = unsafe MHD_add_response_header(made, field.name, field.value)
    }
    if closing { _ = unsafe MHD_add_response_header(made, "Connection", "close") }
    return unsafe MHD_queue_response(connection, UInt32(response.status), made)
  }

  private static func head(
    _ connection: OpaquePointer,
    _ method: UnsafePointer<CChar>?
  ) -> RequestHead {
    var fields = CollectedFields()
    unsafe withUnsafeMutablePointer(to: &fields) { pointer in
      _ = unsafe MHD_get_connection_values(
        connection,
        .HEADER_KIND,
        { context, _, name, value in
          guard let fields = unsafe context?.assumingMemoryBound(to: CollectedFields.self),
            let name = unsafe name
          else { return .NO }
          let text = unsafe value.map { unsafe String(cString: $0) } ?? ""
          unsafe fields.pointee.add(String(cString: name), text)
          return .YES
        },
        pointer
      )
    }
    return unsafe RequestHead(
      method: HTTPMethod(method.map { unsafe String(cString: $0) } ?? ""),
      headers: fields.areValid ? fields.headers : nil,
      bytes: iap_microhttpd_header_size(connection),
      remote: iap_microhttpd_client(connection).flatMap { unsafe ListenSocket.host(of: $0) }
    )
  }

  private static func core(_ context: UnsafeMutableRawPointer?) -> ServerCore? {
    guard let context = unsafe context else { return nil }
    return unsafe Unmanaged<ServerCore>.fromOpaque(context).takeUnretainedValue()
  }

  private static func exchange(_ pointer: UnsafeMutableRawPointer?) -> Exchange? {
    guard let pointer = unsafe pointer else { return nil }
    return unsafe Unmanaged<Exchange>.fromOpaque(pointer).takeUnretainedValue()
  }
}

private struct CollectedFields {
  var headers = HTTPHeaders()
  var areValid = true

  mutating func add(_ name: String, _ value: String) {
    if !headers.appendIfValid(name, value) { areValid = false }
  }
}

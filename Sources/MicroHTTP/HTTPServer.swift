internal import CMicroHTTPD
internal import Dispatch
public import HTTPValues
internal import Synchronization

/// An HTTP/1.1 server: a request in, a response out.
///
/// The library reads and writes on one thread of its own; handlers run as tasks, so what they
/// compute holds up no other connection. Everything a client may send is bounded by
/// ``HTTPLimits``: a head that is too long gets 431, a body that is too long 413, what is too slow
/// is disconnected.
///
/// The server runs until ``stop()`` was called; dropping the last reference does not stop it.
public final class HTTPServer: Sendable {
  /// Where it listens, with the real port.
  public let address: HTTPServerAddress

  private struct Running: Sendable {
    let daemon: LibraryHandle
    let listener: Int32
  }

  private let core: ServerCore
  private let running: Mutex<Running?>

  private init(address: HTTPServerAddress, core: ServerCore, running: Running) {
    self.address = address
    self.core = core
    self.running = Mutex(running)
  }

  /// Starts a server.
  ///
  /// - Parameters:
  ///   - host: A name or numeric address of this machine.
  ///   - port: 0...65535; zero lets the system choose, see ``address``.
  ///   - limits: How much is taken from one client.
  ///   - refuse: Makes the response for what is refused before a handler sees it: 400, 413, 431
  ///     or 503.
  ///   - handler: Answers the requests.
  /// - Returns: The running server.
  /// - Throws: ``HTTPServerError`` with `addressInvalid`, `addressInUse`, `addressForbidden` or
  ///   `startFailed`.
  public static func start(
    host: String,
    port: Int,
    limits: HTTPLimits = .standard,
    refuse: @escaping @Sendable (Int) -> HTTPResponse = { .text($0, "\($0)\n") },
    handler: @escaping HTTPHandler
  ) throws(HTTPServerError) -> HTTPServer {
    let (listener, address) = try ListenSocket.open(host: host, port: port)
    let core = ServerCore(limits: limits, refuse: refuse, handler: handler)
    let context = unsafe Unmanaged.passRetained(core)
    let daemon = unsafe iap_microhttpd_start(
      listener,
      memoryBytes(limits),
      UInt32(clamping: limits.connectionsMax),
      // Zero is the library's word for no such limit.
      UInt32(clamping: limits.connectionsPerAddressMax ?? 0),
      UInt32(clamping: Int(limits.idleTimeout.inSeconds.rounded(.up))),
      LibraryCallbacks.target,
      LibraryCallbacks.request,
      LibraryCallbacks.completed,
      LibraryCallbacks.connection,
      context.toOpaque()
    )
    guard let daemon = unsafe daemon else {
      unsafe context.release()
      core.deadlines.stop()
      ListenSocket.close(listener)
      throw HTTPServerError(.startFailed, "libmicrohttpd could not start its thread")
    }
    let running = unsafe Running(daemon: LibraryHandle(daemon), listener: listener)
    return HTTPServer(address: address, core: core, running: running)
  }

  /// Stops: no new connections, every request that has begun is answered, then the threads end.
  ///
  /// A second call returns at once.
  public func stop() async {
    let taken = running.withLock { running in
      defer { running = nil }
      return running
    }
    guard let taken else { return }
    _ = unsafe MHD_quiesce_daemon(taken.daemon.pointer)
    ListenSocket.refuseConnections(taken.listener)
    await core.drain()
    let core = core
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      // Joining the library's thread blocks, so it is done off the shared pool.
      DispatchQueue.global().async {
        unsafe MHD_stop_daemon(taken.daemon.pointer)
        ListenSocket.close(taken.listener)
        core.deadlines.stop()
        unsafe Unmanaged.passUnretained(core).release()
        continuation.resume()
      }
    }
  }

  /// How many requests are being read or answered.
  public var activeRequestCount: Int { core.activeCount }

  /// How many connections are open.
  public var connectionCount: Int { core.deadlines.count }

  /// What the library may use for one connection: the head, its parsed fields, and a part of the
  /// body at a time.
  private static func memoryBytes(_ limits: HTTPLimits) -> Int {
    // Much more than a head may have: what does not fit is refused by the library in its own words,
    // and whoever sends somewhat too much should hear ours.
    max(32 * 1024, 8 * limits.headerBytesMax)
  }
}

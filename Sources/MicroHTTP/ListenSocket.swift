internal import CMicroHTTPD
internal import Glibc

// Sockets come from both modules: whichever the compiler loads first owns the declarations.

/// A socket that listens: opened here so that the system's errors have names.
enum ListenSocket {
  /// Opens a socket on the first address that the host stands for.
  ///
  /// - Returns: The descriptor, owned by the caller, and the address with the real port.
  static func open(
    host: String,
    port: Int
  ) throws(HTTPServerError) -> (descriptor: Int32, address: HTTPServerAddress) {
    guard (0...65_535).contains(port) else {
      throw HTTPServerError(.addressInvalid, "port \(port) is not within 0...65535")
    }
    var hints = unsafe addrinfo()
    unsafe hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV
    unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var list: UnsafeMutablePointer<addrinfo>?
    let code = unsafe getaddrinfo(host, String(port), &hints, &list)
    guard code == 0, let first = unsafe list else {
      let reason = unsafe String(cString: gai_strerror(code))
      throw HTTPServerError(.addressInvalid, "host \(host): \(reason)")
    }
    defer { unsafe freeaddrinfo(first) }
    let descriptor = unsafe socket(
      first.pointee.ai_family,
      Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue),
      0
    )
    guard descriptor >= 0 else { throw error(errno, "open a socket") }
    do throws(HTTPServerError) {
      return (descriptor, try unsafe bind(descriptor, to: first.pointee))
    } catch {
      close(descriptor)
      throw error
    }
  }

  /// Makes the socket refuse connections; it stays open until the library has let it go.
  static func refuseConnections(_ descriptor: Int32) {
    _ = shutdown(descriptor, Int32(SHUT_RDWR))
  }

  /// Closes the socket.
  static func close(_ descriptor: Int32) { _ = Glibc.close(descriptor) }

  /// The numeric host of a socket address.
  static func host(of address: UnsafePointer<sockaddr>) -> String? {
    let length =
      unsafe Int32(address.pointee.sa_family) == AF_INET6
      ? MemoryLayout<sockaddr_in6>.size : MemoryLayout<sockaddr_in>.size
    var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
    let code = unsafe getnameinfo(
      address,
      socklen_t(length),
      &text,
      socklen_t(text.count),
      nil,
      0,
      NI_NUMERICHOST
    )
    guard code == 0 else { return nil }
    return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  private static func bind(
    _ descriptor: Int32,
    to info: addrinfo
  ) throws(HTTPServerError) -> HTTPServerAddress {
    var yes: Int32 = 1
    _ = unsafe setsockopt(
      descriptor,
      SOL_SOCKET,
      SO_REUSEADDR,
      &yes,
      socklen_t(MemoryLayout<Int32>.size)
    )
    guard unsafe Glibc.bind(descriptor, info.ai_addr, info.ai_addrlen) == 0 else {
      throw error(errno, "listen there")
    }
    guard listen(descriptor, backlog) == 0 else { throw error(errno, "listen there") }
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let address = unsafe withUnsafeMutablePointer(to: &storage) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        general -> HTTPServerAddress? in
        guard unsafe getsockname(descriptor, general, &length) == 0,
          let host = unsafe host(of: general)
        else { return nil }
        let port = unsafe UnsafeRawPointer(general).loadUnaligned(
          fromByteOffset: portOffset,
          as: UInt16.self
        )
        return HTTPServerAddress(host: host, port: Int(UInt16(bigEndian: port)))
      }
    }
    guard let address else { throw error(errno, "ask for the port") }
    return address
  }

  /// Connections that the system keeps until they are accepted.
  private static let backlog: Int32 = 1024
  /// Where the port stands, in IPv4 and IPv6 addresses alike.
  private static let portOffset = 2

  private static func error(_ number: Int32, _ act: String) -> HTTPServerError {
    let said = unsafe String(cString: strerror(number))
    let code: HTTPServerError.Code =
      switch number {
      case EADDRINUSE: .addressInUse
      case EACCES, EPERM: .addressForbidden
      case EADDRNOTAVAIL, EAFNOSUPPORT: .addressInvalid
      default: .startFailed
      }
    return HTTPServerError(code, "could not \(act): \(said)")
  }
}

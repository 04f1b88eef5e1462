internal import Dispatch
internal import Glibc

/// Asks the system what names of hosts stand for.
public enum LiveNames {
  private static let queue = DispatchQueue(label: "iap.http.names", attributes: .concurrent)

  /// The numeric addresses of a host, in the system's order of preference.
  ///
  /// The look-up blocks, so it runs on a thread of its own, never on the shared pool.
  ///
  /// - Parameter host: A name, or an address.
  /// - Returns: The addresses, each once; empty when nobody knows the name.
  public static func addresses(of host: String) async -> [String] {
    await withCheckedContinuation { continuation in
      queue.async { continuation.resume(returning: lookUp(host)) }
    }
  }

  private static func lookUp(_ host: String) -> [String] {
    var hints = unsafe addrinfo()
    unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var list: UnsafeMutablePointer<addrinfo>?
    guard unsafe getaddrinfo(host, nil, &hints, &list) == 0, let first = unsafe list else {
      return []
    }
    defer { unsafe freeaddrinfo(first) }
    var found: [String] = []
    var next = unsafe Optional(first)
    while let info = unsafe next {
      if let text = unsafe numeric(info.pointee), !found.contains(text) { found.append(text) }
      unsafe next = unsafe info.pointee.ai_next
    }
    return found
  }

  private static func numeric(_ info: addrinfo) -> String? {
    var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
    let code = unsafe getnameinfo(
      info.ai_addr,
      info.ai_addrlen,
      &text,
      socklen_t(text.count),
      nil,
      0,
      NI_NUMERICHOST
    )
    guard code == 0 else { return nil }
    return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}

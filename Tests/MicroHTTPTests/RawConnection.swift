import Dispatch
import Glibc

/// A TCP connection that sends exactly the bytes it is told to.
///
/// Its blocking calls run on a queue of its own, so they hold up no task.
final class RawConnection: Sendable {
  private let descriptor: Int32
  private let queue = DispatchQueue(label: "raw-connection")

  init(port: Int) throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(port).bigEndian
    address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
    let code = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    var limit = timeval(tv_sec: 20, tv_usec: 0)
    setsockopt(
      descriptor,
      SOL_SOCKET,
      SO_RCVTIMEO,
      &limit,
      socklen_t(MemoryLayout<timeval>.size)
    )
    // The descriptor is closed by `deinit`, which runs here too.
    guard code == 0 else { throw Refused() }
  }

  struct Refused: Error {}

  deinit { close(descriptor) }

  /// Sends all the bytes; false when the other side does not take them.
  @discardableResult
  func send(_ text: String) async -> Bool { await send(Array(text.utf8)) }

  @discardableResult
  func send(_ bytes: [UInt8]) async -> Bool {
    await onQueue { [descriptor] in
      var sent = 0
      while sent < bytes.count {
        let count = bytes[sent...].withUnsafeBytes {
          Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
        if count <= 0 { return false }
        sent += count
      }
      return true
    }
  }

  /// Reads one response with a Content-Length; nil when the connection ends first.
  func response() async -> (status: Int, head: String, body: String)? {
    await onQueue { [descriptor] in
      var bytes: [UInt8] = []
      while true {
        if let end = Self.headEnd(bytes) {
          let head = String(decoding: bytes[..<end], as: UTF8.self)
          let length = Self.contentLength(head)
          if bytes.count >= end + length {
            let status = Int(head.split(separator: " ").dropFirst().first ?? "") ?? 0
            if status == 100 {
              bytes.removeFirst(end)
              continue
            }
            return (status, head, String(decoding: bytes[end..<(end + length)], as: UTF8.self))
          }
        }
        guard let more = Self.receive(descriptor) else { return nil }
        bytes += more
      }
    }
  }

  /// Reads until the other side closes, and returns what came.
  func readToEnd() async -> String {
    await onQueue { [descriptor] in
      var bytes: [UInt8] = []
      while let more = Self.receive(descriptor) { bytes += more }
      return String(decoding: bytes, as: UTF8.self)
    }
  }

  /// Whether something can be read, or the end has come, within the time.
  func isReadable(within milliseconds: Int32) async -> Bool {
    await onQueue { [descriptor] in
      var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      return poll(&entry, 1, milliseconds) > 0
    }
  }

  /// Closes both directions at once, as a client that is gone.
  func drop() async {
    await onQueue { [descriptor] in _ = shutdown(descriptor, Int32(SHUT_RDWR)) }
  }

  private func onQueue<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { continuation in
      queue.async { continuation.resume(returning: work()) }
    }
  }

  private static func receive(_ descriptor: Int32) -> [UInt8]? {
    var buffer = [UInt8](repeating: 0, count: 16 * 1024)
    let count = recv(descriptor, &buffer, buffer.count, 0)
    return count > 0 ? Array(buffer[..<count]) : nil
  }

  private static func headEnd(_ bytes: [UInt8]) -> Int? {
    guard bytes.count >= 4 else { return nil }
    for index in 0...(bytes.count - 4) where bytes[index..<(index + 4)] == [13, 10, 13, 10] {
      return index + 4
    }
    return nil
  }

  private static func contentLength(_ head: String) -> Int {
    for line in head.split(separator: "\r\n") where line.lowercased().hasPrefix("content-length:") {
      return Int(line.split(separator: " ").last ?? "") ?? 0
    }
    return 0
  }
}

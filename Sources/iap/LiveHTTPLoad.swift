import Foundation
import Glibc

/// A load of requests over connections of their own, each kept open: every connection sends its
/// next request when the last one was answered.
///
/// As little as possible is done here, because server and load share the machine: one thread waits
/// for all connections, so that no answer wakes a thread of its own up.
struct LiveHTTPLoad: Sendable {
  /// Where the server listens.
  let port: Int
  /// How many connections there are.
  let connections: Int

  /// Sends requests until there are none.
  ///
  /// - Parameters:
  ///   - status: What every answer has to be.
  ///   - next: The next request's bytes; nil at the end.
  /// - Returns: The rate and the latencies; nil when an answer was wrong.
  func run(status: Int, _ next: @escaping @Sendable () -> [UInt8]?) async -> Benchmark.Load? {
    let watch = Stopwatch()
    let processor = ProcessorTime()
    let latencies = await withCheckedContinuation { done in
      // A thread of its own: it blocks.
      Thread.detachNewThread {
        done.resume(returning: Self.work(port, connections, status, next))
      }
    }
    let (passed, worked) = (watch.seconds, processor.seconds)
    guard let latencies, !latencies.isEmpty else { return nil }
    return Benchmark.Load(
      rates: [Double(latencies.count) / passed],
      latencies: latencies,
      processor: worked / Double(latencies.count)
    )
  }

  private static func work(
    _ port: Int,
    _ count: Int,
    _ status: Int,
    _ next: () -> [UInt8]?
  ) -> [Double]? {
    var open: [Connection] = []
    for _ in 0..<count {
      guard let request = next() else { break }
      guard let connection = Connection(port: port), connection.send(request) else { return nil }
      open.append(connection)
    }
    var waits = open.map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
    var left = open.count
    var latencies: [Double] = []
    while left > 0 {  // bound: the requests
      guard poll(&waits, nfds_t(waits.count), -1) > 0 || errno == EINTR else { return nil }
      for index in waits.indices where waits[index].revents != 0 {
        waits[index].revents = 0
        let connection = open[index]
        switch connection.receive() {
        case .wrong: return nil
        case .more: continue
        case .whole(let answer):
          guard answer == status else { return nil }
          latencies.append(connection.watch.seconds)
        }
        if let request = next() {
          guard connection.send(request) else { return nil }
        } else {
          // A negative number is passed over.
          waits[index].fd = -1
          left -= 1
        }
      }
    }
    return latencies
  }

  /// What came of reading.
  private enum Step {
    case whole(Int)
    case more
    case wrong
  }

  /// One connection to this machine.
  private final class Connection {
    private static let lengthName = Array("\ncontent-length:".utf8)
    let descriptor: Int32
    /// Since the request was sent.
    private(set) var watch = Stopwatch()
    private var buffer = [UInt8](repeating: 0, count: 65_536)
    private var filled = 0

    init?(port: Int) {
      descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      guard descriptor >= 0 else { return nil }
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = in_port_t(UInt16(port).bigEndian)
      address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
      let result = withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
      }
      var noDelay: Int32 = 1
      let size = socklen_t(MemoryLayout<Int32>.size)
      setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &noDelay, size)
      guard result == 0 else { return nil }
    }

    deinit { close(descriptor) }

    /// Sends a request; it blocks only while the other side's buffer is full.
    func send(_ request: [UInt8]) -> Bool {
      watch = Stopwatch()
      filled = 0
      var sent = 0
      while sent < request.count {  // bound: the request
        let count = request.withUnsafeBytes { bytes in
          Glibc.send(descriptor, bytes.baseAddress.map { $0 + sent }, request.count - sent, 0)
        }
        guard count > 0 else { return false }
        sent += count
      }
      return true
    }

    /// Reads what is there.
    func receive() -> Step {
      let room = buffer.count - filled
      let count = buffer.withUnsafeMutableBytes { bytes in
        recv(descriptor, bytes.baseAddress.map { $0 + filled }, room, 0)
      }
      guard count > 0 else { return .wrong }
      filled += count
      if let status = whole(filled) { return .whole(status) }
      return filled < buffer.count ? .more : .wrong
    }

    /// The status when the answer is there to its end.
    private func whole(_ filled: Int) -> Int? {
      buffer.withUnsafeBufferPointer { bytes in
        let (lineFeed, name) = (UInt8(ascii: "\n"), Self.lengthName)
        var length = 0
        var index = 0
        while index + 2 < filled {
          defer { index += 1 }
          guard bytes[index] == lineFeed else { continue }
          if bytes[index + 2] == lineFeed {
            guard filled >= index + 3 + length else { return nil }
            return Self.number(in: bytes, from: Self.statusPlace, to: filled)
          }
          let end = index + name.count
          guard end < filled,
            (0..<name.count).allSatisfy({ bytes[index + $0] | 0x20 == name[$0] | 0x20 })
          else { continue }
          length = Self.number(in: bytes, from: end, to: filled)
        }
        return nil
      }
    }

    /// Where the status stands, behind `HTTP/1.1`.
    private static let statusPlace = 9

    /// The number behind spaces.
    private static func number(
      in bytes: UnsafeBufferPointer<UInt8>,
      from start: Int,
      to end: Int
    ) -> Int {
      var result = 0
      for index in start..<end {
        let byte = bytes[index]
        if byte == UInt8(ascii: " "), result == 0 { continue }
        guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { break }
        result = result * 10 + Int(byte - UInt8(ascii: "0"))
      }
      return result
    }
  }
}

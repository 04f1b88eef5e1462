import Foundation
import Glibc
import Synchronization

/// A load of requests over connections of their own, each kept open: every connection sends its
/// next request when the last one was answered.
///
/// As little as possible is done here, because server and load share the machine.
struct LiveHTTPLoad: Sendable {
  /// Where the server listens.
  let port: Int
  /// How many connections there are.
  let connections: Int

  private struct Tally {
    var latencies: [Double] = []
    var isWrong = false
    var running: Int
  }

  /// Sends requests until there are none.
  ///
  /// - Parameters:
  ///   - status: What every answer has to be.
  ///   - next: The next request's bytes; nil at the end. Called from many threads.
  /// - Returns: The rate and the latencies; nil when an answer was wrong.
  func run(status: Int, _ next: @escaping @Sendable () -> [UInt8]?) async -> Benchmark.Load? {
    let watch = Stopwatch()
    let tally = await withCheckedContinuation { (done: CheckedContinuation<Tally, Never>) in
      let shared = Mutex(Tally(running: connections))
      let gate = Gate(shared: shared, done: done)
      for _ in 0..<connections {
        // A thread each: they block.
        Thread.detachNewThread { gate.leave(with: Self.work(port, status, next)) }
      }
    }
    let passed = watch.seconds
    guard !tally.isWrong, !tally.latencies.isEmpty else { return nil }
    return Benchmark.Load(
      rates: [Double(tally.latencies.count) / passed],
      latencies: tally.latencies
    )
  }

  /// Gathers what the threads found; the last one ends the wait.
  private final class Gate: Sendable {
    private let tally: Mutex<Tally>
    private let done: CheckedContinuation<Tally, Never>

    init(shared: consuming Mutex<Tally>, done: CheckedContinuation<Tally, Never>) {
      tally = shared
      self.done = done
    }

    func leave(with latencies: [Double]?) {
      let whole = tally.withLock { tally -> Tally? in
        tally.latencies += latencies ?? []
        if latencies == nil { tally.isWrong = true }
        tally.running -= 1
        return tally.running == 0 ? tally : nil
      }
      if let whole { done.resume(returning: whole) }
    }
  }

  private static func work(
    _ port: Int,
    _ status: Int,
    _ next: @Sendable () -> [UInt8]?
  ) -> [Double]? {
    guard let connection = Connection(port: port) else { return nil }
    var latencies: [Double] = []
    while let request = next() {  // bound: the requests
      let watch = Stopwatch()
      guard connection.exchange(request) == status else { return nil }
      latencies.append(watch.seconds)
    }
    return latencies
  }

  /// One connection to this machine.
  private final class Connection {
    private static let lengthName = Array("\ncontent-length:".utf8)
    private let descriptor: Int32
    private var buffer = [UInt8](repeating: 0, count: 65_536)

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
      guard result == 0 else {
        close(descriptor)
        return nil
      }
    }

    deinit { close(descriptor) }

    /// Sends a request and reads the whole answer; its status, nil when there is none.
    func exchange(_ request: [UInt8]) -> Int? {
      var sent = 0
      while sent < request.count {  // bound: the request
        let count = request.withUnsafeBytes { bytes in
          send(descriptor, bytes.baseAddress.map { $0 + sent }, request.count - sent, 0)
        }
        guard count > 0 else { return nil }
        sent += count
      }
      var filled = 0
      while filled < buffer.count {  // bound: the buffer
        let room = buffer.count - filled
        let count = buffer.withUnsafeMutableBytes { bytes in
          recv(descriptor, bytes.baseAddress.map { $0 + filled }, room, 0)
        }
        guard count > 0 else { return nil }
        filled += count
        if let status = whole(filled) { return status }
      }
      return nil
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

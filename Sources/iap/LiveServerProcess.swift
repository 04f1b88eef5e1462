import Foundation
import Synchronization

/// This program once more, as a server in a process of its own.
enum LiveServerProcess {
  /// What a start took.
  struct Start: Sendable {
    /// From the start of the process to the first answer.
    var seconds: Double
    /// The memory that the system says it holds then.
    var bytes: Double
  }

  /// Starts a server, waits for its first answer and ends it.
  ///
  /// - Parameters:
  ///   - database: Its SQLite file.
  ///   - seconds: How long it may take.
  /// - Returns: What it took; nil when there was no answer.
  static func start(database: String, _ seconds: Double) async -> Start? {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    process.arguments = [
      "serve", "--listen", "127.0.0.1:0", "--database", database, "--insecure-no-keys", "--app",
      "com.example.app=1234567890",
    ]
    let output = Pipe()
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    process.standardInput = FileHandle.nullDevice
    let watch = Stopwatch()
    guard (try? process.run()) != nil else { return nil }
    defer {
      process.terminate()
      process.waitUntilExit()
    }
    // It says where it listens when it does so.
    let said = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
    guard
      let port = said.split(whereSeparator: { ":\n/".contains($0) }).compactMap({ Int($0) }).last
    else { return nil }
    let request = Array("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8)
    let once = OneRequest(request)
    let load = await LiveHTTPLoad(port: port, connections: 1).run(status: 200) { once.take() }
    guard load != nil, watch.seconds < seconds else { return nil }
    let passed = watch.seconds
    guard let bytes = memory(of: process.processIdentifier) else { return nil }
    return Start(seconds: passed, bytes: bytes)
  }

  private static func memory(of process: Int32) -> Double? {
    let status = try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
    let line = status?.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
    return line?.split(separator: " ").compactMap { Double($0) }.first.map { $0 * 1_024 }
  }
}

/// A request that is sent once.
private final class OneRequest: Sendable {
  private let request: Mutex<[UInt8]?>

  init(_ request: [UInt8]) { self.request = Mutex(request) }

  func take() -> [UInt8]? {
    request.withLock { request in
      defer { request = nil }
      return request
    }
  }
}

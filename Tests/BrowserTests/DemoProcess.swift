import BrowserDriver
import Foundation
import Synchronization

/// A built `iap demo` that serves its page, without the tour before it.
final class DemoProcess: Sendable {
  /// The page's address, without a slash at the end.
  let address: String
  private let process: Mutex<Process>

  private static let executable = URL(fileURLWithPath: CommandLine.arguments[0])
    .resolvingSymlinksInPath().deletingLastPathComponent().appendingPathComponent("iap")

  /// Serves while the body runs.
  static func with<Value>(_ body: (DemoProcess) async throws -> Value) async throws -> Value {
    let demo = try await DemoProcess()
    defer { demo.end() }
    return try await body(demo)
  }

  private init() async throws {
    let process = Process()
    process.executableURL = Self.executable
    process.arguments = ["demo", "--no-tour", "--port", "0", "--start", "2026-03-02T09:41:00Z"]
    process.standardInput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    var variables = ProcessInfo.processInfo.environment
    for name in ["LC_ALL", "LC_MESSAGES", "LANG"] { variables[name] = nil }
    process.environment = variables
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let handle = output.fileHandleForReading
    // A thread of its own, because reading blocks; what is said later is thrown away.
    let said = await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        continuation.resume(returning: Self.address(saidOn: handle))
        while !handle.availableData.isEmpty {}
      }
    }
    self.process = Mutex(process)
    guard let said else { throw NotServing() }
    address = said
  }

  private struct NotServing: Error {}

  private static func address(saidOn handle: FileHandle) -> String? {
    var text = ""
    while case let chunk = handle.availableData, !chunk.isEmpty {
      text += String(decoding: chunk, as: UTF8.self)
      guard let place = text.range(of: "Open http://") else { continue }
      let rest = text[place.upperBound...]
      if let end = rest.firstIndex(of: "/") { return "http://" + rest[..<end] }
    }
    return nil
  }

  private func end() {
    process.withLock { process in
      guard process.isRunning else { return }
      process.terminate()
      process.waitUntilExit()
    }
  }
}

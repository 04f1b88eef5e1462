import Foundation
import Synchronization

/// The built `iap`, run as a process of its own.
///
/// Nothing here waits for time to pass: output lines and the end of the process are events.
final class CommandProcess: Sendable {
  /// What a finished call left.
  struct Outcome: Hashable, Sendable {
    let status: Int32
    let output: String
    let errors: String
  }

  /// The lines of standard output as they come, without line ends; ends with the process's output.
  let lines: AsyncStream<String>
  private let process: Mutex<Process>
  private let exits: AsyncStream<Int32>
  private let errorFile: URL

  /// The executable that was built beside the running tests, or the one that `IAP_EXECUTABLE`
  /// names: for measuring one that was built for release.
  static let executable =
    ProcessInfo.processInfo.environment["IAP_EXECUTABLE"].map { URL(fileURLWithPath: $0) }
    ?? URL(fileURLWithPath: CommandLine.arguments[0])
    .resolvingSymlinksInPath().deletingLastPathComponent().appendingPathComponent("iap")

  /// Starts a call.
  ///
  /// - Parameters:
  ///   - words: The words of the call.
  ///   - input: The bytes of standard input.
  ///   - environment: Variables beside those of this process; locale variables are cleared.
  ///   - tool: Another program to start, which gets the words.
  init(
    _ words: [String],
    input: [UInt8] = [],
    environment: [String: String] = [:],
    tool: URL = CommandProcess.executable
  ) throws {
    let process = Process()
    process.executableURL = tool
    process.arguments = words
    var variables = ProcessInfo.processInfo.environment
    for name in ["LC_ALL", "LC_MESSAGES", "LANG"] { variables[name] = nil }
    process.environment = variables.merging(environment) { $1 }

    let folder = FileManager.default.temporaryDirectory
    let name = "iap-call-\(UUID().uuidString)"
    let inputFile = folder.appendingPathComponent(name + ".in")
    errorFile = folder.appendingPathComponent(name + ".err")
    try Data(input).write(to: inputFile)
    try Data().write(to: errorFile)
    process.standardInput = try FileHandle(forReadingFrom: inputFile)
    process.standardError = try FileHandle(forWritingTo: errorFile)
    let output = Pipe()
    process.standardOutput = output

    let (exits, exit) = AsyncStream<Int32>.makeStream()
    self.exits = exits
    process.terminationHandler = { process in
      exit.yield(process.terminationStatus)
      exit.finish()
    }
    lines = Self.lines(of: output.fileHandleForReading)
    try process.run()
    try? FileManager.default.removeItem(at: inputFile)
    self.process = Mutex(process)
  }

  deinit {
    process.withLock { if $0.isRunning { kill($0.processIdentifier, SIGKILL) } }
    try? FileManager.default.removeItem(at: errorFile)
  }

  /// Runs a call to its end.
  static func run(
    _ words: [String],
    input: [UInt8] = [],
    environment: [String: String] = [:],
    tool: URL = CommandProcess.executable
  ) async throws -> Outcome {
    let call = try CommandProcess(words, input: input, environment: environment, tool: tool)
    var output: [String] = []
    for await line in call.lines { output.append(line) }
    return Outcome(
      status: await call.exit(),
      output: output.joined(separator: "\n"),
      errors: call.errors
    )
  }

  /// The number by which the system knows the process.
  var identifier: Int32 { process.withLock { $0.processIdentifier } }

  /// Sends a signal: `SIGINT` for Ctrl-C, `SIGKILL` for a crash.
  func signal(_ number: Int32) { kill(identifier, number) }

  /// The exit status, or the number of the signal that ended it. Once only.
  func exit() async -> Int32 {
    for await status in exits { return status }
    return -1
  }

  /// What was written to standard error so far.
  var errors: String {
    String(decoding: (try? Data(contentsOf: errorFile)) ?? Data(), as: UTF8.self)
  }

  private static func lines(of handle: FileHandle) -> AsyncStream<String> {
    let (lines, continuation) = AsyncStream<String>.makeStream()
    // A thread of its own, because reading blocks.
    Thread.detachNewThread {
      var buffer = Data()
      // What is there; reading up to a count would wait for the end of the output.
      while case let chunk = handle.availableData, !chunk.isEmpty {
        buffer += chunk
        while let end = buffer.firstIndex(of: UInt8(ascii: "\n")) {
          continuation.yield(String(decoding: buffer[buffer.startIndex..<end], as: UTF8.self))
          buffer = Data(buffer[buffer.index(after: end)...])
        }
      }
      if !buffer.isEmpty { continuation.yield(String(decoding: buffer, as: UTF8.self)) }
      continuation.finish()
    }
    return lines
  }
}

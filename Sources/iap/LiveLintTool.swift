import Foundation

/// The linter, as a process of its own.
enum LiveLintTool {
  private static let name = "iap-lint"

  /// Where the linter lies: beside this program, or in one of the folders of `PATH`.
  ///
  /// - Parameter path: The folders, divided by colons.
  /// - Returns: The place; nil when there is none.
  static func find(path: String) -> URL? {
    let beside = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
      .deletingLastPathComponent()
    let folders = [beside] + path.split(separator: ":").map { URL(fileURLWithPath: String($0)) }
    return folders.map { $0.appendingPathComponent(name) }
      .first { FileManager.default.isExecutableFile(atPath: $0.path) }
  }

  /// Runs the linter to its end with this process's input, output and environment.
  ///
  /// - Returns: Its exit status; nil when it cannot be started.
  static func run(_ tool: URL, _ words: [String]) async -> Int32? {
    let process = Process()
    process.executableURL = tool
    process.arguments = words
    let (ends, end) = AsyncStream<Int32>.makeStream()
    process.terminationHandler = { process in
      end.yield(process.terminationStatus)
      end.finish()
    }
    guard (try? process.run()) != nil else { return nil }
    for await status in ends { return status }
    return nil
  }
}

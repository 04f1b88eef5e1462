import Foundation

/// A child process of this program that runs simulations.
enum SimulationChild {
  /// Runs a child to its end.
  ///
  /// - Parameters:
  ///   - order: What it does.
  ///   - take: Gets each line that it prints.
  /// - Returns: How it ended: 0 when it did all that it was asked for.
  static func run(
    _ order: SimulationProcess.Order,
    take: @escaping @Sendable (String) -> Void
  ) async -> Int32 {
    guard let path = Bundle.main.executablePath else { return -1 }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = [SimulationProcess.name] + order.words
    // Hashed collections have the same order in each process then, wherever it slipped through.
    process.environment = ["SWIFT_DETERMINISTIC_HASHING": "1", "TZ": "UTC", "LC_ALL": "C"]
    let output = Pipe()
    process.standardOutput = output
    // What the runtime says of tasks that a kill left behind is no news.
    process.standardError = FileHandle.nullDevice
    process.standardInput = FileHandle.nullDevice
    let (ends, end) = AsyncStream<Int32>.makeStream()
    process.terminationHandler = { process in
      end.yield(process.terminationReason == .exit ? process.terminationStatus : -1)
      end.finish()
    }
    do { try process.run() } catch { return -1 }
    for await line in lines(of: output.fileHandleForReading) { take(line) }
    for await status in ends { return status }
    return -1
  }

  /// What a child prints, line by line, until it ends.
  private static func lines(of handle: FileHandle) -> AsyncStream<String> {
    let (lines, continuation) = AsyncStream<String>.makeStream()
    // A thread of its own, because reading blocks: a handler of the file was seen to miss its end.
    Thread.detachNewThread {
      var rest = Data()
      while case let data = handle.availableData, !data.isEmpty {
        rest += data
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
          continuation.yield(String(decoding: rest[rest.startIndex..<end], as: UTF8.self))
          rest = Data(rest[(end + 1)...])
        }
      }
      continuation.finish()
    }
    return lines
  }
}

/// Where a campaign begins when nobody says so.
enum FreshSeed {
  /// A number that nobody drew before, small enough to be typed.
  static func live() -> UInt64 { UInt64.random(in: 1...999_999_999) }
}

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
    let (output, errors) = (Pipe(), Pipe())
    process.standardOutput = output
    process.standardError = errors
    // What the runtime says of tasks that a kill left behind is no news.
    errors.fileHandleForReading.readabilityHandler = { handle in
      if handle.availableData.isEmpty { handle.readabilityHandler = nil }
    }
    let (chunks, continuation) = AsyncStream<Data>.makeStream()
    output.fileHandleForReading.readabilityHandler = { handle in
      let data = handle.availableData
      guard data.isEmpty else { return _ = continuation.yield(data) }
      handle.readabilityHandler = nil
      continuation.finish()
    }
    do { try process.run() } catch { return -1 }
    var rest = Data()
    for await chunk in chunks {
      rest += chunk
      while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
        take(String(decoding: rest[rest.startIndex..<end], as: UTF8.self))
        rest = Data(rest[(end + 1)...])
      }
    }
    process.waitUntilExit()
    return process.terminationReason == .exit ? process.terminationStatus : -1
  }
}

/// Where a campaign begins when nobody says so.
enum FreshSeed {
  /// A number that nobody drew before, small enough to be typed.
  static func live() -> UInt64 { UInt64.random(in: 1...999_999_999) }
}

import Foundation
import IAPModel

/// How long the server takes from its start to its first answer, and how much memory it holds then.
enum StartBenchmarks {
  private static let startCount = 5
  private static let answersWithinSeconds = 20.0

  static func make(folder: URL) -> [Benchmark] {
    [
      Benchmark(
        "serveStart",
        Words("server: from its start to the first answer", zh: "服务器：从启动到首次应答"),
        limit: "serveStart",
        way: .quantity(unit: "ms") { await starts(folder).map { 1_000 * $0.seconds } }
      ),
      Benchmark(
        "serveMemory",
        Words("server: memory after the first answer", zh: "服务器：首次应答后的内存"),
        limit: "serveMemory",
        way: .quantity(unit: "MiB") { await starts(folder).map { $0.bytes / 1_048_576 } }
      ),
    ]
  }

  private static func starts(_ folder: URL) async -> [LiveServerProcess.Start] {
    var starts: [LiveServerProcess.Start] = []
    for number in 0..<startCount {
      let database = folder.appendingPathComponent("start-\(number).sqlite").path
      guard let start = await LiveServerProcess.start(database: database, answersWithinSeconds)
      else { return [] }
      starts.append(start)
    }
    return starts
  }
}

import Foundation

/// Real time that passes, for measurements only.
struct Stopwatch: Sendable {
  private let start = ContinuousClock.now

  /// Seconds since it was made.
  var seconds: Double {
    let passed = start.duration(to: .now).components
    return Double(passed.seconds) + Double(passed.attoseconds) * 1e-18
  }
}

/// How many things this machine does at the same time.
enum ProcessorCount {
  /// The cores that are switched on.
  static var live: Int { ProcessInfo.processInfo.activeProcessorCount }
}

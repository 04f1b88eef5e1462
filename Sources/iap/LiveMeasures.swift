import Foundation
import Glibc

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

/// The time that the processors work for this process, all its threads together: other processes
/// that keep the machine busy change it little.
struct ProcessorTime: Sendable {
  private let start = Self.now

  /// Seconds since it was made.
  var seconds: Double { Self.now - start }

  private static var now: Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
  }
}

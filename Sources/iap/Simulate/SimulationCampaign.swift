import Foundation
import Simulation
import Synchronization

/// Many runs, in several processes at once.
final class SimulationCampaign: Sendable {
  /// How many seeds a process takes: what a kill leaves behind stays in its memory.
  static let chunkRuns = 100
  /// How many seconds a run may take before it counts as one that never settles.
  ///
  /// A thousand times what one takes; a run also has a bound on its jobs, which does not depend on
  /// the machine.
  static let runSecondsMax = 120

  struct Settings: Sendable {
    var seed: UInt64
    /// How many; nil for as many as the time allows.
    var runs: Int?
    /// For how many seconds; nil for as long as it takes.
    var seconds: Double?
    var jobs: Int
    var profile: RunProfile
    var scheme: SimulationProcess.Scheme
    /// A planted bug, by its name.
    var bug: String?
    /// Whether the first failure ends it.
    var stopsAtFailure = false
  }

  private struct State {
    var next = 0
    var tally = CampaignTally()
  }

  let settings: Settings
  private let state = Mutex(State())
  private let watch = Stopwatch()

  init(_ settings: Settings) { self.settings = settings }

  /// Makes all runs, until its task is cancelled.
  ///
  /// - Parameters:
  ///   - found: Is told of each run that broke a rule, at once.
  ///   - progress: Is told now and then, with the seconds so far.
  /// - Returns: What came of them, and how long it took.
  func run(
    found: @escaping @Sendable (CampaignTally.Failure) -> Void,
    progress: @escaping @Sendable (CampaignTally, Double) -> Void
  ) async -> (CampaignTally, Double) {
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<settings.jobs {
        group.addTask { [self] in
          while let (first, count) = nextChunk() {
            await work(first, count, found)
            progress(state.withLock { $0.tally }, watch.seconds)
          }
        }
      }
    }
    return (state.withLock { $0.tally }, watch.seconds)
  }

  private func nextChunk() -> (UInt64, Int)? {
    if Task.isCancelled { return nil }
    if let seconds = settings.seconds, watch.seconds >= seconds { return nil }
    return state.withLock { state in
      if settings.stopsAtFailure, !state.tally.failures.isEmpty { return nil }
      var count = Self.chunkRuns
      if let runs = settings.runs { count = min(count, runs - state.next) }
      guard count > 0 else { return nil }
      defer { state.next += count }
      return (settings.seed &+ UInt64(state.next), count)
    }
  }

  /// Runs a chunk; a seed at which the process ends is a failure, and the next ones go on.
  private func work(
    _ first: UInt64,
    _ count: Int,
    _ found: @escaping @Sendable (CampaignTally.Failure) -> Void
  ) async {
    var (first, count) = (first, count)
    while count > 0 {
      var task = SimulationWorker.Task(seed: first)
      task.runs = count
      task.profile = settings.profile
      let order = SimulationProcess.Order(task, scheme: settings.scheme, bug: settings.bug)
      let done = Mutex(0)
      let end = await SimulationChild.run(order, patienceSeconds: Self.runSecondsMax) {
        [self] line in
        let (isReport, failure) = state.withLock { $0.tally.add(line) }
        if isReport { done.withLock { $0 += 1 } }
        if let failure { found(failure) }
      }
      let finished = done.withLock { $0 }
      guard end != .exited(0) || finished < count, !Task.isCancelled else { return }
      let seed = first &+ UInt64(finished)
      found(state.withLock { $0.tally.noteEnd(of: seed, end) })
      first = seed &+ 1
      count -= finished + 1
    }
  }
}

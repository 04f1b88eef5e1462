import Synchronization

/// The jobs of the Swift runtime that wait to be run, in the order of their arrival.
///
/// A job is a piece of a task between two suspension points. Nothing runs by itself: whoever owns
/// the queue decides which one is next.
///
/// - **Concurrency:** jobs arrive from any thread; they are run by the one that owns the queue.
package final class JobQueue: Sendable {
  /// Where a job has to run.
  enum Home: Hashable, Sendable {
    case main
    case anywhere
  }

  private struct Waiting {
    let job: UnownedJob
    let home: Home
  }

  private let waiting = Mutex<[Waiting]>([])

  init() {}

  /// How many jobs wait.
  package var count: Int { waiting.withLock { $0.count } }

  func add(_ job: UnownedJob, _ home: Home) {
    waiting.withLock { $0.append(Waiting(job: job, home: home)) }
  }

  /// Forgets what waits; the tasks behind it stay in the memory, and never go on.
  package func dropAll() { waiting.withLock { $0 = [] } }

  /// Runs one of the waiting jobs to its next suspension point.
  ///
  /// - Parameter index: Which, in the order of arrival; below ``count``.
  package func run(at index: Int) {
    let next = waiting.withLock { $0.remove(at: index) }
    switch next.home {
    case .main:
      next.job.runSynchronously(on: SeededExecutors.main.asUnownedSerialExecutor())
    case .anywhere:
      next.job.runSynchronously(on: SeededExecutors.global.asUnownedTaskExecutor())
    }
  }
}

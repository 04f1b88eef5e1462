@_spi(ExperimentalCustomExecutors) @_spi(ExperimentalScheduling) internal import _Concurrency

/// The executors of a process that is a simulation: nothing runs before its queue is told to.
///
/// The runtime asks for them once and keeps them for the life of the process, so a simulation is a
/// process of its own.
package enum SeededExecutors {
  /// Every job of the process.
  package static let jobs = JobQueue()

  static let main = MainSeededExecutor()
  static let global = GlobalSeededExecutor()

  /// Takes over the global executor, the main actor and sleeping.
  ///
  /// To be called by a synchronous `main`, before anything has made a task.
  package static func takeOver() { _createExecutors(factory: Factory.self) }

  private enum Factory: ExecutorFactory {
    static var mainExecutor: any MainExecutor { SeededExecutors.main }
    static var defaultExecutor: any TaskExecutor { SeededExecutors.global }
  }
}

/// Collects what has to run on the main actor.
final class MainSeededExecutor: MainExecutor {
  func enqueue(_ job: consuming ExecutorJob) { SeededExecutors.jobs.add(UnownedJob(job), .main) }

  var isMainExecutor: Bool { true }

  /// There is one thread, and the queue says on whose behalf it works.
  func checkIsolated() {}

  func run() throws { preconditionFailure("the simulation runs its jobs itself") }

  func stop() {}
}

/// Collects what may run anywhere.
final class GlobalSeededExecutor: TaskExecutor, SchedulingExecutor {
  func enqueue(_ job: consuming ExecutorJob) {
    SeededExecutors.jobs.add(UnownedJob(job), .anywhere)
  }

  func enqueue<C: Clock>(
    _ job: consuming ExecutorJob,
    after delay: C.Duration,
    tolerance: C.Duration?,
    clock: C
  ) {
    preconditionFailure("simulated code sleeps by the store's clock, never by the real one")
  }
}

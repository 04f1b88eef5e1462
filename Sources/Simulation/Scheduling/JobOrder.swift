import AppStoreSimulator

/// Draws which job is next.
package struct JobOrder: Sendable {
  private var generator: SeededGenerator
  private let jobs: JobQueue
  /// How many jobs were run.
  package private(set) var ranCount = 0

  /// Makes an order.
  ///
  /// - Parameters:
  ///   - seed: What the order follows from.
  ///   - jobs: The jobs.
  package init(seed: UInt64, jobs: JobQueue) {
    generator = SeededGenerator(seed: seed)
    self.jobs = jobs
  }

  /// Runs one job; false when none waits.
  package mutating func runOne() -> Bool {
    let count = jobs.count
    guard count > 0 else { return false }
    jobs.run(at: count == 1 ? 0 : Int(generator.next() % UInt64(count)))
    ranCount += 1
    return true
  }

  /// Forgets what waits: it is never run.
  package func dropAll() { jobs.dropAll() }
}

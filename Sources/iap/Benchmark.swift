/// One thing that is measured: how often it can be done in a second, or how long one takes in the
/// middle of many.
struct Benchmark: Sendable {
  /// A stable word, for JSON.
  let name: String
  /// What is done, for people.
  let title: Words
  /// How many do it at the same time.
  let workers: Int
  /// The name of the measurement that nothing of its kind can beat.
  let limit: String
  /// Does it once; answers false when the result is wrong, which ends the measurement.
  let operation: @Sendable () async -> Bool
  /// Times that were taken one by one, in seconds, of which the median counts.
  ///
  /// None when the result was wrong. Nil when the operation is repeated instead.
  let samples: (@Sendable () async -> [Double])?

  init(
    _ name: String,
    _ title: Words,
    workers: Int = 1,
    limit: String,
    operation: @escaping @Sendable () async -> Bool
  ) {
    self.name = name
    self.title = title
    self.workers = workers
    self.limit = limit
    self.operation = operation
    samples = nil
  }

  init(
    _ name: String,
    _ title: Words,
    limit: String,
    samples: @escaping @Sendable () async -> [Double]
  ) {
    self.name = name
    self.title = title
    self.workers = 1
    self.limit = limit
    self.operation = { true }
    self.samples = samples
  }

  /// What a measurement found.
  struct Result: Sendable {
    let name: String
    let title: Words
    let limit: String
    let perSecond: Double

    /// How long one takes, with all workers together.
    var microseconds: Double { 1_000_000 / perSecond }
  }

  /// Repeats the operation for about so many seconds.
  ///
  /// - Parameter seconds: How long to measure.
  /// - Returns: The rate of all workers together.
  /// - Throws: ``CommandError`` when the operation answers that its result is wrong.
  func measure(seconds: Double) async throws(CommandError) -> Result {
    if let samples {
      let sorted = await samples().sorted()
      guard !sorted.isEmpty else { throw failure }
      let median = sorted[sorted.count / 2]
      return Result(name: name, title: title, limit: limit, perSecond: 1 / median)
    }
    let batch = 8
    // Warms caches, and shows that the thing works before it is timed.
    guard await operation() else { throw failure }
    let watch = Stopwatch()
    let counts = await withTaskGroup(of: Int?.self) { group in
      for _ in 0..<workers {
        group.addTask {
          var count = 0
          while watch.seconds < seconds {
            for _ in 0..<batch {
              guard await operation() else { return nil }
            }
            count += batch
          }
          return count
        }
      }
      return await group.reduce(into: [Int?]()) { $0.append($1) }
    }
    let passed = watch.seconds
    guard !counts.contains(nil) else { throw failure }
    let total = counts.compactMap { $0 }.reduce(0, +)
    return Result(name: name, title: title, limit: limit, perSecond: Double(total) / passed)
  }

  private var failure: CommandError {
    CommandError(
      .failed,
      Words("the measurement '\(name)' got a wrong result.", zh: "测量“\(name)”得到了错误的结果。")
    )
  }
}

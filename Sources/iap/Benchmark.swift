/// One thing that is measured: how often it can be done in a second, or how long one takes in the
/// middle of many.
struct Benchmark: Sendable {
  /// What a load on a server found.
  struct Load: Sendable {
    /// How many were answered in a second, in each of several rounds.
    var rates: [Double]
    /// How long each answer took, in seconds.
    var latencies: [Double]
    /// How long the processors worked for one of them, in seconds, with the load itself.
    var processor: Double?
  }

  /// How it is measured; every way ends with none when a result was wrong.
  enum Way: Sendable {
    /// Repeated by so many workers at the same time; false when the result is wrong.
    case repeated(workers: Int, @Sendable () async -> Bool)
    /// Times that were taken one by one, in seconds.
    case timed(@Sendable () async -> [Double])
    /// A load of its own, for about so many seconds.
    case load(@Sendable (Double) async -> Load?)
    /// A quantity that is no rate, in its unit.
    case quantity(unit: String, @Sendable () async -> [Double])
  }

  /// A stable word, for JSON.
  let name: String
  /// What is done, for people.
  let title: Words
  /// The name of the measurement that nothing of its kind can beat; its own for a limit.
  let limit: String
  /// The share of the limit that is wanted.
  let target: Double?
  /// How it is measured.
  let way: Way

  init(_ name: String, _ title: Words, limit: String, target: Double? = nil, way: Way) {
    self.name = name
    self.title = title
    self.limit = limit
    self.target = target
    self.way = way
  }

  init(
    _ name: String,
    _ title: Words,
    workers: Int = 1,
    limit: String,
    target: Double? = nil,
    operation: @escaping @Sendable () async -> Bool
  ) {
    self.init(
      name,
      title,
      limit: limit,
      target: target,
      way: .repeated(workers: workers, operation)
    )
  }

  init(
    _ name: String,
    _ title: Words,
    limit: String,
    target: Double? = nil,
    samples: @escaping @Sendable () async -> [Double]
  ) {
    self.init(name, title, limit: limit, target: target, way: .timed(samples))
  }

  /// What a measurement found.
  struct Result: Sendable {
    let name: String
    let title: Words
    let limit: String
    let target: Double?
    /// How often in a second, or the quantity: the median.
    let median: Double
    /// The lower and the upper quartile.
    let quartiles: ClosedRange<Double>
    /// The unit of a quantity; nil for a rate.
    var unit: String?
    /// The time that 99 of 100 answers did not exceed, in seconds.
    var p99: Double?
    /// How long the processors worked for one, all threads together, in seconds.
    var processor: Double?

    /// How far the quartiles lie apart, by the median.
    var spread: Double { (quartiles.upperBound - quartiles.lowerBound) / median }
  }

  /// How many rounds the seconds of a measurement are parted into.
  static let roundCount = 5

  /// Measures for about so many seconds.
  ///
  /// - Parameter seconds: How long to measure.
  /// - Returns: The median and the quartiles.
  /// - Throws: ``CommandError`` when the operation answers that its result is wrong.
  func measure(seconds: Double) async throws(CommandError) -> Result {
    switch way {
    case .timed(let samples):
      return try result(await samples().map { 1 / $0 })
    case .quantity(let unit, let samples):
      var result = try result(await samples())
      result.unit = unit
      return result
    case .load(let load):
      guard let found = await load(seconds), !found.latencies.isEmpty else { throw failure }
      let sorted = found.latencies.sorted()
      var result = try result(found.rates)
      result.p99 = sorted[min(sorted.count * 99 / 100, sorted.count - 1)]
      result.processor = found.processor
      return result
    case .repeated(let workers, let operation):
      // Warms caches, and shows that the thing works before it is timed.
      guard await operation() else { throw failure }
      var rates: [Double] = []
      var count = 0
      let processor = ProcessorTime()
      for _ in 0..<Self.roundCount {
        let seconds = seconds / Double(Self.roundCount)
        let (rate, done) = try await rate(workers: workers, seconds, operation)
        rates.append(rate)
        count += done
      }
      var result = try result(rates)
      result.processor = processor.seconds / Double(count)
      return result
    }
  }

  private func rate(
    workers: Int,
    _ seconds: Double,
    _ operation: @escaping @Sendable () async -> Bool
  ) async throws(CommandError) -> (rate: Double, count: Int) {
    let batch = 8
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
    let count = counts.compactMap { $0 }.reduce(0, +)
    return (Double(count) / passed, count)
  }

  private func result(_ samples: [Double]) throws(CommandError) -> Result {
    let sorted = samples.sorted()
    guard !sorted.isEmpty else { throw failure }
    let lower = sorted[sorted.count / 4]
    let upper = sorted[min(sorted.count * 3 / 4, sorted.count - 1)]
    return Result(
      name: name,
      title: title,
      limit: limit,
      target: target,
      median: sorted[sorted.count / 2],
      quartiles: lower...upper
    )
  }

  private var failure: CommandError {
    CommandError(
      .failed,
      Words("the measurement '\(name)' got a wrong result.", zh: "测量“\(name)”得到了错误的结果。")
    )
  }
}

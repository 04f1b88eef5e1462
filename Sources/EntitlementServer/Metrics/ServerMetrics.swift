import Synchronization

/// Counts what the server does, and writes it down for Prometheus.
///
/// Label values are words of our own and of Apple's signed data, never of unverified requests.
final class ServerMetrics: Sendable {
  /// What is counted.
  struct Counter: ServerMetric {
    let name: String
    let help: String
  }

  /// What is measured often, and how it is spread.
  struct Histogram: ServerMetric {
    let name: String
    let help: String
    /// The upper ends of the buckets, ascending.
    let bounds: [Double]
  }

  /// What has a value at each instant.
  struct Gauge: ServerMetric {
    let name: String
    let help: String
  }

  /// The value of a gauge.
  struct Reading: Hashable, Sendable {
    let gauge: Gauge
    let labels: [Label]
    let value: Int

    init(_ gauge: Gauge, _ value: Int, _ labels: KeyValuePairs<String, String> = [:]) {
      self.gauge = gauge
      self.labels = labels.map { Label(name: $0.key, value: $0.value) }
      self.value = value
    }
  }

  struct Label: Hashable, Sendable {
    let name: String
    let value: String
  }

  private struct Series<Metric: ServerMetric>: Hashable {
    let metric: Metric
    let labels: [Label]
  }

  private struct Spread {
    var buckets: [Int]
    var sum = 0.0
    var count = 0

    init(_ histogram: Histogram) { buckets = [Int](repeating: 0, count: histogram.bounds.count) }

    mutating func add(_ value: Double, _ bounds: [Double]) {
      sum += value
      count += 1
      for (index, bound) in bounds.enumerated() where value <= bound { buckets[index] += 1 }
    }
  }

  private struct State {
    var counts: [Series<Counter>: Int] = [:]
    var spreads: [Series<Histogram>: Spread] = [:]
    var readings: [Series<Gauge>: Int] = [:]
    var inFlight: [Gauge: Int] = [:]
    var lastWork: Duration?
  }

  /// How many different series are kept; further ones are counted as `other`.
  static let seriesMax = 1000

  private let state = Mutex(State())

  /// Counts one more.
  func count(_ counter: Counter, _ labels: KeyValuePairs<String, String> = [:], by amount: Int = 1)
  {
    let named = labels.map { Label(name: $0.key, value: $0.value) }
    state.withLock { state in
      let series = Series(metric: counter, labels: named)
      if let index = state.counts.index(forKey: series) {
        state.counts.values[index] += amount
      } else if state.counts.count >= Self.seriesMax {
        state.counts[Series(metric: counter, labels: Self.other(named)), default: 0] += amount
      } else {
        state.counts[series] = amount
      }
    }
  }

  /// Notes how long something took.
  func observe(
    _ histogram: Histogram,
    _ duration: Duration,
    _ labels: KeyValuePairs<String, String> = [:]
  ) {
    let parts = duration.components
    observe(histogram, seconds: Double(parts.seconds) + Double(parts.attoseconds) / 1e18, labels)
  }

  /// Notes a number of seconds.
  func observe(
    _ histogram: Histogram,
    seconds: Double,
    _ labels: KeyValuePairs<String, String> = [:]
  ) {
    let named = labels.map { Label(name: $0.key, value: $0.value) }
    state.withLock { state in
      var series = Series(metric: histogram, labels: named)
      if let index = state.spreads.index(forKey: series) {
        state.spreads.values[index].add(seconds, histogram.bounds)
        return
      }
      if state.spreads.count >= Self.seriesMax {
        series = Series(metric: histogram, labels: Self.other(named))
      }
      state.spreads[series, default: Spread(histogram)].add(seconds, histogram.bounds)
    }
  }

  private static func other(_ labels: [Label]) -> [Label] {
    labels.map { Label(name: $0.name, value: "other") }
  }

  /// Sets a gauge that stays until it is set again.
  func set(_ reading: Reading) {
    state.withLock {
      $0.readings[Series(metric: reading.gauge, labels: reading.labels)] = reading.value
    }
  }

  /// What was set of a gauge, with its labels.
  func readings(of gauge: Gauge) -> [(labels: [Label], value: Int)] {
    state.withLock { state in
      state.readings.filter { $0.key.metric == gauge }.map { ($0.key.labels, $0.value) }
    }
  }

  /// Notes that something began, or with -1 that it ended.
  func enter(_ gauge: Gauge, _ change: Int = 1) {
    state.withLock { $0.inFlight[gauge, default: 0] += change }
  }

  /// Notes that the work beside answering was looked at.
  func worked(at uptime: Duration) { state.withLock { $0.lastWork = uptime } }

  /// How long ago that was; nil when it was never.
  func workAge(at uptime: Duration) -> Duration? {
    state.withLock { state in state.lastWork.map { uptime - $0 } }
  }

  /// Everything in Prometheus' text form; what never happened is there as well.
  ///
  /// - Parameter readings: Gauges that were looked up for this page.
  /// - Returns: The page.
  func text(_ readings: [Reading]) -> String {
    let state = state.withLock { $0 }
    var lines: [String] = []
    for counter in Self.counters {
      lines += Self.head(counter.name, counter.help, "counter")
      let rows = state.counts.filter { $0.key.metric == counter }.map { series, count in
        "\(counter.name)\(Self.braces(series.labels)) \(count)"
      }
      lines += rows.sorted()
    }
    for histogram in Self.histograms {
      lines += Self.head(histogram.name, histogram.help, "histogram")
      let spreads = state.spreads.filter { $0.key.metric == histogram }
        .sorted { Self.braces($0.key.labels) < Self.braces($1.key.labels) }
      for (series, spread) in spreads { lines += Self.rows(histogram, series.labels, spread) }
    }
    let set = state.readings.map { Self.row($0.key.metric, $0.key.labels, $0.value) }
    let flying = state.inFlight.map { Self.row($0.key, [], $0.value) }
    let given = readings.map { Self.row($0.gauge, $0.labels, $0.value) }
    for gauge in Self.gauges {
      lines += Self.head(gauge.name, gauge.help, "gauge")
      lines += (set + flying + given).filter { $0.gauge == gauge }.map(\.text).sorted()
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func head(_ name: String, _ help: String, _ type: String) -> [String] {
    ["# HELP \(name) \(help)", "# TYPE \(name) \(type)"]
  }

  private static func row(
    _ gauge: Gauge,
    _ labels: [Label],
    _ value: Int
  ) -> (gauge: Gauge, text: String) {
    (gauge, "\(gauge.name)\(braces(labels)) \(value)")
  }

  private static func rows(
    _ histogram: Histogram,
    _ labels: [Label],
    _ spread: Spread
  ) -> [String] {
    let name = histogram.name
    var rows = zip(histogram.bounds, spread.buckets).map { bound, count in
      "\(name)_bucket\(braces(labels + [Label(name: "le", value: "\(bound)")])) \(count)"
    }
    rows.append(
      "\(name)_bucket\(braces(labels + [Label(name: "le", value: "+Inf")])) \(spread.count)"
    )
    rows.append("\(name)_sum\(braces(labels)) \(spread.sum)")
    rows.append("\(name)_count\(braces(labels)) \(spread.count)")
    return rows
  }

  private static func braces(_ labels: [Label]) -> String {
    guard !labels.isEmpty else { return "" }
    let inner = labels.map { label in
      let value = label.value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        .replacing("\n", with: "\\n")
      return "\(label.name)=\"\(value)\""
    }
    return "{\(inner.joined(separator: ","))}"
  }
}

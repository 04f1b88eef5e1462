import Synchronization

/// Counts what the server does, and writes it down for Prometheus.
///
/// Label values are words of our own and of Apple's signed data, never of unverified requests.
final class ServerMetrics: Sendable {
  /// What is counted.
  struct Counter: Hashable, Sendable {
    let name: String
    let help: String

    static let requests = Counter(name: "iap_http_requests_total", help: "Requests answered.")
    static let verdicts = Counter(name: "iap_verdicts_total", help: "Verdicts on evidence.")
    static let failures = Counter(
      name: "iap_rule_failures_total",
      help: "Rules that signed data did not follow."
    )
    static let notifications = Counter(
      name: "iap_notifications_total",
      help: "Notifications recorded, or known already."
    )
    static let entries = Counter(
      name: "iap_unit_entries_total",
      help: "Grants, clawbacks and regrants that took effect."
    )
    static let offers = Counter(name: "iap_offers_signed_total", help: "Offers signed.")
    static let reviews = Counter(
      name: "iap_reviews_total",
      help: "Cases that were reported or decided."
    )
    static let errors = Counter(name: "iap_errors_total", help: "Requests that ended in an error.")
  }

  private struct Series: Hashable {
    let counter: Counter
    let labels: [Label]
  }

  struct Label: Hashable, Sendable {
    let name: String
    let value: String
  }

  private struct State {
    var counts: [Series: Int] = [:]
    var buckets = [Int](repeating: 0, count: boundsSeconds.count)
    var secondsSum = 0.0
    var secondsCount = 0
  }

  /// The upper ends of the buckets of durations, in seconds.
  static let boundsSeconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5]
  /// How many different series are kept; further ones are counted as `other`.
  static let seriesMax = 1000

  private let state = Mutex(State())

  /// Counts one more.
  func count(_ counter: Counter, _ labels: KeyValuePairs<String, String> = [:], by amount: Int = 1)
  {
    let named = labels.map { Label(name: $0.key, value: $0.value) }
    state.withLock { state in
      let series = Series(counter: counter, labels: named)
      if state.counts[series] == nil, state.counts.count >= Self.seriesMax {
        let other = named.map { Label(name: $0.name, value: "other") }
        state.counts[Series(counter: counter, labels: other), default: 0] += amount
      } else {
        state.counts[series, default: 0] += amount
      }
    }
  }

  /// Notes how long a request took.
  func observe(_ duration: Duration) {
    let seconds =
      Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18
    state.withLock { state in
      state.secondsSum += seconds
      state.secondsCount += 1
      for (index, bound) in Self.boundsSeconds.enumerated() where seconds <= bound {
        state.buckets[index] += 1
      }
    }
  }

  /// The counters in Prometheus' text form, with `gauges` behind them.
  func text(gauges: [(name: String, help: String, value: Int)]) -> String {
    let state = state.withLock { $0 }
    var lines: [String] = []
    let byCounter = Dictionary(grouping: state.counts) { $0.key.counter }
    for counter in byCounter.keys.sorted(by: { $0.name < $1.name }) {
      lines.append("# HELP \(counter.name) \(counter.help)")
      lines.append("# TYPE \(counter.name) counter")
      let rows = (byCounter[counter] ?? []).map { series, count in
        "\(counter.name)\(Self.braces(series.labels)) \(count)"
      }
      lines += rows.sorted()
    }
    let name = "iap_http_request_seconds"
    lines.append("# HELP \(name) How long requests took.")
    lines.append("# TYPE \(name) histogram")
    for (bound, count) in zip(Self.boundsSeconds, state.buckets) {
      lines.append("\(name)_bucket{le=\"\(bound)\"} \(count)")
    }
    lines.append("\(name)_bucket{le=\"+Inf\"} \(state.secondsCount)")
    lines.append("\(name)_sum \(state.secondsSum)")
    lines.append("\(name)_count \(state.secondsCount)")
    for gauge in gauges {
      lines.append("# HELP \(gauge.name) \(gauge.help)")
      lines.append("# TYPE \(gauge.name) gauge")
      lines.append("\(gauge.name) \(gauge.value)")
    }
    return lines.joined(separator: "\n") + "\n"
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

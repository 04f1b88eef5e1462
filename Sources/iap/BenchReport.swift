import Foundation
import IAPModel

/// The table of `iap bench`, for people and as JSON.
struct BenchReport {
  /// What was measured so far; limits stand before what is compared with them.
  private(set) var results: [Benchmark.Result] = []
  let language: Language

  init(language: Language) { self.language = language }

  /// The line above the others.
  var heading: String {
    language == .english
      ? row("median", "spread", "of limit", "wanted", "p99", "processor", "what")
      : row("中位数", "离散度", "占上限", "目标", "p99", "处理器", "项目")
  }

  /// Takes a result and makes its line.
  mutating func add(_ result: Benchmark.Result) -> String {
    results.append(result)
    return line(result)
  }

  private func line(_ result: Benchmark.Result) -> String {
    row(
      Self.median(result),
      String(format: "%.0f %%", 100 * result.spread),
      share(result).map { String(format: "%.0f %%", 100 * $0) } ?? "",
      result.target.map { String(format: ">= %.0f %%", 100 * $0) } ?? "",
      result.p99.map { String(format: "%.1f ms", 1_000 * $0) } ?? "",
      result.processor.map { String(format: "%.0f us", 1_000_000 * $0) } ?? "",
      result.title(language)
    )
  }

  private static func median(_ result: Benchmark.Result) -> String {
    if let unit = result.unit { return String(format: "%.0f %@", result.median, unit as NSString) }
    if result.median < 10 { return String(format: "%.1f ms", 1_000 / result.median) }
    return String(format: "%.0f/s", result.median)
  }

  /// The part of its limit that a result reaches.
  private func share(_ result: Benchmark.Result) -> Double? {
    results.first { $0.name == result.limit }.map { result.median / $0.median }
  }

  private func row(_ cells: String...) -> String {
    let widths = [12, 8, 10, 9, 10, 11]
    let right = zip(cells, widths).map { text, width in
      String(repeating: " ", count: max(width - text.count, 0)) + text
    }
    return right.joined() + "  " + (cells.last ?? "")
  }

  /// One object with every figure.
  func json(isOptimised: Bool) -> String {
    let list = results.map { result -> JSONValue in
      var object: JSONObject = [
        "name": .string(result.name), "limit": .string(result.limit),
        "median": number(result.median), "lowerQuartile": number(result.quartiles.lowerBound),
        "upperQuartile": number(result.quartiles.upperBound),
        "unit": .string(result.unit ?? "1/s"),
      ]
      object["ofLimit"] = share(result).map(number)
      object["wanted"] = result.target.map(number)
      object["p99Milliseconds"] = result.p99.map { number(1_000 * $0) }
      object["processorMicroseconds"] = result.processor.map { number(1_000_000 * $0) }
      return .object(object)
    }
    let object: JSONValue = ["optimised": .bool(isOptimised), "benchmarks": .array(list)]
    return object.serializedText
  }

  /// Three decimals are enough for any of them.
  private func number(_ value: Double) -> JSONValue {
    let text = String(format: "%.3f", value)
    return (try? JSONParser.parse(Array(text.utf8))) ?? .null
  }
}

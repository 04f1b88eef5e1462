import Foundation
import IAPModel

/// `iap bench`: how fast what exists is, beside the raw limit in the same run.
enum BenchCommand: Command {
  static var name: String { "bench" }

  static var summary: Words {
    Words(
      "Measures verification and storage beside the raw limits of this machine.",
      zh: "测量验证与存储的速度，并与本机的原始上限对比。"
    )
  }

  static var details: Words {
    Words(
      """
      Each line is a rate: how often it was done in a second, how long one took, and the rate in
      percent of the raw limit above it, from the same run. Compare percentages, not machines.
      """,
      zh: "每行是一个速率：每秒次数、单次耗时，以及相对于同一次运行中上方原始上限的百分比。"
    )
  }

  static var options: [CommandOption] {
    [
      .value(
        "seconds",
        "N",
        Words("How long each measurement takes; 1 unless given.", zh: "每项测量的时长，默认 1 秒。")
      ),
      .repeated(
        "only",
        "NAME",
        Words("Measures this alone, by the name in the JSON.", zh: "只测量指定项目（JSON 中的名称）。")
      ),
      .flag("json", Words("Prints one JSON object instead of lines.", zh: "以 JSON 输出。")),
    ]
  }

  static func run(
    _ arguments: CommandArguments,
    console: Console
  ) async throws(CommandError) -> ExitStatus {
    let seconds = try arguments.number("seconds") ?? 1
    guard seconds > 0, seconds <= secondsMax else {
      throw .usage(
        Words(
          "--seconds needs a number above 0, at most \(Int(secondsMax)).",
          zh: "--seconds 需要大于 0 且不超过 \(Int(secondsMax)) 的数字。"
        )
      )
    }
    let isJSON = arguments.flag("json")
    if !isOptimised {
      console.errorLine(
        Words(
          "This build is not optimised: its numbers say nothing. 'make bench' builds another.",
          zh: "当前为未优化的构建，数字没有意义。请使用“make bench”。"
        )
      )
    }
    var results: [Benchmark.Result] = []
    let suite = try BenchmarkSuite.make(now: console.now())
    defer { suite.cleanUp() }
    for benchmark in try chosen(arguments.values("only"), of: suite.benchmarks) {
      let result = try await benchmark.measure(seconds: seconds)
      results.append(result)
      if !isJSON { console.line(verbatim: line(result, among: results, console.language)) }
    }
    if isJSON { console.line(verbatim: json(results)) }
    return .success
  }

  private static func chosen(
    _ names: [String],
    of all: [Benchmark]
  ) throws(CommandError) -> [Benchmark] {
    let known = all.map(\.name)
    if let unknown = names.first(where: { !known.contains($0) }) {
      let list = known.joined(separator: ", ")
      throw .usage(
        Words(
          "There is no measurement '\(unknown)'; there are \(list).",
          zh: "没有名为“\(unknown)”的测量；可用：\(list)。"
        )
      )
    }
    return names.isEmpty ? all : all.filter { names.contains($0.name) }
  }

  private static let secondsMax = 600.0

  private static var isOptimised: Bool {
    #if DEBUG
    false
    #else
    true
    #endif
  }

  private static func line(
    _ result: Benchmark.Result,
    among results: [Benchmark.Result],
    _ language: Language
  ) -> String {
    let rate = padded(String(format: "%.0f/s", result.perSecond), 12)
    let time = padded(String(format: "%.1f us", result.microseconds), 12)
    let limit = results.first { $0.name == result.limit }?.perSecond
    let percent = limit.map { String(format: "%.0f %%", 100 * result.perSecond / $0) } ?? ""
    let share = padded(percent, 8)
    return "\(rate)\(time)\(share)  \(result.title(language))"
  }

  private static func padded(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(width - text.count, 0)) + text
  }

  private static func json(_ results: [Benchmark.Result]) -> String {
    let list = results.map { result -> JSONValue in
      [
        "name": .string(result.name), "perSecond": .integer(Int64(result.perSecond.rounded())),
        "nanoseconds": .integer(Int64((result.microseconds * 1_000).rounded())),
      ]
    }
    let object: JSONValue = ["optimised": .bool(isOptimised), "benchmarks": .array(list)]
    return object.serializedText
  }
}

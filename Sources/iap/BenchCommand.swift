import Foundation
import IAPModel

/// `iap bench`: how fast what exists is, beside the raw limit in the same run.
enum BenchCommand: Command {
  static var name: String { "bench" }

  static var summary: Words {
    Words(
      "Measures verification, server and storage beside the raw limits of this machine.",
      zh: "测量验证、服务器与存储的速度，并与本机的原始上限对比。"
    )
  }

  static var details: Words {
    Words(
      """
      Each line is a rate, the median of several rounds: how often it was done in a second; how far
      the quartiles lie apart; and the rate in percent of the raw limit above it, from the same run,
      beside what is wanted. Compare percentages, not machines.
      """,
      zh: "每行是多轮测量的中位速率：每秒次数、四分位离散度、相对于同一次运行中上方原始上限的百分比与目标。"
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
      .value(
        "output",
        "FILE",
        Words("Also writes the JSON object to a file.", zh: "同时将 JSON 写入文件。")
      ),
      .flag(
        "big",
        Words("Fills a ledger with 10,000,000 facts as well.", zh: "另外以一千万条事实填充账本。")
      ),
      .value(
        "inputs",
        "FOLDER",
        Words(
          "Writes the signed texts that are verified to a folder, and measures nothing.",
          zh: "将用于验证的签名文本写入文件夹，不进行测量。"
        )
      ),
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
    if let folder = arguments.value("inputs") {
      try BenchmarkInputs.write(to: URL(fileURLWithPath: folder), now: console.now())
      return .success
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
    let suite = try BenchmarkSuite.make(
      now: console.now(),
      isBig: arguments.flag("big"),
      database: console.environment["IAP_POSTGRES_URL"]
    )
    defer { suite.cleanUp() }
    var report = BenchReport(language: console.language)
    let benchmarks = try chosen(arguments.values("only"), of: suite.benchmarks)
    if !isJSON { console.line(verbatim: report.heading) }
    for benchmark in benchmarks {
      let line = report.add(try await benchmark.measure(seconds: seconds))
      if !isJSON { console.line(verbatim: line) }
    }
    let json = report.json(isOptimised: isOptimised)
    if isJSON { console.line(verbatim: json) }
    if let path = arguments.value("output") { try write(json, to: path) }
    return .success
  }

  private static func write(_ json: String, to path: String) throws(CommandError) {
    do {
      try Data((json + "\n").utf8).write(to: URL(fileURLWithPath: path))
    } catch {
      throw CommandError(
        .file,
        Words("'\(path)' cannot be written: \(error)", zh: "无法写入“\(path)”：\(error)")
      )
    }
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
}

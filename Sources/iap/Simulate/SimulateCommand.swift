import Foundation
import IAPModel
import Simulation
import Synchronization

/// `iap simulate`: seeded runs of apps, servers and the store, with faults.
enum SimulateCommand: Command {
  static let name = "simulate"
  static let summary = Words(
    "Runs apps, servers and the store with faults, and proves that no order is lost or doubled.",
    zh: "在各种故障下运行 App、服务器与商店，证明没有订单丢失或重复发放。"
  )
  static let details = Words(
    """
    Each run is a function of its seed: who takes part, what they do, what goes wrong, and in which
    order the jobs of all processes are run. After the faults have stopped everything has to
    settle; then checkers compare shelves, ledger, access and balances with the store's books.
    A run that fails is told at once, with its seed and what was found. At the end, or at Ctrl-C,
    come the fewest steps that still fail with the command that replays them, and a table. Without
    --seed the seeds are drawn anew.

    Exit status: 0 every run is clean, 1 a rule was broken, 2 the call cannot be used.
    """,
    zh: """
      每次运行完全由种子决定：参与者、操作、故障以及所有进程任务的执行顺序。
      故障停止后一切必须恢复，随后检查器将货架、账本、权限与余额同商店的账目比对。
      失败的运行会立即打印种子和发现的问题；结束或按 Ctrl-C 时打印仍能复现的最短步骤、
      重放命令与汇总表。未给出 --seed 时随机选取种子。

      退出状态：0 全部通过，1 有规则被破坏，2 调用有误。
      """
  )
  #if PLANTED_BUGS
  static let options =
    usualOptions + [
      .value(
        "planted",
        "NAME",
        Words("Looks for a known mistake, or for all.", zh: "查找已知的植入错误，或 all。")
      )
    ]
  #else
  static let options = usualOptions
  #endif
  private static let usualOptions: [CommandOption] = [
    .value("seed", "N", Words("The first seed.", zh: "第一个种子。")),
    .value("runs", "N", Words("How many seeds, one after another.", zh: "连续运行多少个种子。")),
    .value(
      "for",
      "SECONDS",
      Words("For how long, in the place of --runs.", zh: "运行时长（秒），代替 --runs。")
    ),
    .value("jobs", "N", Words("How many processes at once.", zh: "同时运行的进程数。")),
    .value(
      "profile",
      "NAME",
      Words(
        "What the runs are about: " + RunProfile.allCases.map(\.rawValue).joined(separator: ", ")
          + ".",
        zh: "运行的侧重：" + RunProfile.allCases.map(\.rawValue).joined(separator: "、") + "。"
      )
    ),
    .value(
      "signatures",
      "NAME",
      Words(
        "quick (one digest each; usual) or real (ECDSA and RSA).",
        zh: "quick（每个签名一次摘要，默认）或 real（ECDSA 与 RSA）。"
      )
    ),
    .value(
      "keep",
      "LIST",
      Words("Only these steps of the plan, as 1,4,7.", zh: "只保留这些步骤，如 1,4,7。")
    ),
    .flag("trace", Words("Prints all that happens in one run.", zh: "打印一次运行的全部过程。")),
    .jsonFlag,
  ]

  static func run(
    _ arguments: CommandArguments,
    console: Console
  ) async throws(CommandError) -> ExitStatus {
    let settings = try settings(arguments)
    #if PLANTED_BUGS
    if let name = arguments.value("planted") {
      let planted = PlantedCampaign(
        scheme: settings.scheme,
        console: console,
        writesJSON: arguments.flag("json")
      )
      return try await planted.run(name) ? .success : .failure
    }
    #endif
    if arguments.flag("trace") || arguments.value("keep") != nil {
      return try await single(settings, arguments, console)
    }
    return await CampaignConsole(
      settings: settings,
      console: console,
      writesJSON: arguments.flag("json")
    ).run()
  }

  private static func settings(
    _ arguments: CommandArguments
  ) throws(CommandError) -> SimulationCampaign.Settings {
    let seed = try arguments.parsed("seed", "a number", zh: "数字") { UInt64($0) }
    let runs = try arguments.integer("runs", in: 1...100_000_000)
    let seconds = try arguments.number("for")
    let profile = try arguments.parsed("profile", "a profile", zh: "侧重名称") {
      RunProfile(rawValue: $0)
    }
    let scheme = try arguments.parsed("signatures", "quick or real", zh: "quick 或 real") {
      SimulationProcess.Scheme(rawValue: $0)
    }
    return SimulationCampaign.Settings(
      seed: seed ?? FreshSeed.live(),
      runs: runs.map { Int($0) } ?? (seconds == nil ? 100 : nil),
      seconds: seconds,
      jobs: try arguments.integer("jobs", in: 1...64).map { Int($0) } ?? ProcessorCount.live,
      profile: profile ?? .standard,
      scheme: scheme ?? .quick
    )
  }

  /// One run, as a person reads it.
  private static func single(
    _ settings: SimulationCampaign.Settings,
    _ arguments: CommandArguments,
    _ console: Console
  ) async throws(CommandError) -> ExitStatus {
    let kept = arguments.value("keep").map { text in
      Set(text.split(separator: ",").compactMap { Int($0) })
    }
    let order = settings.order(settings.seed) { task in
      task.runs = settings.runs ?? 1
      task.kept = kept
      task.traces = arguments.flag("trace")
    }
    let writesJSON = arguments.flag("json")
    let tally = Mutex(CampaignTally())
    let lines = Mutex<[String]>([])
    let end = await SimulationChild.run(
      order,
      patienceSeconds: SimulationCampaign.runSecondsMax
    ) { line in
      let (isReport, failure) = tally.withLock { $0.add(line) }
      if let failure {
        if !writesJSON { console.line(verbatim: "\(failure.rule): \(failure.text)") }
      } else if !isReport, line.hasPrefix("| ") {
        let text = String(line.dropFirst(2))
        if writesJSON { lines.withLock { $0.append(text) } } else { console.line(verbatim: text) }
      }
    }
    let result = tally.withLock { $0 }
    if writesJSON {
      var object = result.json(settings)
      object["lines"] = .array(lines.withLock { $0 }.map { .string($0) })
      console.json(object)
    }
    return end == .exited(0) && result.failures.isEmpty && result.runs > 0 ? .success : .failure
  }
}

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
    A run that fails prints its seed, what was found, the fewest steps that still fail, and the
    command that replays them. Without --seed the seeds are drawn anew.

    Exit status: 0 every run is clean, 1 a rule was broken, 2 the call cannot be used.
    """,
    zh: """
      每次运行完全由种子决定：参与者、操作、故障以及所有进程任务的执行顺序。
      故障停止后一切必须恢复，随后检查器将货架、账本、权限与余额同商店的账目比对。
      失败的运行会打印种子、发现的问题、仍能复现的最短步骤以及重放命令。
      未给出 --seed 时随机选取种子。

      退出状态：0 全部通过，1 有规则被破坏，2 调用有误。
      """
  )
  static let options: [CommandOption] = [
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
  ]

  static func run(
    _ arguments: CommandArguments,
    console: Console
  ) async throws(CommandError) -> ExitStatus {
    let settings = try settings(arguments)
    if arguments.flag("trace") || arguments.value("keep") != nil {
      return try await single(settings, arguments, console)
    }
    console.line(verbatim: header(settings))
    let lastPrinted = Mutex(0.0)
    let campaign = SimulationCampaign(settings)
    let (tally, seconds) = await campaign.run { tally, seconds in
      let isDue = lastPrinted.withLock { last in
        guard seconds - last >= 5 else { return false }
        last = seconds
        return true
      }
      guard isDue else { return }
      let rate = Int(Double(tally.runs) / seconds)
      console.line(
        Words(
          "\(tally.runs) runs, \(tally.orders) orders, \(rate) runs a second, "
            + "\(tally.failures.count) failed",
          zh: "\(tally.runs) 次运行，\(tally.orders) 个订单，每秒 \(rate) 次，\(tally.failures.count) 次失败"
        )
      )
    }
    for failure in tally.failures.prefix(failuresShownMax) {
      await show(failure, settings, console)
    }
    CampaignTable(tally: tally, seconds: seconds).write(to: console)
    return tally.failures.isEmpty ? .success : .failure
  }

  /// How many failures are made shorter and shown; the table has them all.
  static let failuresShownMax = 3

  private static func header(_ settings: SimulationCampaign.Settings) -> String {
    "seed \(settings.seed), profile \(settings.profile.rawValue), signatures "
      + "\(settings.scheme.rawValue), \(settings.jobs) processes"
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

  private static func order(
    _ seed: UInt64,
    _ settings: SimulationCampaign.Settings,
    _ change: (inout SimulationWorker.Task) -> Void
  ) -> SimulationProcess.Order {
    var task = SimulationWorker.Task(seed: seed)
    task.profile = settings.profile
    change(&task)
    return SimulationProcess.Order(task, scheme: settings.scheme, bug: settings.bug)
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
    let order = order(settings.seed, settings) { task in
      task.runs = settings.runs ?? 1
      task.kept = kept
      task.traces = arguments.flag("trace")
    }
    let tally = Mutex(CampaignTally())
    let status = await SimulationChild.run(order) { line in
      if tally.withLock({ $0.add(line) }) {
        let last = tally.withLock { $0.failures.last }
        if let last { console.line(verbatim: "\(last.rule): \(last.text)") }
      } else if line.hasPrefix("| ") {
        console.line(verbatim: String(line.dropFirst(2)))
      }
    }
    let isClean = tally.withLock { $0.failures.isEmpty && $0.runs > 0 }
    return status == 0 && isClean ? .success : .failure
  }

  /// A failure with the fewest steps that still fail, and the command that replays them.
  private static func show(
    _ failure: CampaignTally.Failure,
    _ settings: SimulationCampaign.Settings,
    _ console: Console
  ) async {
    let place = failure.step.map { ", step \($0)" } ?? ""
    console.line(verbatim: "seed \(failure.seed)\(place): \(failure.rule): \(failure.text)")
    let order = order(failure.seed, settings) { $0.shrinks = true }
    let steps = Mutex<[String]>([])
    _ = await SimulationChild.run(order) { line in
      guard line.hasPrefix("# ") else { return }
      console.line(verbatim: "  " + line.dropFirst(2))
      if let number = line.dropFirst(2).split(separator: " ").first {
        steps.withLock { $0.append(String(number)) }
      }
    }
    let kept = steps.withLock { $0.joined(separator: ",") }
    console.line(
      verbatim: "  iap simulate --seed \(failure.seed) --runs 1 --profile "
        + "\(settings.profile.rawValue) --signatures \(settings.scheme.rawValue)"
        + (kept.isEmpty ? "" : " --keep \(kept)") + " --trace"
    )
  }
}

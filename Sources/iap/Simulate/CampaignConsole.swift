import IAPModel
import Simulation
import Synchronization

/// A campaign, as a person follows it: progress, each failure when it is found, and the table.
struct CampaignConsole {
  /// How many failures are made shorter and shown again; the table has them all.
  static let failuresShownMax = 3
  /// How many seconds lie between two lines of progress, at first and after ten minutes.
  static let progressSeconds = (first: 5.0, later: 60.0)
  /// How many seconds making a failure shorter may take: so many runs are not shown one by one.
  static let shrinkSecondsMax = 600

  let settings: SimulationCampaign.Settings
  let console: Console
  /// Whether one JSON object at the end takes the place of all lines.
  var writesJSON = false

  /// Makes all runs and shows what came of them; an interruption ends it early.
  func run() async -> ExitStatus {
    say(header)
    say(RunPlan.size(of: settings.profile))
    let campaign = SimulationCampaign(settings)
    let places = Task { [profile = settings.profile] in SimulationPlaces(profile) }
    let lastPrinted = Mutex(0.0)
    let isInterrupted = Mutex(false)
    let work = Task {
      await campaign.run(
        found: { say(Self.text(of: $0)) },
        progress: { tally, seconds in
          let pause = seconds < 600 ? Self.progressSeconds.first : Self.progressSeconds.later
          let isDue = lastPrinted.withLock { last in
            guard seconds - last >= pause else { return false }
            last = seconds
            return true
          }
          if isDue { showProgress(tally, seconds) }
        }
      )
    }
    let watch = Task {
      await console.interruption().wait()
      guard !Task.isCancelled else { return }
      isInterrupted.withLock { $0 = true }
      work.cancel()
    }
    let (tally, seconds) = await work.value
    watch.cancel()
    var replays: [UInt64: String] = [:]
    if !isInterrupted.withLock({ $0 }) {
      for failure in tally.failures.prefix(Self.failuresShownMax) {
        replays[failure.seed] = await show(failure)
      }
    }
    let table = CampaignTable(
      settings: settings,
      tally: tally,
      seconds: seconds,
      places: await places.value
    )
    if writesJSON { console.json(table.json(replays)) } else { table.write(to: console) }
    return tally.failures.isEmpty ? .success : .failure
  }

  private func say(_ text: String) { if !writesJSON { console.line(verbatim: text) } }

  private var header: String {
    "seed \(settings.seed), profile \(settings.profile.rawValue), signatures "
      + "\(settings.scheme.rawValue), \(settings.jobs) processes"
  }

  private func showProgress(_ tally: CampaignTally, _ seconds: Double) {
    guard !writesJSON else { return }
    let rate = (Double(tally.runs) / seconds * 10).rounded() / 10
    console.line(
      Words(
        "\(Int(seconds)) s: \(tally.runs) runs, \(tally.orders) orders, \(rate) runs a second, "
          + "\(tally.failures.count) failed",
        zh: "\(Int(seconds)) 秒：\(tally.runs) 次运行，\(tally.orders) 个订单，每秒 \(rate) 次，"
          + "\(tally.failures.count) 次失败"
      )
    )
  }

  private static func text(of failure: CampaignTally.Failure) -> String {
    let place = failure.step.map { ", step \($0)" } ?? ""
    return "seed \(failure.seed)\(place): \(failure.rule): \(failure.text)"
  }

  /// Shows a failure with the fewest steps that still fail.
  ///
  /// - Parameter failure: The failure.
  /// - Returns: The command that replays them.
  private func show(_ failure: CampaignTally.Failure) async -> String {
    say(Self.text(of: failure))
    let steps = Mutex<[String]>([])
    // What ends its process, or never settles, cannot be made shorter by that process.
    if failure.rule != "broken", !failure.text.hasPrefix("did not settle") {
      let order = settings.order(failure.seed) { $0.shrinks = true }
      _ = await SimulationChild.run(order, patienceSeconds: Self.shrinkSecondsMax) { line in
        guard line.hasPrefix("# ") else { return }
        say("  " + line.dropFirst(2))
        if let number = line.dropFirst(2).split(separator: " ").first {
          steps.withLock { $0.append(String(number)) }
        }
      }
    }
    let kept = steps.withLock { $0.joined(separator: ",") }
    let command =
      "iap simulate --seed \(failure.seed) --runs 1 --profile "
      + "\(settings.profile.rawValue) --signatures \(settings.scheme.rawValue)"
      + (kept.isEmpty ? "" : " --keep \(kept)") + " --trace"
    say("  " + command)
    return command
  }
}

extension SimulationCampaign.Settings {
  /// What a process is asked for about one seed.
  func order(
    _ seed: UInt64,
    _ change: (inout SimulationWorker.Task) -> Void
  ) -> SimulationProcess.Order {
    var task = SimulationWorker.Task(seed: seed)
    task.profile = profile
    change(&task)
    return SimulationProcess.Order(task, scheme: scheme, bug: bug)
  }
}

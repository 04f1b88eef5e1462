import Simulation

/// What came of a campaign, as a table.
struct CampaignTable {
  /// How many places that were not reached are named.
  static let unreachedShownMax = 20

  let settings: SimulationCampaign.Settings
  let tally: CampaignTally
  let seconds: Double
  let places: SimulationPlaces

  func write(to console: Console) {
    console.line()
    for (words, value) in rows {
      let name = words(console.language)
      console.line(verbatim: name.padded(to: 34) + value)
    }
    for (words, missing) in unreached where !missing.isEmpty {
      let list = missing.sorted().prefix(Self.unreachedShownMax).joined(separator: ", ")
      console.line(verbatim: "\(words(console.language)) (\(missing.count)): \(list)")
    }
    for (reason, names) in places.outOfReach {
      console.line(
        Words("out of reach (\(names.count)): \(reason)", zh: "无法到达（\(names.count)）：\(reason)")
      )
    }
    guard !tally.failures.isEmpty else { return }
    let seeds = tally.failures.prefix(40).map { "\($0.seed) \($0.rule)" }.joined(separator: ", ")
    console.line(Words("failed: \(seeds)", zh: "失败：\(seeds)"))
  }

  private var unreached: [(Words, Set<String>)] {
    [
      (
        Words("not reached, crash points", zh: "未到达的崩溃点"),
        places.crashPoints.subtracting(tally.crashPoints)
      ),
      (
        Words("not reached, cells", zh: "未到达的状态机格"),
        places.cells.subtracting(tally.cells)
      ),
    ]
  }

  private var othersBroken: Int {
    tally.findings.filter { $0.key != "lost" && $0.key != "doubled" }.values.reduce(0, +)
  }

  private var rows: [(Words, String)] {
    let rate = seconds > 0 ? Double(tally.runs) / seconds : 0
    var rows: [(Words, String)] = [
      (Words("runs", zh: "运行次数"), "\(tally.runs)"),
      (Words("seconds", zh: "耗时（秒）"), "\(Int(seconds.rounded()))"),
      (Words("runs a second", zh: "每秒运行"), "\((rate * 10).rounded() / 10)"),
      (Words("orders paid", zh: "已付款订单"), "\(tally.orders)"),
      (Words("effects on shelves", zh: "发放动作"), "\(tally.effects)"),
      (Words("orders set aside", zh: "转人工处理"), "\(tally.setAside)"),
      (Words("lost", zh: "丢失"), "\(tally.findings["lost"] ?? 0)"),
      (Words("doubled", zh: "重复"), "\(tally.findings["doubled"] ?? 0)"),
      (
        Words("other rules broken", zh: "其他违规"),
        "\(othersBroken)"
      ),
      (Words("jobs", zh: "任务数"), "\(tally.jobs)"),
      (Words("days of the store's time", zh: "商店时间（天）"), "\(Int(tally.days))"),
    ]
    for (name, count) in tally.counts.sorted(by: { $0.key < $1.key }) {
      rows.append((Words("  " + name), "\(count)"))
    }
    for (words, reached, existing) in [
      (Words("crash points reached", zh: "到达的崩溃点"), tally.crashPoints, places.crashPoints),
      (Words("machine cells reached", zh: "到达的状态机格"), tally.cells, places.cells),
    ] {
      rows.append((words, "\(reached.intersection(existing).count) of \(existing.count)"))
    }
    return rows
  }
}

extension String {
  /// The text with spaces behind it.
  fileprivate func padded(to width: Int) -> String {
    self + String(repeating: " ", count: max(2, width - count))
  }
}

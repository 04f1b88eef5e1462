#if PLANTED_BUGS
import IAPModel
import Simulation
import Synchronization

/// Switches on one known mistake after the other and looks for it: only builds with `IAP_PLANTED=1`
/// have mistakes to switch on.
///
/// A mistake counts as found at a seed that breaks a rule with it and is clean without it.
struct PlantedCampaign {
  /// How many seeds are tried of one profile before the next one has its turn.
  static let chunkRuns = 40
  /// How many seeds of each profile are tried before a mistake counts as not found.
  static let profileRunsMax = 2000

  let scheme: SimulationProcess.Scheme
  let console: Console
  /// Whether one JSON object at the end takes the place of the table.
  var writesJSON = false

  private struct Find {
    let failure: CampaignTally.Failure
    let profile: RunProfile
    /// How many seeds were tried, this one with them.
    let count: Int
  }

  /// Looks for all of them, or for one.
  ///
  /// - Parameter name: Which; `all` for all.
  /// - Returns: Whether all were found.
  /// - Throws: `CommandError` with code `usage` when there is none of that name.
  func run(_ name: String) async throws(CommandError) -> Bool {
    let bugs = PlantedBug.allCases.filter { name == "all" || $0.rawValue == name }
    guard !bugs.isEmpty else {
      let known = PlantedBug.allCases.map(\.rawValue).joined(separator: ", ")
      throw .usage(Words("There is no '\(name)'; there are \(known).", zh: "可用：\(known)。"))
    }
    row("planted bug", "seeds", "profile", "seed", "broken rule")
    row("---", "---:", "---", "---:", "---")
    var rows: [JSONValue] = []
    var isComplete = true
    for bug in bugs {
      let found = await find(bug)
      isComplete = isComplete && found != nil
      row(
        bug.rawValue,
        found.map { "\($0.count)" } ?? "not found",
        found?.profile.rawValue ?? "",
        found.map { "\($0.failure.seed)" } ?? "",
        found?.failure.rule ?? ""
      )
      rows.append(.object(Self.json(bug, found)))
    }
    if writesJSON { console.json(["all": .bool(isComplete), "bugs": .array(rows)]) }
    return isComplete
  }

  private func row(_ cells: String...) {
    guard !writesJSON else { return }
    console.line(verbatim: "| " + cells.joined(separator: " | ") + " |")
  }

  private static func json(_ bug: PlantedBug, _ found: Find?) -> JSONObject {
    var object: JSONObject = ["bug": .string(bug.rawValue), "found": .bool(found != nil)]
    guard let found else { return object }
    object["seeds"] = .integer(Int64(found.count))
    object["profile"] = .string(found.profile.rawValue)
    object["seed"] = .string("\(found.failure.seed)")
    object["rule"] = .string(found.failure.rule)
    object["text"] = .string(found.failure.text)
    return object
  }

  private func find(_ bug: PlantedBug) async -> Find? {
    let profiles =
      [bug.profile] + [.standard, .storm, .subscriptions, .accounts].filter { $0 != bug.profile }
    var count = 0
    for chunk in 0..<(Self.profileRunsMax / Self.chunkRuns) {
      for profile in profiles {
        let first = UInt64(chunk * Self.chunkRuns + 1)
        let half = Self.chunkRuns / 2
        async let early = failures(from: first, half, profile, bug)
        async let late = failures(from: first + UInt64(half), Self.chunkRuns - half, profile, bug)
        for failure in await early + late
        where await failures(from: failure.seed, 1, profile, nil).isEmpty {
          let tried = count + Int(failure.seed - first) + 1
          return Find(failure: failure, profile: profile, count: tried)
        }
        count += Self.chunkRuns
      }
    }
    return nil
  }

  /// The seeds of a chunk that fail; one that never settles is the last of them.
  private func failures(
    from first: UInt64,
    _ count: Int,
    _ profile: RunProfile,
    _ bug: PlantedBug?
  ) async -> [CampaignTally.Failure] {
    var task = SimulationWorker.Task(seed: first)
    task.runs = count
    task.profile = profile
    let order = SimulationProcess.Order(task, scheme: scheme, bug: bug?.rawValue)
    let tally = Mutex(CampaignTally())
    let end = await SimulationChild.run(
      order,
      patienceSeconds: SimulationCampaign.runSecondsMax
    ) { line in _ = tally.withLock { $0.add(line) } }
    return tally.withLock { tally in
      if tally.runs < count { _ = tally.noteEnd(of: first + UInt64(tally.runs), end) }
      return tally.failures
    }
  }
}

extension PlantedBug {
  /// What the runs are about that are tried first: those in which the mistake can matter most
  /// often.
  fileprivate var profile: RunProfile {
    switch self {
    case .savesWithoutFlush, .ignoresFailedSaves, .dropsFilesWithTornEnds, .namesEffectsByLaunch,
      .acknowledgesBeforeCommit, .acknowledgesFailedWrites, .takesNothingForNoAccess,
      .takesSilenceForRefusal:
      .storm
    case .believesLastArrival, .endsAccessWithOldRefund, .forgetsGrace: .subscriptions
    case .creditsWhoIsSignedIn, .forgetsPendingOrders, .ignoresClaims: .accounts
    case .finishesBeforeSave, .knowsTransactionsOnly, .stopsAtUnverified, .blocksBehindTheFirst:
      .standard
    }
  }
}
#endif

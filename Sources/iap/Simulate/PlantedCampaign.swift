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

  /// Looks for all of them, or for one.
  ///
  /// - Parameter name: Which; nil for all.
  /// - Returns: Whether all were found; nil when there is none of that name.
  func run(_ name: String?) async -> Bool? {
    let bugs = PlantedBug.allCases.filter { name == nil || $0.rawValue == name }
    guard !bugs.isEmpty else { return nil }
    row("planted bug", "seeds", "profile", "seed", "broken rule")
    row("---", "---:", "---", "---:", "---")
    var isComplete = true
    for bug in bugs {
      if let found = await find(bug) {
        let (failure, profile, count) = found
        row(bug.rawValue, "\(count)", profile.rawValue, "\(failure.seed)", failure.rule)
      } else {
        isComplete = false
        row(bug.rawValue, "not found", "", "", "")
      }
    }
    return isComplete
  }

  private func row(_ cells: String...) {
    console.line(verbatim: "| " + cells.joined(separator: " | ") + " |")
  }

  private func find(_ bug: PlantedBug) async -> (CampaignTally.Failure, RunProfile, Int)? {
    let profiles =
      [bug.profile] + [.standard, .storm, .subscriptions, .accounts].filter { $0 != bug.profile }
    var count = 0
    for chunk in 0..<(Self.profileRunsMax / Self.chunkRuns) {
      for profile in profiles {
        let first = UInt64(chunk * Self.chunkRuns + 1)
        for failure in await failures(from: first, Self.chunkRuns, profile, bug)
        where await failures(from: failure.seed, 1, profile, nil).isEmpty {
          return (failure, profile, count + Int(failure.seed - first) + 1)
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

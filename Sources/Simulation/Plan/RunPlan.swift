import AppStoreSimulator

/// What happens in a run before its faults stop, drawn from the seed.
package struct RunPlan: Hashable, Sendable {
  /// How long something waits for its turn.
  package enum Wait: Hashable, Sendable {
    /// Until so many jobs were run since the one before it, or nothing is left to do.
    case jobs(Int)
    /// Until nothing is left to do, and then so many seconds of the store's clock.
    case seconds(Double)
  }

  /// One thing that happens, and when.
  package struct Step: Hashable, Sendable {
    /// Its number in the whole plan, from 1.
    package let number: Int
    /// When.
    package let wait: Wait
    /// What.
    package let action: RunAction
  }

  /// What everything is drawn from.
  package let seed: UInt64
  /// What the run is about.
  package let profile: RunProfile
  /// Who takes part.
  package let cast: Cast
  /// What happens.
  package private(set) var steps: [Step]

  /// Draws the plan of a seed.
  ///
  /// - Parameters:
  ///   - seed: The seed.
  ///   - profile: What the run is about.
  package init(seed: UInt64, profile: RunProfile) {
    var generator = SeededGenerator.of(1, seed: seed)
    self.seed = seed
    self.profile = profile
    var cast = Cast(&generator, profile: profile)
    var chance = SeededGenerator.of(4, seed: seed)
    cast.keepsEvents = chance.percent(12)
    cast.isPatient = chance.percent(80)
    cast.refusesFirst = profile != .calm && chance.percent(10)
    cast.failsToPay = chance.percent(profile == .subscriptions ? 40 : 8)
    self.cast = cast
    let count = generator.number(in: Self.stepCounts(profile))
    var drawing = ActionDrawing(cast: cast, profile: profile, generator: generator)
    steps = (1...count).map { number in
      Step(number: number, wait: drawing.wait(), action: drawing.action())
    }
  }

  /// The same plan with only some of its steps.
  ///
  /// - Parameter numbers: The steps to keep.
  /// - Returns: The plan.
  package func keeping(_ numbers: Set<Int>) -> RunPlan {
    var plan = self
    plan.steps = steps.filter { numbers.contains($0.number) }
    return plan
  }
}

// MARK: The size of a run

extension RunPlan {
  static func stepCounts(_ profile: RunProfile) -> ClosedRange<Int> {
    profile == .calm ? 8...19 : 8...32
  }

  /// How large a run is, in words: what one of a campaign's runs stands for.
  ///
  /// - Parameter profile: What the run is about.
  /// - Returns: One line.
  package static func size(of profile: RunProfile) -> String {
    let (people, steps) = (Cast.customerCounts(profile), stepCounts(profile))
    let month = profile == .subscriptions ? "each" : "every fourth"
    return "a run: \(people.lowerBound)-\(people.upperBound) accounts with 1-"
      + "\(Cast.handsetsMax) telephones each, 1-\(Cast.serversMax) servers on one ledger, "
      + "\(steps.lowerBound)-\(steps.upperBound) steps; then up to "
      + "\(SimulationRun.roundsMax * Int(SimulationRun.roundSeconds) / 86_400) days "
      + "without faults, "
      + "in \(month) run \(SimulationRun.laterSeconds / 86_400) days more"
  }
}

import Simulation
import Testing

@Suite("The plan of a run")
struct RunPlanTests {
  @Test("follows from its seed alone", arguments: RunProfile.allCases)
  func seeded(profile: RunProfile) {
    #expect(RunPlan(seed: 7, profile: profile) == RunPlan(seed: 7, profile: profile))
    #expect(RunPlan(seed: 7, profile: profile) != RunPlan(seed: 8, profile: profile))
  }

  @Test("is as large as is said of it", arguments: RunProfile.allCases)
  func size(profile: RunProfile) {
    let plans = (0..<2000).map { RunPlan(seed: $0, profile: profile) }
    func range(_ value: (RunPlan) -> Int) -> ClosedRange<Int> {
      let values = plans.map(value)
      return (values.min() ?? 0)...(values.max() ?? 0)
    }
    let accounts = range { $0.cast.customers.count }
    let steps = range { $0.steps.count }
    let servers = range { $0.cast.serverCount }
    #expect(
      RunPlan.size(of: profile).hasPrefix(
        "a run: \(accounts.lowerBound)-\(accounts.upperBound) accounts with 1-2 telephones each, "
          + "\(servers.lowerBound)-\(servers.upperBound) servers on one ledger, "
          + "\(steps.lowerBound)-\(steps.upperBound) steps;"
      )
    )
  }

  @Test("keeps the numbers of its steps when others are left out")
  func keeping() {
    let plan = RunPlan(seed: 1, profile: .standard)
    let kept = plan.keeping([2, 5])
    #expect(kept.steps.map(\.number) == [2, 5])
    #expect(kept.steps == plan.steps.filter { [2, 5].contains($0.number) })
    #expect(kept.cast == plan.cast)
  }

  @Test("is shortened to the steps that break the rule, and no further")
  func shrinking() {
    let plan = RunPlan(seed: 3, profile: .standard)
    #expect(plan.steps.count > 6)
    var shrinking = PlanShrinking { plan in
      Set(plan.steps.map(\.number)).isSuperset(of: [2, 6])
    }
    #expect(shrinking.shrink(plan).steps.map(\.number) == [2, 6])
  }

  @Test("stays as it is when every step is needed")
  func nothingToShrink() {
    let plan = RunPlan(seed: 3, profile: .standard)
    var shrinking = PlanShrinking { $0.steps.count == plan.steps.count }
    #expect(shrinking.shrink(plan) == plan)
  }
}

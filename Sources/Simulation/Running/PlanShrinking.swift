/// Finds a shorter plan that breaks the same rule, by leaving steps out.
package struct PlanShrinking {
  /// How many runs it may take.
  static let runsMax = 300

  private let isBroken: (RunPlan) -> Bool
  private var runs = 0

  /// Prepares.
  ///
  /// - Parameter isBroken: Makes a run and says whether the same rule is broken.
  package init(_ isBroken: @escaping (RunPlan) -> Bool) { self.isBroken = isBroken }

  /// The shortest plan that was found.
  ///
  /// - Parameter plan: A plan that breaks the rule.
  /// - Returns: The same plan with fewer steps, which breaks it too.
  package mutating func shrink(_ plan: RunPlan) -> RunPlan {
    var best = plan
    var size = max(1, best.steps.count / 2)
    while size >= 1, runs < Self.runsMax {
      var start = 0
      while start < best.steps.count, runs < Self.runsMax {
        var numbers = best.steps.map(\.number)
        numbers.removeSubrange(start..<min(start + size, numbers.count))
        let shorter = best.keeping(Set(numbers))
        runs += 1
        if isBroken(shorter) { best = shorter } else { start += size }
      }
      if size == 1 { break }
      size /= 2
    }
    return best
  }
}

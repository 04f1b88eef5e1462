import IAPModel
import Simulation

extension CampaignTable {
  /// The table as a program reads it.
  ///
  /// - Parameter replays: The commands that replay failures, by their seeds.
  /// - Returns: One object.
  func json(_ replays: [UInt64: String]) -> JSONObject {
    var object = tally.json(settings, replays)
    object["milliseconds"] = .integer(Int64(seconds * 1000))
    object["crashPoints"] = Self.reach(tally.crashPoints, of: places.crashPoints)
    object["cells"] = Self.reach(tally.cells, of: places.cells)
    object["outOfReach"] = .array(
      places.outOfReach.map { reason, names in
        ["reason": .string(reason), "count": .integer(Int64(names.count))]
      }
    )
    return object
  }

  private static func reach(_ reached: Set<String>, of existing: Set<String>) -> JSONValue {
    [
      "reached": .integer(Int64(reached.intersection(existing).count)),
      "exist": .integer(Int64(existing.count)),
      "missing": .array(existing.subtracting(reached).sorted().map { .string($0) }),
    ]
  }
}

extension CampaignTally {
  /// What came of the runs, as a program reads it.
  ///
  /// - Parameters:
  ///   - settings: What was asked for.
  ///   - replays: The commands that replay failures, by their seeds.
  /// - Returns: One object.
  func json(
    _ settings: SimulationCampaign.Settings,
    _ replays: [UInt64: String] = [:]
  ) -> JSONObject {
    func numbers(_ counts: [String: Int]) -> JSONValue {
      .object(
        JSONObject(
          counts.sorted { $0.key < $1.key }.map { JSONMember($0.key, .integer(Int64($0.value))) }
        )
      )
    }
    return [
      "seed": .string("\(settings.seed)"), "profile": .string(settings.profile.rawValue),
      "signatures": .string(settings.scheme.rawValue), "processes": .integer(Int64(settings.jobs)),
      "size": .string(RunPlan.size(of: settings.profile)), "runs": .integer(Int64(runs)),
      "orders": .integer(Int64(orders)), "effects": .integer(Int64(effects)),
      "setAside": .integer(Int64(setAside)), "lost": .integer(Int64(findings["lost"] ?? 0)),
      "doubled": .integer(Int64(findings["doubled"] ?? 0)), "findings": numbers(findings),
      "jobs": .integer(Int64(jobs)), "days": .integer(Int64(days)), "counts": numbers(counts),
      "failures": .array(failures.map { .object($0.json(replays[$0.seed])) }),
    ]
  }
}

extension CampaignTally.Failure {
  fileprivate func json(_ replay: String?) -> JSONObject {
    var object: JSONObject = [
      "seed": .string("\(seed)"), "rule": .string(rule), "text": .string(text),
    ]
    if let step { object["step"] = .integer(Int64(step)) }
    if let replay { object["replay"] = .string(replay) }
    return object
  }
}

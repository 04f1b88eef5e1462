import IAPModel

/// What came of many runs.
struct CampaignTally: Sendable {
  /// A run that broke a rule.
  struct Failure: Hashable, Sendable {
    var seed: UInt64
    var rule: String
    var text: String
    var step: Int?
  }

  var runs = 0
  var orders = 0
  var effects = 0
  var setAside = 0
  var jobs = 0
  var days = 0.0
  var counts: [String: Int] = [:]
  var crashPoints: Set<String> = []
  var cells: Set<String> = []
  var failures: [Failure] = []
  var findings: [String: Int] = [:]

  /// Adds a report.
  ///
  /// - Parameter line: What a process printed.
  /// - Returns: Whether the line is a report, and the failure that it tells of.
  mutating func add(_ line: String) -> (isReport: Bool, failure: Failure?) {
    guard line.hasPrefix("{"), let report = try? JSONParser.parseObject(Array(line.utf8)),
      let seed = report["seed"]?.stringValue.flatMap({ UInt64($0) })
    else { return (false, nil) }
    func number(_ name: String) -> Int { Int(report[name]?.integerValue ?? 0) }
    func names(_ name: String) -> [String] {
      (report[name]?.arrayValue ?? []).compactMap(\.stringValue)
    }
    runs += 1
    orders += number("orders")
    effects += number("effects")
    setAside += number("setAside")
    jobs += number("jobs")
    days += Double(number("seconds")) / 86_400
    for member in report["counts"]?.objectValue?.members ?? [] {
      counts[member.name, default: 0] += Int(member.value.integerValue ?? 0)
    }
    crashPoints.formUnion(names("points"))
    cells.formUnion(names("cells"))
    let found = (report["findings"]?.arrayValue ?? []).compactMap(\.objectValue)
    for finding in found { findings[finding["rule"]?.stringValue ?? "", default: 0] += 1 }
    guard let first = found.first else { return (true, nil) }
    let failure = Failure(
      seed: seed,
      rule: first["rule"]?.stringValue ?? "",
      text: first["text"]?.stringValue ?? "",
      step: report["step"]?.integerValue.map { Int($0) }
    )
    failures.append(failure)
    return (true, failure)
  }

  /// Adds a run in which the process itself ended.
  mutating func noteEnd(of seed: UInt64, _ end: SimulationChild.End) -> Failure {
    let (rule, text) =
      end == .silent
      ? ("growth", "did not settle in \(SimulationCampaign.runSecondsMax) seconds")
      : ("broken", "the process ended")
    runs += 1
    findings[rule, default: 0] += 1
    let failure = Failure(seed: seed, rule: rule, text: text, step: nil)
    failures.append(failure)
    return failure
  }
}

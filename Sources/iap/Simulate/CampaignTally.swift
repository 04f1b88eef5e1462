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

  /// Adds a report; false for a line that is none.
  mutating func add(_ line: String) -> Bool {
    guard line.hasPrefix("{"), let report = try? JSONParser.parseObject(Array(line.utf8)),
      let seed = report["seed"]?.stringValue.flatMap({ UInt64($0) })
    else { return false }
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
    if let first = found.first {
      failures.append(
        Failure(
          seed: seed,
          rule: first["rule"]?.stringValue ?? "",
          text: first["text"]?.stringValue ?? "",
          step: report["step"]?.integerValue.map { Int($0) }
        )
      )
    }
    return true
  }

  /// Adds what another process has found.
  mutating func noteCrash(of seed: UInt64) {
    runs += 1
    findings["broken", default: 0] += 1
    failures.append(Failure(seed: seed, rule: "broken", text: "the process ended", step: nil))
  }
}

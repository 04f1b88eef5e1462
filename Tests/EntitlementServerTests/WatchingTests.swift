import AppStoreSimulator
import Foundation
import HTTPValues
import IAPModel
import ServerStorage
import Testing

@testable import EntitlementServer

/// What the server shows of itself, and that everything in `deploy/` fits to it.
@Suite("Watching")
struct WatchingTests {
  private static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  private static func text(_ path: String) throws -> String {
    try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
  }

  private static var names: Set<String> {
    let plain = ServerMetrics.counters.map(\.name) + ServerMetrics.gauges.map(\.name)
    let spread = ServerMetrics.histograms.flatMap { histogram in
      ["_bucket", "_sum", "_count"].map { histogram.name + $0 }
    }
    return Set(plain + spread)
  }

  /// Every word of a text that looks like one of our metrics.
  private static func metrics(in text: String) -> Set<String> {
    let parts = text.split { !($0.isLetter || $0.isNumber || $0 == "_") }
    return Set(parts.map(String.init).filter { $0.hasPrefix("iap_") })
  }

  @Test func thePageListsEveryMetricOnceEvenBeforeAnythingHappens() async throws {
    let test = try TestServer()
    let page = await test.server.answer(HTTPRequest(method: .get, target: "/metrics"))
    let lines = String(decoding: page.body, as: UTF8.self).split(separator: "\n")
    let types = lines.filter { $0.hasPrefix("# TYPE ") }.map { $0.split(separator: " ")[2] }
    let known = ServerMetrics.counters.map(\.name) + ServerMetrics.histograms.map(\.name)
    #expect(types.map(String.init) == known + ServerMetrics.gauges.map(\.name))
    #expect(Set(types).count == types.count)
    let rows = lines.filter { !$0.hasPrefix("#") }.map { line in
      String(line.prefix { $0 != "{" && $0 != " " })
    }
    #expect(Set(rows).isSubset(of: Self.names))
  }

  @Test(
    "the dashboard and the alerts name only metrics that exist",
    arguments: ["deploy/grafana/iapkit.json", "deploy/prometheus/alerts.yml"]
  )
  func deployed(_ path: String) throws {
    let used = Self.metrics(in: try Self.text(path))
    #expect(used.count > 5)
    #expect(used.subtracting(Self.names) == [])
  }

  @Test func theDashboardIsOneThatGrafanaReads() throws {
    let object = try JSONParser.parseObject(
      Array(try Self.text("deploy/grafana/iapkit.json").utf8),
      limits: .document
    )
    #expect(object["uid"]?.stringValue == "iapkit")
    let panels = object["panels"]?.arrayValue?.compactMap(\.objectValue) ?? []
    #expect(panels.count >= 12)
    let ids = panels.compactMap { $0["id"]?.integerValue }
    #expect(Set(ids).count == panels.count)
    for panel in panels where panel["type"] != "row" {
      #expect(panel["targets"]?.arrayValue?.isEmpty == false, "\(panel["title"] ?? .null)")
    }
  }

  @Test func everyAlertHasAPlaceInTheOperatorsGuide() throws {
    let rules = try Self.text("deploy/prometheus/alerts.yml")
    let guide = try Self.text("docs/operators/alerts.md")
    let anchors = Set(
      guide.split(separator: "\n").filter { $0.hasPrefix("## ") }
        .map { $0.dropFirst(3).lowercased() }
    )
    let lines = rules.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
    let alerts = lines.filter { $0.hasPrefix("- alert: ") }.map { $0.dropFirst(9).lowercased() }
    let links = lines.filter { $0.hasPrefix("runbook_url: ") }.compactMap {
      $0.split(separator: "#").last.map(String.init)
    }
    #expect(alerts.count >= 10)
    #expect(Set(alerts).count == alerts.count)
    #expect(alerts.map { String($0) } == links)
    #expect(Set(links).subtracting(anchors) == [])
  }

  @Test func aSlowReadIsNamedWithItsRouteAndItsTrace() async throws {
    var limits = ServerLimits.standard
    limits.slowQueryMilliseconds = 20
    let ledger = SlowLedger()
    let test = try TestServer(ledger: ledger, limits: limits)
    ledger.onRead = { [uptime = test.uptime] in uptime.advance(.milliseconds(20)) }
    #expect(try await test.get("/healthz").status == 200)
    let slow = test.logged.filter { $0.name == "slowQuery" }
    #expect(slow.count == 1)
    let fields = Dictionary(
      uniqueKeysWithValues: (slow.first?.fields ?? []).map { ($0.name, $0.value) }
    )
    #expect(fields["what"] == "read")
    #expect(fields["milliseconds"] == "20")
    #expect(fields["route"] == "/healthz")
    #expect(fields["trace_id"]?.count == 32)
    ledger.onRead = { [uptime = test.uptime] in uptime.advance(.milliseconds(19)) }
    #expect(try await test.get("/healthz").status == 200)
    #expect(test.logged.count { $0.name == "slowQuery" } == 1)
  }

  @Test func readinessSaysInWordsWhyTheLedgerTakesNothing() async throws {
    let ledger = InMemoryLedger()
    let test = try TestServer(ledger: ledger)
    let good = try await test.get("/readyz")
    #expect(good.status == 200)
    #expect(good.body["problems"]?.arrayValue == [])
    ledger.refuseCommits(with: StorageError(.full, "no room"))
    let full = try await test.get("/readyz")
    #expect(full.status == 503)
    let message = full.body["error"]?.objectValue?["message"]?.stringValue
    #expect(
      message
        == "The ledger cannot be written (full): there is no room left on the disk. Nothing was "
        + "lost; make room."
    )
  }

  @Test func readinessNamesWorkThatFellSilent() async throws {
    let test = try TestServer()
    _ = await test.server.work()
    test.uptime.advance(.seconds(HealthReport.workSecondsMax))
    #expect(try await test.get("/readyz").body["problems"]?.arrayValue == [])
    test.uptime.advance(.seconds(1))
    let problems = try await test.get("/readyz").body["problems"]?.arrayValue ?? []
    #expect(problems.compactMap { $0.objectValue?["code"] } == ["workSilent"])
  }
}

import AppStoreSimulator
import Foundation
import HTTPValues
import IAPModel
import MicroHTTP
import Testing

/// The commands that have a running server ask the App Store, or read what it hands out.
@Suite("iap reconcile, notifications and audit", .serialized)
struct AppleCommandTests {
  /// A store with two purchases of which nobody told the server, a server, and what is behind it.
  private func withServer(
    _ body: (ServedStore, ServedApple, ServedProcess) async throws -> Void
  ) async throws {
    let served = try ServedStore()
    defer { served.remove() }
    let apple = try ServedApple(served)
    served.store.setNotificationTransport { _, _ in 503 }
    let server = try await ServedProcess(apple.words)
    do {
      try await body(served, apple, server)
    } catch {
      await apple.http.stop()
      throw error
    }
    server.process.signal(SIGTERM)
    #expect(await server.process.exit() == 0)
    await apple.http.stop()
  }

  private func call(
    _ server: ServedProcess,
    _ words: [String],
    language: String = "C"
  ) async throws -> CommandProcess.Outcome {
    try await CommandProcess.run(
      words + ["--server", server.url, "--environment", "Sandbox"],
      environment: ["LANG": language]
    )
  }

  private func buy(_ served: ServedStore, _ count: Int) async throws {
    _ = try served.purchases(count)
    await served.store.drainNotifications()
  }

  @Test func aComparisonFindsWhatNobodyToldAndSaysSo() async throws {
    try await withServer { served, _, server in
      try await buy(served, 2)
      let first = try await call(server, ["reconcile"])
      #expect(first.status == 0)
      #expect(first.output.hasPrefix("done "))
      #expect(first.output.contains("missing=2"))
      #expect(first.output.contains("missing"))
      #expect(await server.metric("iap_ledger_entries") == 2)
      let second = try await call(server, ["reconcile"])
      #expect(second.status == 0)
      #expect(second.output.contains("missing=0"))
      #expect(await server.metric("iap_ledger_entries") == 2)
    }
  }

  @Test func aReplayRecordsOnceAndADryRunNothing() async throws {
    try await withServer { served, _, server in
      try await buy(served, 3)
      let dry = try await call(server, ["notifications", "replay", "--dry-run"])
      #expect(dry.status == 0)
      #expect(dry.output.contains("missing=3"))
      #expect(await server.metric("iap_ledger_entries") == 0)
      let replay = try await call(server, ["notifications", "replay", "--failures"])
      #expect(replay.status == 0)
      #expect(replay.output.contains("undelivered=3"))
      #expect(replay.output.contains("ONE_TIME_CHARGE"))
      #expect(await server.metric("iap_ledger_entries") == 3)
      let id = try #require(replay.errors.split(separator: "\n").first)
      let shown = try await call(server, ["notifications", "replay", "--id", String(id)])
      #expect(shown.output == replay.output)
      let typed = try await call(
        server,
        ["notifications", "replay", "--type", "REFUND", "--start", "2026-01-01"]
      )
      #expect(typed.output.contains("notifications=0"))
    }
  }

  @Test func anAuditNamesWhatIsMissingAndIsCleanAfterwards() async throws {
    try await withServer { served, _, server in
      try await buy(served, 2)
      let start = served.store.configuration.start
      let text = served.store.report(.summarySales, from: start, to: served.store.now)
      let file = served.folder.appendingPathComponent("S_D_80012345_20260101.txt")
      try Data(text.utf8).write(to: file)
      let before = try await call(server, ["audit", file.path])
      #expect(before.status == 1)
      #expect(before.output.contains("1 differences:"))
      #expect(before.output.contains("report 2 (1.98), ledger 0 (0.00)"))
      #expect(before.output.contains("missingNotification: the ledger never heard of it"))
      let chinese = try await call(server, ["audit", file.path], language: "zh_CN.UTF-8")
      #expect(chinese.output.contains("1 处差异："))
      _ = try await call(server, ["notifications", "replay"])
      let after = try await call(server, ["audit", file.path, "--format", "json"])
      #expect(after.status == 0)
      let report = try JSONParser.parseObject(Array(after.output.utf8), limits: .document)
      #expect(report["differenceCount"] == 0)
      let table = try await call(server, ["audit", file.path, "--format", "csv"])
      #expect(table.status == 0)
      #expect(table.output.hasPrefix("\"kind\",\"report\",\"start\""))
    }
  }

  @Test func aLongReportIsDividedAndItsBadRowsKeepTheirLines() async throws {
    try await withServer { served, _, server in
      try await buy(served, 1)
      let start = served.store.configuration.start
      let text = served.store.report(.summarySales, from: start, to: served.store.now)
      let lines = text.split(separator: "\n", omittingEmptySubsequences: true)
      let filler = lines[1].replacingOccurrences(of: "\tIA1\t", with: "\t7\t")
      var all = [String(lines[0]), String(lines[1])]
      all += Array(repeating: filler, count: 12_000)
      all[9_000] = "damaged"
      let file = served.folder.appendingPathComponent("long.txt")
      try Data((all.joined(separator: "\n") + "\n").utf8).write(to: file)
      let outcome = try await call(server, ["audit", file.path])
      #expect(outcome.status == 1)
      #expect(outcome.output.contains("long.txt:9001: it has 1 columns, the report 28"))
      #expect(outcome.output.contains("1 differences:"))
    }
  }

  @Test(arguments: [
    ["audit"], ["audit", "/nowhere/report.txt"], ["audit", "/dev/null"],
    ["audit", "/etc/hostname", "--format", "xml"], ["notifications"], ["notifications", "again"],
    ["notifications", "replay", "--start", "soon"], ["reconcile", "extra"],
  ])
  func whatCannotBeUsedIsSaidAtOnce(words: [String]) async throws {
    let outcome = try await CommandProcess.run(words + ["--server", "http://127.0.0.1:9"])
    #expect(outcome.status == 1 || outcome.status == 2)
    #expect(outcome.output == "")
    #expect(outcome.errors.hasPrefix("iap \(words[0]): "))
  }

  @Test(arguments: [
    ["reconcile"], ["notifications", "replay"], ["audit", "/etc/hostname"],
  ])
  func aServerThatIsNotThereIsNamed(words: [String]) async throws {
    let outcome = try await CommandProcess.run(words + ["--server", "http://127.0.0.1:9"])
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("the server does not answer"))
  }

  @Test func whatIsNoReportIsNamed() async throws {
    try await withServer { served, _, server in
      let file = served.folder.appendingPathComponent("page.html")
      try Data("<html>not signed in</html>\n".utf8).write(to: file)
      let outcome = try await call(server, ["audit", file.path])
      #expect(outcome.status == 1)
      #expect(outcome.output.contains("page.html: cannot be read (noReport)"))
    }
  }
}

/// `iap serve` with the App Store behind it.
@Suite("iap serve and the App Store", .serialized)
struct ServeAppleTests {
  @Test func everyMistakeOfTheAccessIsNamedAtOnce() async throws {
    let served = try ServedStore()
    defer { served.remove() }
    let file = served.folder.appendingPathComponent("config.json")
    let text = """
      {"simulated": true, "roots": ["root.der"], "reconcileEveryHours": -1,
       "limits": {"receiptsPerMinuteMax": 0},
       "apps": [{"bundle": "a", "appAppleId": 1,
                 "appStoreKey": {"keyId": "A", "issuerId": "B", "file": "nowhere.p8"},
                 "sharedSecretFile": "nowhere.txt", "verifyReceipt": "yes",
                 "consumption": {"customersConsented": false, "sampleProvided": true}}]}
      """
    try Data(text.utf8).write(to: file)
    let outcome = try await CommandProcess.run(["serve", "--config", file.path])
    #expect(outcome.status == 2)
    for part in [
      "reconcileEveryHours: found -1, wanted a whole number from 0 to 2160",
      #"apps[0].verifyReceipt: found "yes", wanted true or false"#,
      "apps[0].consumption.customersConsented: found false, wanted true",
      "limits.receiptsPerMinuteMax: found 0, wanted a whole number from 1",
      "nowhere.p8', which is not there", "nowhere.txt', which is not there",
    ] {
      #expect(outcome.errors.contains(part), "\(part): \(outcome.errors)")
    }
  }

  @Test func asksTheSimulatedStoreOnlyWhereItSaysSo() async throws {
    let served = try ServedStore()
    defer { served.remove() }
    let apple = try ServedApple(served)
    let lonely = try await CommandProcess.run([
      "serve", "--config", apple.configuration, "--listen", "127.0.0.1:0",
    ])
    #expect(lonely.status == 2)
    #expect(lonely.errors.contains("--apple URL"))
    let wrong = try await CommandProcess.run([
      "serve", "--config", apple.configuration, "--listen", "127.0.0.1:0", "--apple", "there",
    ])
    #expect(wrong.status == 2)
    #expect(wrong.errors.contains(#"--apple: found "there", wanted an address"#))
    await apple.http.stop()
  }

  @Test func aBareIdentifierIsAskedForAndTheKeyIsTested() async throws {
    let served = try ServedStore()
    defer { served.remove() }
    let apple = try ServedApple(served)
    let server = try await ServedProcess(apple.words)
    _ = try served.purchases(1)
    let id = try #require(served.store.transactions(of: "mia").first?.transactionID.rawValue)
    let body = JSONObject([JSONMember("transactionId", .string(id))]).serialized
    let answer = try #require(await server.post(Proof(path: "/v1/verify", body: body)))
    #expect(try JSONParser.parseObject(answer.body)["verdict"] == "accepted")
    server.process.signal(SIGTERM)
    #expect(await server.process.exit() == 0)
    #expect(server.process.errors.contains("appleKey"))
    #expect(server.process.errors.contains("result=accepted"))
    await apple.http.stop()
  }

  @Test func aKeyFileThatIsNoneEndsTheStart() async throws {
    let served = try ServedStore()
    defer { served.remove() }
    let apple = try ServedApple(served)
    let key = served.folder.appendingPathComponent("key.p8")
    try Data("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n".utf8).write(to: key)
    let outcome = try await CommandProcess.run(apple.words)
    #expect(outcome.status == 2)
    #expect(outcome.errors.contains("apps[0].appStoreKey.file: found"))
    #expect(outcome.errors.contains("which cannot be used"))
    #expect(!outcome.errors.contains("AAAA"))
    await apple.http.stop()
  }
}

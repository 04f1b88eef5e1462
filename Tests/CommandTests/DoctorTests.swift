import AppStoreSimulator
import Foundation
import HTTPClient
import HTTPValues
import IAPModel
import MicroHTTP
import Testing

/// `iap doctor` against a simulated App Store, with each fault ordered.
@Suite("iap doctor", .serialized)
struct DoctorTests {
  /// A finding as a test looks at it: severity and code.
  private struct Report {
    let status: Int32
    let findings: [JSONObject]

    /// The severities of a code.
    func severities(_ code: String) -> [String] {
      findings.filter { $0["code"]?.stringValue == code }
        .compactMap { $0["severity"]?.stringValue }
    }

    /// What was seen of a code.
    func seen(_ code: String) -> String {
      findings.filter { $0["code"]?.stringValue == code }
        .compactMap { $0["seen"]?.stringValue }.joined(separator: "\n")
    }

    /// The codes of what does not work.
    var errors: Set<String> {
      Set(
        findings.filter { $0["severity"] == "error" }.compactMap { $0["code"]?.stringValue }
      )
    }
  }

  private func doctor(_ words: [String]) async throws -> Report {
    let outcome = try await CommandProcess.run(["doctor", "--json"] + words)
    let object = try JSONParser.parseObject(Array(outcome.output.utf8), limits: .document)
    return Report(
      status: outcome.status,
      findings: (object["findings"]?.arrayValue ?? []).compactMap(\.objectValue)
    )
  }

  /// A store, Apple's addresses on it, and a server.
  private func withServer(
    _ body: (ServedStore, ServedApple, ServedProcess) async throws -> Void
  ) async throws {
    let served = try ServedStore()
    defer { served.remove() }
    let apple = try ServedApple(served)
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

  /// Has the store's notifications sent to a server.
  private func deliver(_ served: ServedStore, to server: ServedProcess) {
    served.store.setNotificationTransport { _, body in
      let proof = Proof(path: "/v1/notifications/apple", body: body)
      return await server.post(proof)?.status ?? 503
    }
  }

  /// Writes a key's name into the configuration that the store does not know.
  private func misname(_ key: DeveloperKeyID, in apple: ServedApple) throws {
    let text = try String(contentsOfFile: apple.configuration, encoding: .utf8)
    let wrong = text.replacingOccurrences(of: key.rawValue, with: "UNKNOWN123")
    try wrong.write(toFile: apple.configuration, atomically: true, encoding: .utf8)
  }

  private func words(_ apple: ServedApple, _ more: String...) -> [String] {
    Array(apple.words.dropFirst()) + more
  }

  @Test func aHealthyServerHasNoErrors() async throws {
    try await withServer { served, apple, server in
      deliver(served, to: server)
      _ = try served.purchases(2)
      await served.store.drainNotifications()
      let report = try await doctor(words(apple, "--server", server.url))
      #expect(report.errors == [], "\(report.findings)")
      #expect(report.status == 0)
      #expect(report.severities("keys.accepted").contains("good"))
      #expect(report.severities("server") == ["good"])
      #expect(report.severities("database") == ["good"])
      #expect(report.severities("clock").contains("good"))
      #expect(report.severities("notifications").contains("good"))
      #expect(report.severities("settings.simulated") == ["warning"])
    }
  }

  @Test func wordsSayWhatToDoInTwoLanguages() async throws {
    try await withServer { served, apple, _ in
      try misname(served.store.issuedDeveloperKey().id, in: apple)
      let english = try await CommandProcess.run(["doctor"] + words(apple))
      #expect(english.status == 1)
      #expect(english.output.contains("error    keys.refused  com.example.demo, Production:"))
      #expect(english.output.contains("  -> Compare keyId, issuerId and bundle"))
      let chinese = try await CommandProcess.run(
        ["doctor", "--problems"] + words(apple),
        environment: ["LANG": "zh_CN.UTF-8"]
      )
      #expect(chinese.status == 1)
      #expect(chinese.output.contains("错误  keys.refused"))
      #expect(chinese.output.contains("App Store 拒绝该密钥"))
      #expect(!chinese.output.contains("正常  "))
    }
  }

  @Test func aRefusedKeyAndAnAppStoreOutOfReachAreToldApart() async throws {
    try await withServer { served, apple, _ in
      try misname(served.store.issuedDeveloperKey().id, in: apple)
      let refused = try await doctor(words(apple))
      #expect(refused.status == 1)
      #expect(refused.severities("keys.refused") == ["error", "error"])
      var lonely = words(apple)
      let index = try #require(lonely.firstIndex(of: "--apple"))
      lonely[index + 1] = "http://127.0.0.1:9"
      let unreachable = try await doctor(lonely)
      #expect(unreachable.status == 1)
      #expect(unreachable.severities("hosts.unreachable") == ["error", "error"])
      #expect(unreachable.severities("keys.refused") == [])
    }
  }

  @Test(
    "a clock that is off is told, a clock that is wrong is an error",
    arguments: [(0, "clock", "good"), (20, "clock.off", "warning"), (-120, "clock.wrong", "error")]
  )
  func clocks(_ seconds: Int, _ code: String, _ severity: String) async throws {
    let format = DateFormatter()
    format.locale = Locale(identifier: "en_US_POSIX")
    format.timeZone = TimeZone(secondsFromGMT: 0)
    format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
    let date = format.string(from: Date().addingTimeInterval(Double(seconds)))
    let answer = HTTPResponse(
      status: 200,
      headers: ["Date": date, "Content-Type": "application/json"],
      body: Array(#"{"status":"ok","problems":[]}"#.utf8)
    )
    let http = try HTTPServer.start(host: "127.0.0.1", port: 0, handler: { _ in answer })
    let report = try await doctor([
      "--app", "com.example.app=1", "--database", "/nowhere/ledger.sqlite", "--server",
      http.address.url,
    ])
    await http.stop()
    #expect(report.severities(code) == [severity])
    #expect(report.errors.contains("database.missing"))
  }

  @Test func whatTheLedgerLacksIsNamedAndReplayingMendsIt() async throws {
    try await withServer { served, apple, server in
      served.store.setNotificationTransport { _, _ in 503 }
      _ = try served.purchases(2)
      await served.store.drainNotifications()
      let report = try await doctor(words(apple))
      #expect(report.status == 1)
      #expect(report.errors == ["notifications.missing"])
      #expect(report.seen("notifications.missing").hasPrefix("2 of 2 are not in the ledger"))
      #expect(
        report.seen("notifications.undelivered")
          == "2 notifications did not arrive: UNSUCCESSFUL_HTTP_RESPONSE_CODE"
      )
      let replay = try await CommandProcess.run([
        "notifications", "replay", "--server", server.url, "--environment", "Sandbox",
      ])
      #expect(replay.status == 0)
      let mended = try await doctor(words(apple))
      #expect(mended.status == 0)
      #expect(mended.severities("notifications").contains("good"))
    }
  }

  @Test func theTestNotificationIsRequestedAndWaitedFor() async throws {
    try await withServer { served, apple, server in
      // Half a minute passes with each attempt: in the sandbox the App Store may be asked what
      // became of a test six times a minute, and this store's clock stands still by itself.
      func attempt(_ status: @escaping @Sendable ([UInt8]) async -> Int) {
        let store = served.store
        store.setNotificationTransport { _, body in
          let answer = await status(body)
          Task { await store.advance(by: 30) }
          return answer
        }
      }
      attempt { body in
        await server.post(Proof(path: "/v1/notifications/apple", body: body))?.status ?? 503
      }
      let drain = Task { [store = served.store] in
        while !Task.isCancelled {
          await store.drainNotifications()
          await Task.yield()
        }
      }
      defer { drain.cancel() }
      let arrived = try await doctor(words(apple, "--release", "--wait", "20"))
      #expect(arrived.severities("release.test").contains("good"), "\(arrived.findings)")
      // The simulated store is a sandbox: production has no address for notifications.
      #expect(arrived.errors == ["release.simulated", "release.noURL"])
      #expect(arrived.severities("release.agreements") == ["by-hand"])
      // It arrives, but at another server.
      attempt { _ in 200 }
      let elsewhere = try await doctor(words(apple, "--release", "--wait", "20"))
      #expect(elsewhere.errors.contains("release.testElsewhere"))
      attempt { _ in 500 }
      let failed = try await doctor(words(apple, "--release", "--wait", "20"))
      #expect(failed.errors.contains("release.testFailed"))
      #expect(failed.seen("release.testFailed").contains("UNSUCCESSFUL_HTTP_RESPONSE_CODE"))
      try served.store.setNotificationURL(nil)
      let none = try await doctor(words(apple, "--release", "--wait", "1"))
      #expect(none.errors.contains("release.noURL"))
    }
  }

  @Test func theAppItselfIsLookedAtBeforeARelease() async throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("iap-doctor-" + UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let plist = folder.appendingPathComponent("Info.plist")
    let text = """
      <?xml version="1.0" encoding="UTF-8"?>
      <plist version="1.0"><dict>
      <key>CFBundleIdentifier</key><string>com.example.other</string>
      <key>NSAppTransportSecurity</key><dict><key>NSAllowsArbitraryLoads</key><true/></dict>
      </dict></plist>
      """
    try Data(text.utf8).write(to: plist)
    let http = try HTTPServer.start(
      host: "127.0.0.1",
      port: 0,
      handler: { request in
        HTTPResponse(status: request.path == "/terms" ? 200 : 404, headers: [:], body: [])
      }
    )
    let report = try await doctor([
      "--app", "com.example.app=1", "--environment", "Production", "--database",
      folder.path + "/ledger.sqlite", "--release", "--info-plist", plist.path, "--privacy-url",
      http.address.url + "/privacy", "--terms-url", http.address.url + "/terms",
    ])
    await http.stop()
    #expect(report.status == 1)
    #expect(
      report.errors == [
        "release.sandbox", "release.test", "release.bundle", "release.privacy",
      ]
    )
    #expect(report.severities("release.terms") == ["good"])
    #expect(report.severities("release.transport") == ["warning"])
    #expect(report.severities("release.encryption") == ["note"])
    #expect(report.findings.filter { $0["severity"] == "by-hand" }.count >= 9)
  }

  @Test func serversThatAreNoneAndServersOfAnotherKindAreTold() async throws {
    try await withServer { served, apple, server in
      let none = try await doctor(words(apple, "--server", "http://127.0.0.1:9"))
      #expect(none.errors == ["server.unreachable"])
      let other = try await doctor(words(apple, "--server", apple.http.address.url))
      #expect(other.errors == ["server.other"])
      let real = try await doctor([
        "--app", "com.example.app=1", "--database", served.folder.path + "/new.sqlite",
        "--server", server.url,
      ])
      #expect(real.errors == ["server.environment"])
    }
  }

  @Test func webhooksThatDoNotArriveAreTold() async throws {
    let served = try ServedStore()
    defer { served.remove() }
    let settings = served.folder.appendingPathComponent("webhooks.json")
    try Data(#"{"webhooks": {"attemptsMax": 1}}"#.utf8).write(to: settings)
    let words = Array(served.words.dropFirst()) + ["--config", settings.path]
    let server = try await ServedProcess(["serve"] + words)
    let endpoint: JSONObject = ["url": "http://127.0.0.1:9/"]
    let made = await server.post(Proof(path: "/v1/webhooks", body: endpoint.serialized))
    #expect(made?.status == 200)
    for proof in try served.purchases(1) { #expect(await server.post(proof)?.status == 200) }
    // The first attempt is the last one.
    while await server.metric("iap_webhook_dead_letters") == 0 { await Task.yield() }
    let report = try await doctor(words)
    #expect(report.severities("webhooks.dead") == ["warning"])
    #expect(report.severities("keys.missing") == ["warning"])
    server.process.signal(SIGTERM)
    #expect(await server.process.exit() == 0)
  }

  @Test func productsThatDoNotFitAreNamed() async throws {
    try await withServer { served, apple, _ in
      let file = served.folder.appendingPathComponent("Demo.storekit")
      try Data(DemoCatalog.text.utf8).write(to: file)
      let ids = served.folder.appendingPathComponent("ids.txt")
      try Data("com.example.demo.coins\ncom.example.demo.coinz\n".utf8).write(to: ids)
      let report = try await doctor(
        words(apple, "--storekit", file.path, "--ids", ids.path)
      )
      #expect(report.errors == ["catalog.appUnknown"])
      #expect(report.seen("catalog.appUnknown").hasSuffix("com.example.demo.coinz"))
      #expect(report.severities("catalog.appLacks") == ["note"])
      #expect(report.severities("catalog") == ["good"])
      let sources = served.folder.appendingPathComponent("Sources")
      try FileManager.default.createDirectory(at: sources, withIntermediateDirectories: true)
      let unread = try await doctor(
        words(apple, "--storekit", file.path, "--app-sources", sources.path)
      )
      // Without SwiftSyntax in the toolchain there is no linter.
      #expect(
        unread.errors == ["catalog.sourcesUnreadable"]
          || unread.severities("catalog.noLinter") == ["warning"]
      )
      let none = try await doctor(words(apple, "--storekit", "/nowhere.storekit"))
      #expect(none.errors == ["catalog.unreadable"])
    }
  }

  @Test func disksBackupsAndSettingsAreLookedAt() async throws {
    let served = try ServedStore()
    defer { served.remove() }
    let backups = served.folder.appendingPathComponent("backups")
    let file = served.folder.appendingPathComponent("settings.json")
    func settings(_ doctor: String) throws -> [String] {
      try Data(#"{"doctor": {\#(doctor)}}"#.utf8).write(to: file)
      return [
        "--config", file.path, "--app", "a=1", "--database", served.folder.path + "/l.sqlite",
      ]
    }
    let folder = #""backupFolder": "backups""#
    #expect(try await doctor(settings(folder)).errors == ["backups.folder"])
    try FileManager.default.createDirectory(at: backups, withIntermediateDirectories: true)
    #expect(try await doctor(settings(folder)).errors == ["backups.none"])
    let backup = backups.appendingPathComponent("ledger.sqlite")
    try Data("x".utf8).write(to: backup)
    #expect(try await doctor(settings(folder)).errors == [])
    let old = Date().addingTimeInterval(-27.5 * 3600)
    try FileManager.default.setAttributes([.modificationDate: old], ofItemAtPath: backup.path)
    let aged = try await doctor(settings(folder))
    #expect(aged.errors == ["backups.old"])
    #expect(aged.seen("backups.old").hasPrefix("the newest backup is 27 hours old"))
    let full = try await doctor(settings(#""freeMegabytesMin": 1000000000"#))
    #expect(full.errors == ["disk.full"])
    let wrong = try await doctor(settings(#""freeMegabytesMin": 0"#))
    #expect(wrong.errors == ["settings.wrong"])
    try Data("no database at all".utf8).write(
      to: served.folder.appendingPathComponent("l.sqlite")
    )
    #expect(try await doctor(settings("")).errors == ["database.unreachable"])
  }

  @Test(
    "a call that cannot be used ends with 2",
    arguments: [
      ["--hours", "0"], ["--wait", "x"], ["--server", "there"], ["--nothing"], ["word"],
    ]
  )
  func unusable(_ words: [String]) async throws {
    let outcome = try await CommandProcess.run(["doctor"] + words)
    #expect(outcome.status == 2)
    #expect(outcome.output == "")
  }
}

import AppStoreSimulator
import Foundation
import IAPModel
import Testing

/// Settings from file, environment and options, looked at without a server.
@Suite("iap serve --check")
struct ServeCheckTests {
  /// A folder that is taken away.
  private func withFolder(_ body: (URL) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("iap-settings-" + UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try await body(folder)
  }

  private func write(_ text: String, _ file: URL, mode: Int = 0o600) throws {
    try Data(text.utf8).write(to: file)
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file.path)
  }

  private func check(
    _ words: [String],
    _ environment: [String: String] = [:]
  ) async throws -> (status: Int32, object: JSONObject) {
    let outcome = try await CommandProcess.run(
      ["serve", "--check", "--json"] + words,
      environment: environment
    )
    return (outcome.status, try JSONParser.parseObject(Array(outcome.output.utf8)))
  }

  private func value(_ setting: String, _ object: JSONObject) -> [String] {
    let row = (object["settings"]?.arrayValue ?? []).compactMap(\.objectValue)
      .first { $0["setting"]?.stringValue == setting }
    return ["value", "from"].compactMap { row?[$0]?.stringValue }
  }

  @Test func anOptionWinsOverAVariableAndAVariableOverTheFile() async throws {
    try await withFolder { folder in
      let file = folder.appendingPathComponent("iap.json")
      try write(
        """
        {"listen": "127.0.0.1:1", "reconcileEveryHours": 5, "webhooks": {"keepDays": 3},
         "apps": [{"bundle": "com.example.app", "appAppleId": 1}]}
        """,
        file
      )
      let environment = [
        "IAP_CONFIG": file.path, "IAP_LISTEN": "127.0.0.1:2", "IAP_WEBHOOKS_KEEP_DAYS": "4",
        "IAP_JSON_LOG": "yes",
      ]
      let good = try await check(["--listen", "127.0.0.1:3"], environment)
      #expect(good.status == 0)
      #expect(good.object["ok"] == true)
      #expect(value("listen", good.object) == [#""127.0.0.1:3""#, "option"])
      #expect(value("webhooks.keepDays", good.object) == ["4", "environment"])
      #expect(value("jsonLog", good.object) == ["true", "environment"])
      #expect(value("reconcileEveryHours", good.object) == ["5", "file"])
      #expect(value("limits.requestsPerMinuteMax", good.object) == ["6000", "default"])
      #expect(value("apps[0].bundle", good.object) == [#""com.example.app""#, "file"])
    }
  }

  @Test func everyMistakeSaysWhereWhatWasFoundAndWhatIsWanted() async throws {
    try await withFolder { folder in
      let file = folder.appendingPathComponent("iap.json")
      let text = #"{"listn": "x", "limits": {"requestsPerMinuteMax": "many"}, "apps": []}"#
      try write(text, file)
      let bad = try await check(
        ["--config", file.path],
        ["IAP_WEBHOOKS_KEEP_DAYS": "0", "IAP_LISTNE": "x"]
      )
      #expect(bad.status == 2)
      let mistakes = (bad.object["mistakes"]?.arrayValue ?? []).compactMap(\.objectValue)
      let shown = mistakes.map { mistake in
        ["source", "place", "setting", "found", "wanted"].map {
          mistake[$0]?.stringValue ?? "-"
        }
      }
      #expect(
        shown == [
          ["file", file.path, "listn", "a setting that is not known", "perhaps listen"],
          [
            "file", file.path, "limits.requestsPerMinuteMax", #""many""#,
            "a whole number from 1",
          ],
          [
            "environment", "IAP_WEBHOOKS_KEEP_DAYS", "webhooks.keepDays", "0",
            "a whole number from 1 to 3650",
          ],
          [
            "environment", "IAP_LISTNE", "", "a variable that is not known",
            "perhaps IAP_LISTEN",
          ],
          [
            "whole", "", "", "-",
            #"at least one app is needed: "apps" in the file, IAP_APP or --app BUNDLE=APPID."#,
          ],
        ]
      )
    }
  }

  @Test(
    "a secret that others may read is refused, and one for the group is not",
    arguments: [
      (0o600, 0), (0o640, 0), (0o400, 0), (0o440, 0), (0o644, 2), (0o604, 2), (0o660, 2),
      (0o777, 2),
    ] as [(Int, Int32)]
  )
  func modes(_ mode: Int, _ status: Int32) async throws {
    try await withFolder { folder in
      let secret = folder.appendingPathComponent("database.txt")
      try write("ledger.sqlite\n", secret, mode: mode)
      let outcome = try await check(
        ["--app", "com.example.app=1", "--database-file", secret.path]
      )
      #expect(outcome.status == status)
      guard status != 0 else { return }
      let message = (outcome.object["mistakes"]?.arrayValue?.first?.objectValue)?["message"]
      #expect(message?.stringValue?.contains("mode \(String(mode, radix: 8))") == true)
      #expect(message?.stringValue?.contains("chmod 600") == true)
    }
  }

  @Test func aPasswordIsNeverShown() async throws {
    let address = "postgres://user:hunter2@db.example.com/iap"
    let good = try await CommandProcess.run(
      ["serve", "--check", "--app", "com.example.app=1"],
      environment: ["IAP_DATABASE": address]
    )
    #expect(good.status == 0)
    #expect(good.output.contains("db.example.com"))
    #expect(!good.output.contains("hunter2"))
    try await withFolder { folder in
      let file = folder.appendingPathComponent("iap.json")
      try write(#"{"database": ["\#(address)"], "databaseFile": 1}"#, file)
      let bad = try await CommandProcess.run(["serve", "--check", "--config", file.path])
      #expect(bad.status == 2)
      #expect(!(bad.output + bad.errors).contains("hunter2"))
    }
  }

  @Test(
    "what is no JSON object is refused with its place",
    arguments: ["", "[]", "{", #"{"a":1,"a":2}"#, "{\"listen\": \u{1}}"]
  )
  func malformed(_ text: String) async throws {
    try await withFolder { folder in
      let file = folder.appendingPathComponent("iap.json")
      try write(text, file)
      let outcome = try await CommandProcess.run([
        "serve", "--check", "--config", file.path, "--app", "com.example.app=1",
      ])
      #expect(outcome.status == 2)
      #expect(outcome.output.hasPrefix(file.path + ": found"))
    }
  }

  @Test func wordsAreInTheLanguageOfTheLocale() async throws {
    let outcome = try await CommandProcess.run(
      ["serve", "--check", "--listen", "x"],
      environment: ["LANG": "zh_CN.UTF-8"]
    )
    #expect(outcome.status == 2)
    #expect(outcome.output.contains(#"--listen：实际为 "x"，应为 HOST:PORT"#))
  }

  @Test func theReferenceHasEverySettingAndTheExampleIsGood() async throws {
    let reference = try await CommandProcess.run(["serve", "--reference"])
    #expect(reference.status == 0)
    let page = try Self.text("docs/configuration.md")
    let begin = try #require(page.range(of: "<!-- settings -->\n"))
    let end = try #require(page.range(of: "\n<!-- /settings -->"))
    #expect(String(page[begin.upperBound..<end.lowerBound]) == reference.output)
    try await withFolder { folder in
      let file = folder.appendingPathComponent("iap.json")
      try write(try Self.text("deploy/iap.example.json"), file)
      let served = try ServedStore()
      defer { served.remove() }
      let key = try served.store.issuedDeveloperKey()
      try write(key.p8, folder.appendingPathComponent("SubscriptionKey_ABC123DEFG.p8"))
      let outcome = try await CommandProcess.run(["serve", "--check", "--config", file.path])
      #expect(outcome.status == 0, "\(outcome.output)")
    }
  }

  private static func text(_ path: String) throws -> String {
    let root = URL(fileURLWithPath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    return try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
  }
}

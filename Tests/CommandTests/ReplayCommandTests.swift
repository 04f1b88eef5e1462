import AppStoreSimulator
import Foundation
import IAPKit
import IAPModel
import OpenSSLCrypto
import SimulatedApp
import SimulatedDevice
import Testing

/// `iap replay` as somebody in support meets it.
@Suite("iap replay", .timeLimit(.minutes(1)))
struct ReplayCommandTests {
  /// What a telephone exports after a purchase and a cancelled one.
  private func bundle() async throws -> String {
    let store = try SimulatedAppStore(
      configuration: StoreConfiguration(
        catalog: try DemoCatalog.load(),
        bundleID: DemoCatalog.bundleID,
        appAppleID: DemoCatalog.appAppleID,
        start: Date(timeIntervalSince1970: 1_750_000_000)
      ),
      signing: try OpenSSLPrimitives()
    )
    try store.addAccount("ada")
    let app = SimulatedApp(
      device: try SimulatedDevice(store: store, account: "ada", id: "phone"),
      setup: AppSetup(generation: .storekit2, productIds: [DemoCatalog.coins])
    )
    try await app.launch()
    _ = try await app.buy(DemoCatalog.coins)
    await app.events.wait { if case .finished = $0 { true } else { false } }
    app.device.person.willAnswer(.cancel)
    _ = try await app.buy(DemoCatalog.coins)
    let data = try await app.perform { try $0.supportBundle() }
    return String(decoding: data, as: UTF8.self)
  }

  private func replay(
    _ text: String,
    _ words: [String] = [],
    language: String = "en_US.UTF-8"
  ) async throws -> CommandProcess.Outcome {
    try await CommandProcess.run(
      ["replay"] + words + ["-"],
      input: Array(text.utf8),
      environment: ["LANG": language]
    )
  }

  @Test("prints the timeline, where it stands, and that nothing differs")
  func agrees() async throws {
    let bundle = try await bundle()
    let english = try await replay(bundle)
    #expect(english.status == 0)
    #expect(english.errors == "")
    let lines = english.output.split(separator: "\n").map(String.init)
    #expect(lines[0].hasPrefix("support bundle of 2025-06-15T"))
    #expect(lines.contains { $0.contains("order.opened") && $0.contains("2025-06-15T15:06:40Z") })
    #expect(lines.contains { $0.contains("arrived") && $0.hasSuffix("-> received") })
    #expect(lines.contains { $0.contains("delivered") && $0.hasSuffix("-> delivered") })
    #expect(lines.contains { $0.hasSuffix("\(DemoCatalog.coins) finished") })
    #expect(lines.contains { $0.hasSuffix("\(DemoCatalog.coins) cancelled") })
    #expect(lines.last == "The replay agrees with the journal.")
    let chinese = try await replay(bundle, language: "zh_CN.UTF-8")
    #expect(chinese.output.contains("重放与日志一致。"))
    let json = try await replay(bundle, ["--json"])
    let object = try JSONParser.parseObject(Array(json.output.utf8))
    #expect(object["standings"]?.arrayValue?.count == 1)
    #expect(object["skipped"] == 0)
  }

  @Test("shows what the journal says otherwise, and fails")
  func differs() async throws {
    let bundle = try await bundle()
    let outcome = try await replay(
      bundle.replacingOccurrences(of: "\"state\":\"finished\"", with: "\"state\":\"delivered\"")
    )
    #expect(outcome.status == 1)
    #expect(outcome.output.contains("state: finished by the replay, delivered in the journal"))
    #expect(outcome.output.contains("1 transactions differ."))
  }

  @Test(
    "says what is wrong with what is no bundle",
    arguments: [
      ("", "is no JSON object"), ("<html></html>", "is no JSON object"),
      ("{}", "no support bundle"), (#"{"format":"iapkit-support","version":9}"#, "newer client"),
      (#"{"format":"iapkit-support","version":1}"#, "damaged"),
    ]
  )
  func refused(text: String, words: String) async throws {
    let outcome = try await replay(text)
    #expect(outcome.status == 1)
    #expect(outcome.output == "")
    #expect(outcome.errors.contains(words))
  }

  @Test("explains itself in both languages")
  func help() async throws {
    let english = try await CommandProcess.run(["replay", "--help"])
    #expect(english.output.contains("support bundle"))
    let chinese = try await CommandProcess.run(
      ["replay", "--help"],
      environment: ["LANG": "zh_CN.UTF-8"]
    )
    #expect(chinese.output.contains("支持包"))
    let missing = try await CommandProcess.run(["replay", "/no/such/file"])
    #expect(missing.status == 1)
    #expect(missing.errors.contains("cannot be read"))
  }
}

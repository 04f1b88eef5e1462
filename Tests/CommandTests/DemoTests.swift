import Foundation
import HTTPClient
import HTTPValues
import IAPModel
import Testing

@Suite("iap demo")
struct DemoTests {
  @Test func theTourEndsWellOnBothGenerationsAndNothingIsLostOrDoubled() async throws {
    let file = FileManager.default.temporaryDirectory
      .appendingPathComponent("iap-demo-\(UUID().uuidString).json")
    defer { try? FileManager.default.removeItem(at: file) }
    let outcome = try await CommandProcess.run(["demo", "--once", "--json", file.path])
    #expect(outcome.errors == "")
    #expect(outcome.status == 0, "\(outcome.output)")

    let report = try JSONParser.parseObject(Data(contentsOf: file), limits: .document)
    let steps = try #require(report["steps"]?.arrayValue).compactMap(\.objectValue)
    #expect(steps.filter { $0["ok"] != true } == [])
    #expect(
      steps.map { $0["path"]?.stringValue }
        == Array(repeating: "storekit2", count: 13) + Array(repeating: "storekit1", count: 13)
    )
    #expect(steps.allSatisfy { $0.members.map(\.name) == ["name", "path", "ok", "detail"] })
    #expect(report["orders"] == 22)
    #expect(report["delivered"] == 18)
    #expect(report["lost"] == 0)
    #expect(report["doubled"] == 0)
    #expect(outcome.output.hasSuffix("26 of 26 steps ok; orders 22 delivered 18 lost 0 doubled 0"))
  }

  @Test func thePageIsServedUntilSomebodyEndsIt() async throws {
    let demo = try CommandProcess(["demo", "--no-tour", "--port", "0"])
    let line = await demo.lines.first { $0.hasPrefix("Open http://127.0.0.1:") }
    let address = try #require(line?.split(separator: " ").dropFirst().first.map(String.init))
    let client = HTTPClient()
    let page = try await client.send(HTTPOutgoingRequest(method: .get, url: address))
    #expect(page.status == 200)
    #expect(page.headers["Content-Type"] == "text/html; charset=utf-8")
    demo.signal(SIGINT)
    #expect(await demo.exit() == 0)
    #expect(demo.errors == "")
  }

  @Test(arguments: ["-1", "65536", "web"])
  func aPortThatIsNoneIsAnErrorInWords(_ port: String) async throws {
    let outcome = try await CommandProcess.run(["demo", "--no-tour", "--port", port])
    #expect(outcome.status == 2)
    #expect(outcome.errors.contains("--port"))
  }

  @Test func aFileThatCannotBeWrittenIsAnErrorInWords() async throws {
    let outcome = try await CommandProcess.run([
      "demo", "--once", "--json", "/proc/nothing/report.json",
    ])
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("'/proc/nothing/report.json' cannot be written"))
  }
}

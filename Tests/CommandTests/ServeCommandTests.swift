import Foundation
import HTTPValues
import IAPModel
import Testing

@Suite("iap serve")
struct ServeCommandTests {
  @Test func everyMistakeOfACallIsNamedAtOnce() async throws {
    let outcome = try await CommandProcess.run([
      "serve", "--listen", "0.0.0.0:0", "--root", "/nowhere/root.der", "--clock", "soon",
      "--app", "com.example.demo", "--environment", "Moon", "--insecure-no-keys",
    ])
    #expect(outcome.status == 2)
    #expect(outcome.output == "")
    #expect(
      outcome.errors == """
        iap serve: --clock: found "soon", wanted an address such as https://iap.example.com.
          --environment: found ["Moon"], wanted a list of Production or Sandbox.
          --app: found "com.example.demo", wanted BUNDLE=APPID such as \
        com.example.app=1234567890.
          --root: found '/nowhere/root.der', which is not there, wanted a file.
          at least one app is needed: "apps" in the file, IAP_APP or --app BUNDLE=APPID.
          roots (--root) is only for simulated stores: set simulated (--simulated) as well.
          insecureNoKeys (--insecure-no-keys) is for this machine only: listen on 127.0.0.1, or \
        make keys with 'iap keys create'.
        'iap serve --help' shows what is possible.

        """
    )
  }

  @Test func everyMistakeOfAConfigurationIsNamedAtOnce() async throws {
    let served = try ServedStore()
    defer { served.remove() }
    let file = served.folder.appendingPathComponent("config.json")
    let text = """
      {"listen": "1.2.3.4:x", "simulated": "yes", "roots": [1], "colour": "red",
       "limits": {"claimLeaseSeconds": 21600, "requestsPerMinuteMax": 0, "depth": 1},
       "apps": [{"bundle": "a", "environments": ["Moon"], "what": 1},
                {"bundle": "a", "appAppleId": 3},
                {"bundle": "b", "appAppleId": 4, "transfers": "decided", "accounts": "any",
                 "offerKey": {"keyId": "A", "file": "a.p8"},
                 "products": {"p": {"level": 0, "accessPeriod": "soon"}}}]}
      """
    try Data(text.utf8).write(to: file)
    let outcome = try await CommandProcess.run(["serve", "--config", file.path])
    #expect(outcome.status == 2)
    for part in [
      #"listen: found "1.2.3.4:x", wanted HOST:PORT"#,
      #"simulated: found "yes", wanted true or false"#,
      "roots: found [1], wanted a list of file names",
      "colour: found a setting that is not known, wanted one of apple, apps,",
      #"apps[0].environments: found ["Moon"], wanted a list of Production or Sandbox"#,
      "apps[0].what: found a setting that is not known",
      "apps[0].appAppleId: found nothing, wanted the app's number",
      #"apps[1].bundle: found "a" a second time"#,
      "apps[2].products.p.level: found 0, wanted a whole number from 1",
      #"apps[2].products.p.accessPeriod: found "soon", wanted a length of time"#,
      #"apps[2].transfers: found "decided", wanted keep, transfer or share"#,
      #"apps[2].accounts: found "any", wanted proven or claimed"#,
      "apps[2].offerKey.issuerId: found nothing, wanted a text",
      "limits.claimLeaseSeconds: found 21600, wanted a whole number from 21601",
      "limits.requestsPerMinuteMax: found 0, wanted a whole number from 1",
      "limits.depth: found a setting that is not known",
    ] {
      #expect(outcome.errors.contains(part), "\(part)")
    }
  }

  @Test func aConfigurationIsEnoughAndTheCallWins() async throws {
    let served = try ServedStore()
    defer { served.remove() }
    let file = served.folder.appendingPathComponent("config.json")
    let text = """
      {"listen": "127.0.0.1:1", "database": "configured.sqlite", "simulated": true,
       "roots": ["root.der"], "insecureNoKeys": true,
       "limits": {"claimLeaseSeconds": 21601},
       "apps": [{"bundle": "com.example.demo", "appAppleId": 1234567890,
                 "environments": ["Sandbox"],
                 "products": {"com.example.demo.coins": {"entitlements": []}}}]}
      """
    try Data(text.utf8).write(to: file)
    let server = try await ServedProcess([
      "serve", "--config", file.path, "--listen", "127.0.0.1:0",
    ])
    let proof = try #require(try served.purchases(1).first)
    let response = try #require(await server.post(proof))
    let body = try JSONParser.parseObject(response.body)
    #expect(body["verdict"] == "accepted")
    #expect(body["simulated"] == true)
    let database = served.folder.appendingPathComponent("configured.sqlite")
    #expect(FileManager.default.fileExists(atPath: database.path))
    server.process.signal(SIGINT)
    #expect(await server.process.exit() == 0)
  }

  /// Who reads the first line may end it at once: nothing that it says is cut off.
  @Test func aServerIsEndedOrderlyHoweverEarlyThatIs() async throws {
    let statuses = try await withThrowingTaskGroup(of: Int32.self) { group in
      for number in 0..<8 {
        group.addTask {
          let served = try ServedStore()
          defer { served.remove() }
          let server = try await ServedProcess(served.words)
          server.process.signal(number.isMultiple(of: 2) ? SIGTERM : SIGINT)
          return await server.process.exit()
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(statuses == Array(repeating: 0, count: 8))
  }

  @Test func aDatabaseThatIsNoneIsLeftAsItIs() async throws {
    let served = try ServedStore()
    defer { served.remove() }
    let database = served.folder.appendingPathComponent("ledger.sqlite")
    let text = Data(String(repeating: "not a database ", count: 100).utf8)
    try text.write(to: database)
    let outcome = try await CommandProcess.run(served.words)
    #expect(outcome.status == 1)
    #expect(outcome.output == "")
    #expect(outcome.errors.contains("cannot be used"))
    #expect(try Data(contentsOf: database) == text)
  }

  @Test func aPortThatIsTakenAndAStoreThatIsNotThereAreNamed() async throws {
    let served = try ServedStore()
    defer { served.remove() }
    let server = try await ServedProcess(served.words)
    let port = try #require(server.url.split(separator: ":").last)
    var words = served.words
    words[2] = "127.0.0.1:\(port)"
    let taken = try await CommandProcess.run(words)
    #expect(taken.status == 1)
    #expect(taken.errors.contains("cannot listen on 127.0.0.1:\(port)"))
    let lonely = try await CommandProcess.run(served.words + ["--clock", server.url])
    #expect(lonely.status == 1)
    #expect(lonely.errors.contains("there is no store's clock at \(server.url)/control/clock"))
    server.process.signal(SIGTERM)
    #expect(await server.process.exit() == 0)
  }
}

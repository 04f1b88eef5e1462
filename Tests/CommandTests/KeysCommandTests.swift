import AppStoreSimulator
import Foundation
import HTTPClient
import HTTPValues
import IAPModel
import Testing

@Suite("iap keys")
struct KeysCommandTests {
  private func keys(_ served: ServedStore, _ words: [String]) async throws -> CommandProcess.Outcome
  {
    try await CommandProcess.run(
      ["keys"] + words + ["--database", served.folder.path + "/ledger.sqlite"]
    )
  }

  /// A call that serves the store to who has a key.
  private func words(_ served: ServedStore) -> [String] {
    served.words.filter { $0 != "--insecure-no-keys" }
  }

  private func status(_ server: ServedProcess, _ path: String, _ key: String?) async -> Int? {
    var request = HTTPOutgoingRequest(method: .get, url: server.url + path)
    if let key { request.headers["Authorization"] = "Bearer \(key)" }
    return try? await HTTPClient().send(request).status
  }

  @Test func aKeyIsShownOnceAndOpensARunningServer() async throws {
    let served = try ServedStore()
    defer { served.remove() }
    let server = try await ServedProcess(words(served))
    #expect(await status(server, "/healthz", nil) == 200)
    #expect(await status(server, "/metrics", nil) == 401)
    let made = try await keys(
      served,
      [
        "create", "--app", DemoCatalog.bundleID.rawValue, "--kind", "secret", "--label", "shop",
      ]
    )
    #expect(made.status == 0)
    let key = made.output.split(separator: "\n").map { String($0) }
    #expect(key.count == 1)
    #expect(key[0].hasPrefix("iap_sk_"))
    #expect(await status(server, "/metrics", key[0]) == 200)
    let listed = try await keys(served, ["list"])
    let columns = listed.output.split(separator: "\t", omittingEmptySubsequences: false)
    #expect(columns.count == 6)
    #expect(columns.prefix(3) == [key[0].split(separator: "_")[2], "secret", "com.example.demo"])
    #expect(columns.last == "shop")
    #expect(!listed.output.contains(key[0].suffix(43)))
    let revoked = try await keys(served, ["revoke", String(columns[0])])
    #expect(revoked.status == 0)
    #expect(try await keys(served, ["list"]).output.contains("revoked "))
    server.process.signal(SIGTERM)
    #expect(await server.process.exit() == 0)
    // A new process remembers nothing.
    let again = try await ServedProcess(words(served))
    #expect(await status(again, "/metrics", key[0]) == 401)
    again.process.signal(SIGTERM)
    #expect(await again.process.exit() == 0)
  }

  @Test func whatCannotBeUsedIsNamed() async throws {
    let served = try ServedStore()
    defer { served.remove() }
    let app = ["--app", "com.example.demo"]
    for (words, text) in [
      (["make"], "knows create, list and revoke"), (["create"], "needs --app BUNDLE"),
      (["create", "--kind", "open"] + app, "--kind is public or secret, not 'open'"),
      (
        ["create", "--label", String(repeating: "x", count: 101)] + app,
        "--label has at most 100 bytes"
      ),
    ] {
      let outcome = try await keys(served, words)
      #expect(outcome.status == 2)
      #expect(outcome.errors.contains(text), "\(text)")
    }
    let none = try await keys(served, ["list"])
    #expect(none.status == 1)
    #expect(none.errors.contains("there is no database"))
    let longest = ["create", "--label", String(repeating: "x", count: 100)] + app
    #expect(try await keys(served, longest).status == 0)
    #expect(try await keys(served, ["revoke"]).status == 2)
    let unknown = try await keys(served, ["revoke", "0"])
    #expect(unknown.status == 1)
    #expect(unknown.errors.contains("there is no key of that name"))
  }
}

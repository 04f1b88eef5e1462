import AppStoreSimulator
import Foundation
import HTTPClient
import HTTPValues
import IAPModel
import Synchronization
import Testing

/// A node whose network goes away while it holds jobs and locks.
@Suite(.serialized, .enabled(if: PostgresServer.isWanted, PostgresServer.absence))
struct ServeCutOffTests {
  /// A network of its own with one cable to this machine.
  private struct Cable {
    static let tool = "/usr/sbin/ip"
    let name: String
    let network: String
    var host: String { network + ".1" }
    var node: String { network + ".2" }

    /// Nil where this user may not make one.
    init?() {
      let number = ProcessInfo.processInfo.processIdentifier % 200 + 20
      name = "iap\(number)"
      network = "10.213.\(number)"
      guard FileManager.default.isExecutableFile(atPath: Self.tool),
        run("netns", "add", name)
      else { return nil }
      let isLaid =
        run("link", "add", name + "h", "type", "veth", "peer", "name", name + "n")
        && run("link", "set", name + "n", "netns", name)
        && run("addr", "add", host + "/24", "dev", name + "h")
        && run("link", "set", name + "h", "up")
        && run("-n", name, "addr", "add", node + "/24", "dev", name + "n")
        && run("-n", name, "link", "set", name + "n", "up")
        && run("-n", name, "link", "set", "lo", "up")
      guard isLaid else {
        remove()
        return nil
      }
    }

    @discardableResult
    func run(_ words: String...) -> Bool {
      let process = Process()
      process.executableURL = URL(fileURLWithPath: Self.tool)
      process.arguments = words
      process.standardError = FileHandle.nullDevice
      guard (try? process.run()) != nil else { return false }
      process.waitUntilExit()
      return process.terminationStatus == 0
    }

    func cut() { run("link", "set", name + "h", "down") }
    func mend() { run("link", "set", name + "h", "up") }

    func remove() {
      run("link", "del", name + "h")
      run("netns", "del", name)
    }
  }

  private final class Record: Sendable {
    private let acknowledged = Mutex<Set<Int>>([])
    var count: Int { acknowledged.withLock(\.count) }
    func note(_ index: Int) { acknowledged.withLock { _ = $0.insert(index) } }
  }

  /// Posts to a node in a network, with a key; nil when there is no answer within two seconds.
  private func post(_ proof: Proof, _ url: String, _ key: String) async -> Int? {
    try? await HTTPClient().send(
      HTTPOutgoingRequest(
        method: .post,
        url: url + proof.path,
        headers: ["Content-Type": "application/json", "Authorization": "Bearer \(key)"],
        body: proof.body,
        timeout: .seconds(2)
      )
    ).status
  }

  private func key(_ database: PostgresServer) async throws -> String {
    try await CommandProcess.run([
      "keys", "create", "--app", DemoCatalog.bundleID.rawValue, "--kind", "secret", "--label", "n",
      "--database", database.address,
    ]).output
  }

  @Test func aNodeThatIsCutOffHoldsUpNobodyForLongAndComesBack() async throws {
    guard let cable = Cable() else {
      print("SKIPPED aNodeThatIsCutOff: network namespaces are not allowed here")
      return
    }
    defer { cable.remove() }
    try await PostgresServer.with { database in
      try database.listen(at: cable.host, for: cable.network + ".0/24")
      let served = try ServedStore()
      defer { served.remove() }
      let words = served.words(database: database.address)
      let near = try await ServedProcess(words)
      let key = try await key(database)
      let receiver = try ChaosReceiver()
      let hook: JSONObject = ["url": .string(receiver.url)]
      #expect(await near.post(Proof(path: "/v1/webhooks", body: hook.serialized))?.status == 200)
      var far = served.words(database: "postgres://iap@\(cable.host)/postgres")
        .filter { $0 != "--insecure-no-keys" }
      if let place = far.firstIndex(of: "127.0.0.1:0") { far[place] = cable.node + ":0" }
      let node = try await ServedProcess(
        far,
        under: [Cable.tool, "netns", "exec", cable.name]
      )
      let purchases = try served.purchases(150)
      let record = Record()
      try await withThrowingTaskGroup(of: Void.self) { group in
        // Some go to the node that will be cut off, whose answer may never come, some to the other.
        for index in purchases.indices {
          if index.isMultiple(of: 2) {
            #expect(await near.post(purchases[index])?.status == 200)
            record.note(index)
          } else {
            group.addTask {
              guard await post(purchases[index], node.url, key) == 200 else { return }
              record.note(index)
            }
          }
          if index == 60 { cable.cut() }
        }
        try await group.waitForAll()
      }
      // Nobody waited for the locks of the node for longer than the database lets it be silent, and
      // its webhooks are told by the other.
      while await near.metric("iap_webhook_pending") != 0 { await Task.yield() }
      cable.mend()
      var last: Int?
      while last != 200 { last = await post(purchases[1], node.url, key) }
      for proof in purchases { #expect(await near.post(proof)?.status == 200) }
      #expect(await near.metric("iap_ledger_entries") == purchases.count)
      while await near.metric("iap_webhook_pending") != 0 { await Task.yield() }
      #expect(record.count >= 75)
      for server in [node, near] {
        server.process.signal(SIGTERM)
        #expect(await server.process.exit() == 0)
      }
      await receiver.stop()
    }
  }
}

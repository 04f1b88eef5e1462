import AppStoreSimulator
import Foundation
import HTTPValues
import IAPModel
import SQLiteStorage
import ServerStorage
import Testing

/// What a server answers when its file is locked, must not be written, or has no room.
@Suite(.serialized)
struct ServeSQLiteTroubleTests {
  private func isDone(_ tool: String, _ words: String...) throws -> Bool {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: tool)
    process.arguments = words
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    return process.terminationStatus == 0
  }

  private func message(_ response: HTTPResponse?) throws -> String {
    let object = try JSONParser.parseObject(try #require(response).body, limits: .document)
    return object["error"]?.objectValue?["message"]?.stringValue ?? ""
  }

  /// Runs `body` with a small file system in memory, where this user may make one.
  private func withSmallDisk(
    _ name: String,
    _ body: (String) async throws -> Void
  ) async throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("iap-small-" + UUID().uuidString).path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    guard FileManager.default.isExecutableFile(atPath: "/bin/mount"),
      try isDone("/bin/mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", folder)
    else {
      print("SKIPPED \(name): mounting is not allowed here")
      return
    }
    defer { _ = try? isDone("/bin/umount", "-l", folder) }
    try await body(folder)
  }

  @Test func aLockedFileIsAnswered503AndReadsGoOn() async throws {
    let served = try ServedStore()
    defer { served.remove() }
    let purchases = try served.purchases(2)
    let server = try await ServedProcess(served.words)
    #expect(await server.post(purchases[0])?.status == 200)
    let other = try SQLiteArchive(path: served.ledgerPath)
    try other.begin(locking: true)
    let refused = try #require(await server.post(purchases[1]))
    #expect(refused.status == 503)
    #expect(refused.headers["Retry-After"] == "1")
    #expect(try message(await server.get("/readyz")).contains("busy"))
    #expect(await server.get("/healthz")?.status == 200)
    #expect(await server.metric("iap_ledger_entries") == 1)
    other.undo()
    #expect(await server.post(purchases[1])?.status == 200)
    #expect(await server.metric("iap_ledger_entries") == 2)
    server.process.signal(SIGTERM)
    #expect(await server.process.exit() == 0)
  }

  @Test func aFullDiskIsAnswered503AndLosesNothing() async throws {
    try await withSmallDisk("aFullDiskIsAnswered503AndLosesNothing") { folder in
      let served = try ServedStore()
      defer { served.remove() }
      let purchases = try served.purchases(400)
      let server = try await ServedProcess(served.words(database: folder + "/ledger.sqlite"))
      var answered = 0
      var refused: HTTPResponse?
      while refused == nil, answered < purchases.count {
        let response = try #require(await server.post(purchases[answered]))
        if response.status == 200 { answered += 1 } else { refused = response }
      }
      #expect(answered > 0)
      #expect(refused?.status == 503)
      #expect(refused?.headers["Retry-After"] == "1")
      #expect(await server.get("/healthz")?.status == 200)
      #expect(await server.metric("iap_ledger_entries") == answered)
      #expect(try isDone("/bin/mount", "-o", "remount,size=32m", folder))
      for proof in purchases.prefix(answered + 2) {
        #expect(await server.post(proof)?.status == 200)
      }
      #expect(await server.metric("iap_ledger_entries") == answered + 2)
      server.process.signal(SIGTERM)
      #expect(await server.process.exit() == 0)
    }
  }

  @Test func aFileThatMustNotBeWrittenIsRefusedAtTheStartAndLeftAsItIs() async throws {
    try await withSmallDisk("aFileThatMustNotBeWrittenIsRefusedAtTheStart") { folder in
      let served = try ServedStore()
      defer { served.remove() }
      let path = folder + "/ledger.sqlite"
      let words = served.words(database: path)
      let server = try await ServedProcess(words)
      let proof = try #require(try served.purchases(1).first)
      #expect(await server.post(proof)?.status == 200)
      server.process.signal(SIGTERM)
      #expect(await server.process.exit() == 0)
      let before = try Data(contentsOf: URL(fileURLWithPath: path))
      #expect(try isDone("/bin/mount", "-o", "remount,ro", folder))
      let outcome = try await CommandProcess.run(words)
      #expect(outcome.status == 1)
      #expect(outcome.output.isEmpty)
      #expect(outcome.errors.contains("(readOnly)"), "\(outcome.errors)")
      #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
      #expect(try isDone("/bin/mount", "-o", "remount,rw", folder))
      let again = try await ServedProcess(words)
      #expect(await again.metric("iap_ledger_entries") == 1)
      again.process.signal(SIGTERM)
      #expect(await again.process.exit() == 0)
    }
  }
}

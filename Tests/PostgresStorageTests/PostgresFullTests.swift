import Foundation
import IAPModel
import PostgresStorage
import ServerStorage
import Testing

/// A disk without room: a small file system in memory, where this user may make one.
@Suite(.enabled(if: PostgresTestServer.shared != nil, PostgresTestServer.absence))
struct PostgresFullTests {
  @discardableResult
  private func run(_ tool: String, _ words: String...) throws -> Bool {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: tool)
    process.arguments = words
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    return process.terminationStatus == 0
  }

  /// A purchase whose bytes cannot be made much smaller.
  private func large(_ id: Int) -> LedgerWrite {
    var write = Make.purchase(id)
    var random = SeededGenerator(seed: UInt64(id))
    write.facts[0].bytes = (0..<400_000).map { _ in UInt8.random(in: 0...255, using: &random) }
    return write
  }

  @Test func aFullDiskRefusesWritesAndHarmsNothing() async throws {
    try await PostgresTestServer.withPrivate { server in
      let folder = try #require(server.folder) + "/small"
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      guard try run("/bin/mount", "-t", "tmpfs", "-o", "size=16m", "tmpfs", folder) else {
        print("SKIPPED aFullDiskRefusesWritesAndHarmsNothing: mounting is not allowed here")
        return
      }
      defer { _ = try? run("/bin/umount", "-l", folder) }
      try run("/bin/chown", "--reference=" + folder + "/../data", folder)
      try run("/bin/chmod", "700", folder)
      try server.sql("CREATE TABLESPACE small LOCATION '\(folder)'")
      let ledger = try server.ledger(
        "iap",
        at: server.address + "&options=-cdefault_tablespace%3Dsmall"
      )
      var count = 0
      var failure: StorageError?
      while failure == nil, count < 100 {
        do throws(StorageError) {
          _ = try await ledger.commit(large(count))
          count += 1
        } catch {
          failure = error
        }
      }
      #expect(failure == StorageError(.full, ""))
      #expect(failure?.isRetryable == true)
      #expect(try await ledger.counts().facts == count)
      #expect(try run("/bin/mount", "-o", "remount,size=64m", folder))
      #expect(try await ledger.commit(large(count)).newEntries.count == 1)
      #expect(try await ledger.counts().entries == count + 1)
      await ledger.close()
    }
  }
}

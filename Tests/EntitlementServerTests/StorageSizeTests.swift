import EntitlementServer
import Foundation
import SQLiteStorage
import ServerStorage
import Testing

/// What a notification costs on disk, beside what it costs on the wire.
@Suite struct StorageSizeTests {
  @Test func aNotificationCostsAFractionOfWhatItIsOnTheWire() async throws {
    // A small file holds pages that are not full yet, so it says the least.
    let ratio = try await measure(lives: 60, days: 60, notifications: 300)
    #expect(ratio < 0.5)
  }

  @Test(
    .enabled(
      if: ProcessInfo.processInfo.environment["IAP_LONG"] != nil,
      "set IAP_LONG for ten thousand notifications"
    )
  )
  func tenThousandNotificationsCostAFraction() async throws {
    let ratio = try await measure(lives: 1600, days: 90, notifications: 10_000)
    #expect(ratio < 0.4)
  }

  private func measure(lives: Int, days: Int, notifications: Int) async throws -> Double {
    let lives = try RandomLives(count: lives, days: days, seed: 8)
    let parcels = Array(
      lives.parcels.filter { $0.path.hasSuffix("/apple") }.prefix(notifications)
    )
    #expect(parcels.count == notifications)
    let wire = parcels.reduce(0) { $0 + $1.body.count }
    var run = lives.run
    run.width = 16
    var disk = 0
    try await withTemporaryFolder { folder in
      let path = folder + "/ledger.sqlite"
      let ledger = try SQLiteLedger(path: path)
      try await run.deliver(Deliveries(inOrder: parcels), to: ledger)
      let counts = try await ledger.counts()
      #expect(counts.facts == notifications)
      await ledger.close()
      for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
        let attributes = try FileManager.default.attributesOfItem(atPath: folder + "/" + name)
        disk += (attributes[.size] as? Int) ?? 0
      }
    }
    let ratio = Double(disk) / Double(wire)
    print(
      "STORAGE: \(notifications) notifications, \(wire / notifications) bytes each on the wire, "
        + "\(disk / notifications) on disk, \(Int((ratio * 100).rounded())) %"
    )
    return ratio
  }
}

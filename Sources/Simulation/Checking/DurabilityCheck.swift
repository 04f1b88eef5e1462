import AppStoreSimulator
import Foundation
import IAPModel
import ServerStorage

/// Whether every notification that a server has acknowledged is in the ledger.
struct DurabilityCheck {
  let world: SimulatedWorld

  /// What is missing.
  func findings() async -> [RunFinding] {
    let taken = world.store.notifications.filter(\.isDelivered)
    let scope = LedgerScope(app: DemoCatalog.bundleID, environment: .sandbox)
    var findings: [RunFinding] = []
    for record in taken {
      let key = FactKey.notification(record.uuid)
      let fact = try? await world.farm.disk.memory.read { reader throws(StorageError) in
        try reader.fact(key, in: scope)
      }
      if fact == .some(nil) || fact == nil {
        findings.append(
          RunFinding(rule: .durability, text: "\(record.type) was acknowledged and is not there")
        )
      }
    }
    return findings
  }
}

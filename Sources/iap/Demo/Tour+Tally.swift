import AppStoreSimulator
import IAPKit
import IAPModel
import SimulatedApp

/// The count at the end: what the store was paid for, against what the apps' shelves hold.
extension Tour {
  /// Compares the store's own history with the shelves and with the server's ledger.
  func tally() async throws -> DemoTally {
    var tally = DemoTally()
    tally.orders = apps.all.reduce(0) { $0 + $1.manager.store.orders.count }
    let shelves = apps.all.map { app in grantedUnits(of: app) }
    let setAside = Set(
      app.manager.store.records().filter { $0.state == .quarantined }
        .compactMap { unit(of: $0.transactionId) }
    )
    let paid = Set(
      world.store.transactions(of: account).compactMap { unit(of: $0.transactionID.rawValue) }
    )
    let delivered = Set(shelves.flatMap { $0 })
    tally.delivered = delivered.count
    tally.lost = paid.subtracting(delivered).subtracting(setAside).count
    tally.doubled = doubled(shelves)
    for purchase in try await serverPurchases() {
      let entries = purchase["entries"]?.arrayValue?.compactMap(\.objectValue) ?? []
      if entries.count(where: { $0["kind"] == "grant" }) > 1 { tally.doubled += 1 }
    }
    return tally
  }

  /// Twice on one shelf, whatever it is; or on two shelves, when it is used up.
  private func doubled(_ shelves: [[UnitID]]) -> Int {
    var count = 0
    for shelf in shelves { count += shelf.count - Set(shelf).count }
    let consumed = shelves.map { Set($0.filter { $0.rawValue.hasPrefix("tx:") }) }
    for (index, shelf) in consumed.enumerated() {
      for other in consumed[(index + 1)...] { count += shelf.intersection(other).count }
    }
    return count
  }

  private func grantedUnits(of app: SimulatedApp) -> [UnitID] {
    app.effects.filter { $0.kind == .grant }.compactMap { unit(of: $0.transactionId) }
  }

  /// What was paid for, by the store's own word: restored copies lead to what they restore.
  private func unit(of id: String) -> UnitID? {
    guard var record = world.store.transaction(TransactionID(id)) else { return nil }
    if let original = record.restoredFrom, let found = world.store.transaction(original) {
      record = found
    }
    switch record.type {
    case .consumable, .nonRenewable: return UnitID("tx:\(record.transactionID)")
    case .nonConsumable: return UnitID("orig:\(record.originalTransactionID)")
    default: return UnitID("period:\(record.transactionID)")
    }
  }
}

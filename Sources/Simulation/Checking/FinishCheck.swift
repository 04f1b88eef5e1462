import AppStoreSimulator
import Foundation
import IAPKit
import IAPModel
import SimulatedApp
import SimulatedDevice

/// Whether nothing was finished that is not with the user, and not set aside: the first invariant,
/// looked at whenever something happens.
struct FinishCheck {
  let world: SimulatedWorld

  /// What is wrong; remembers what was looked at.
  ///
  /// - Parameter seen: The finished transactions of before.
  /// - Returns: What is wrong.
  func findings(_ seen: inout Set<TransactionID>) -> [RunFinding] {
    var findings: [RunFinding] = []
    for customer in world.cast.customers.indices {
      let account = SimulatedWorld.account(customer)
      for record in world.store.transactions(of: account)
      where record.isFinished && seen.insert(record.transactionID).inserted {
        guard record.revocationDate == nil, !isSafe(record, customer) else { continue }
        findings.append(
          RunFinding(
            rule: .finish,
            text: "\(record.productID) \(record.transactionID) of \(account) was finished first"
          )
        )
      }
    }
    return findings
  }

  /// Whether it is on a shelf, or in a journal that says why not.
  private func isSafe(_ record: StoreTransactionRecord, _ customer: Int) -> Bool {
    let truth = StoreTruth(world: world)
    return world.apps.enumerated().contains { device, app in
      guard world.cast.handsets[device].customer == customer else { return false }
      let isHere = app.effects.contains { effect in
        guard let original = truth.original(effect.transactionId) else { return false }
        return truth.purchase(original) == truth.purchase(record)
      }
      if isHere { return true }
      // Set aside: the journal on the disk has it.
      let names = app.device.disk.names.filter { $0 != "goods.jsonl" }
      let id = Array(record.transactionID.rawValue.utf8)
      return names.contains { name in
        guard let bytes = app.device.disk.flushedBytes(of: name) else { return false }
        return String(decoding: bytes, as: UTF8.self).contains("quarantined")
          && bytes.contains(id)
      }
    }
  }
}

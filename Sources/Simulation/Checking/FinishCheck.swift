import AppStoreSimulator
import Foundation
import IAPKit
import IAPModel
import SimulatedApp
import SimulatedDevice

/// Whether nothing was finished that is not with the user, and not set aside: the first invariant,
/// looked at whenever something happens.
struct FinishCheck {
  private static let quarantined = Array("quarantined".utf8)
  private static let refused = Array("refused".utf8)

  /// The finished transactions that were looked at.
  private var seen: Set<TransactionID> = []
  /// What was paid back, even if only for a while: it is finished without an effect then, and what
  /// a reversal gives again is looked at in the end.
  private var refunded: Set<TransactionID> = []

  /// What is wrong; remembers what was looked at.
  mutating func findings(_ world: SimulatedWorld) -> [RunFinding] {
    var findings: [RunFinding] = []
    lazy var truth = StoreTruth(world: world)
    for customer in world.cast.customers.indices {
      let account = SimulatedWorld.account(customer)
      for record in world.store.transactions(of: account) {
        if record.revocationDate != nil { refunded.insert(record.transactionID) }
        guard record.isFinished, seen.insert(record.transactionID).inserted,
          !refunded.contains(record.transactionID), !isSafe(record, customer, truth)
        else { continue }
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
  private func isSafe(
    _ record: StoreTransactionRecord,
    _ customer: Int,
    _ truth: StoreTruth
  ) -> Bool {
    let world = truth.world
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
        return bytes.holds(id)
          && (bytes.holds(Self.quarantined) || bytes.holds(Self.refused))
      }
    }
  }
}

extension [UInt8] {
  /// Whether these bytes stand in it, one behind the other.
  ///
  /// The standard library's search of any collection takes fifty times as long.
  fileprivate func holds(_ wanted: [UInt8]) -> Bool {
    guard let first = wanted.first else { return true }
    return withUnsafeBytes { bytes in
      wanted.withUnsafeBytes { wanted in
        var place = 0
        while let found = bytes.offset(of: first, from: place) {
          guard found + wanted.count <= bytes.count else { return false }
          if UnsafeRawBufferPointer(rebasing: bytes[found..<found + wanted.count])
            .elementsEqual(wanted)
          {
            return true
          }
          place = found + 1
        }
        return false
      }
    }
  }
}

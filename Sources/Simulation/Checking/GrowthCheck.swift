import AppStoreSimulator
import Foundation
import IAPKit
import IAPModel
import SimulatedApp
import SimulatedDevice

/// Whether everything came to rest: no queue that is never emptied, no file that only grows.
struct GrowthCheck {
  /// The most bytes of an app's files: a journal is written anew after some hundred lines, of
  /// which every one may be a receipt.
  static let bytesMax = 6_000_000

  let world: SimulatedWorld

  var findings: [RunFinding] {
    var findings: [RunFinding] = []
    for (device, app) in world.apps.enumerated() {
      guard app.isAlive else {
        findings.append(RunFinding(rule: .growth, text: "phone-\(device): the app does not run"))
        continue
      }
      let attention = Set(app.manager.ordersNeedingAttention.map(\.transactionId))
      let waiting = (try? world.store.unfinished(on: app.device.id)) ?? []
      for record in waiting
      where !attention.contains(record.transactionID.rawValue)
        && record.transactionID.rawValue != world.postponed
      {
        findings.append(
          RunFinding(
            rule: .growth,
            text: "phone-\(device): \(record.productID) \(record.transactionID) is never finished"
          )
        )
      }
      let purchases = app.manager.store.records().count + app.manager.store.orders.count + 4
      let sizes = app.device.disk.names
        .map { (name: $0, bytes: app.device.disk.flushedBytes(of: $0)?.count ?? 0) }
      if sizes.reduce(0, { $0 + $1.bytes }) > Self.bytesMax {
        let text = sizes.map { "\($0.name) \($0.bytes)" }.joined(separator: ", ")
        findings.append(
          RunFinding(rule: .growth, text: "phone-\(device), \(purchases) purchases: \(text)")
        )
      }
    }
    return findings
  }
}

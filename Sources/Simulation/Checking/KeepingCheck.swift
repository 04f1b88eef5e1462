import AppStoreSimulator
import Foundation
import IAPKit
import IAPModel
import SimulatedApp
import SimulatedDevice

/// Whether nobody loses access to what was bought for ever, whatever goes wrong.
///
/// Silence, empty answers and dead servers say nothing about it. Looked at whenever something
/// happens.
struct KeepingCheck {
  private struct Holder: Hashable {
    let device: Int
    let user: String
  }

  private var granted: Set<Holder> = []
  /// The accounts that had a refund of it once.
  ///
  /// Its reversal, or the refund itself behind it, may reach a server late. What everybody has in
  /// the end is looked at when the faults have stopped.
  private(set) var refunded: Set<AccountID> = []

  /// What is wrong; remembers who had access.
  mutating func findings(_ world: SimulatedWorld) -> [RunFinding] {
    var findings: [RunFinding] = []
    for (device, app) in world.apps.enumerated() {
      let holder = Holder(device: device, user: world.user(of: device))
      let owned = world.store.transactions(of: app.account).filter {
        $0.productID == DemoCatalog.lifetime && $0.ownership == .purchased
      }
      if owned.contains(where: { $0.revocationDate != nil }) { refunded.insert(app.account) }
      // Whoever had a refund once, or shares the telephone, may hear of it late.
      guard !owned.isEmpty, !refunded.contains(app.account),
        world.cast.customers[world.cast.handsets[device].customer].userCount == 1
      else {
        granted.remove(holder)
        continue
      }
      guard app.isAlive else { continue }
      // What only the device has said so far, a server that was not told yet may deny.
      if case .yes(_, source: .server, provisional: false) = app.access(to: DemoCatalog.lifetime) {
        granted.insert(holder)
      } else if granted.contains(holder), app.access(to: DemoCatalog.lifetime) == .no {
        findings.append(
          RunFinding(rule: .access, text: "phone-\(device) lost access to \(DemoCatalog.lifetime)")
        )
      }
    }
    return findings
  }
}

extension SimulatedApp {
  /// The account of the App Store that the telephone is signed in to.
  fileprivate var account: AccountID {
    (try? device.store.device(device.id).account) ?? AccountID("")
  }
}

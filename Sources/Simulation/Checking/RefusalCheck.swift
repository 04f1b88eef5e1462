import AppStoreSimulator
import Foundation
import IAPKit
import IAPModel
import SimulatedApp

/// Whether no genuine purchase was set aside as refused: nobody refuses here, unless signatures
/// were spoiled.
struct RefusalCheck {
  let world: SimulatedWorld
  /// How often each kind of thing happened.
  let counts: [String: Int]

  var findings: [RunFinding] {
    guard counts["times of wrong signatures"] == nil else { return [] }
    return world.apps.enumerated().flatMap { device, app -> [RunFinding] in
      guard app.isAlive else { return [] }
      return app.manager.store.records()
        .filter { $0.state == .quarantined && $0.quarantine == .rejected }
        .map {
          RunFinding(
            rule: .refused,
            text: "phone-\(device): \($0.productId) \($0.transactionId) counts as refused"
          )
        }
    }
  }
}

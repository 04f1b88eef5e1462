import AppStoreSimulator
import Foundation
import IAPKit
import IAPModel
import SimulatedApp

/// Whether everybody may use what the store's books say: at the server, and in the app.
struct AccessCheck {
  let world: SimulatedWorld
  let truth: StoreTruth
  let view: ServerView.Answer

  var findings: [RunFinding] { servers() + apps() }

  private func servers() -> [RunFinding] {
    var findings: [RunFinding] = []
    for (index, customer) in world.cast.customers.enumerated() {
      for user in 0..<customer.userCount {
        let name = Cast.user(index, user)
        let (yes, unsure) = truth.access(of: name)
        let said = Set(
          (view.customers[name]?["entitlements"]?.arrayValue ?? [])
            .compactMap { $0.objectValue?["productId"]?.stringValue }.map { ProductID($0) }
        )
        findings += compare(said, yes, unsure, "the server about \(name)")
      }
    }
    return findings
  }

  private func apps() -> [RunFinding] {
    world.apps.enumerated().flatMap { device, app -> [RunFinding] in
      guard app.isAlive else { return [] }
      let name = world.user(of: device)
      let (yes, unsure) = truth.access(of: name)
      let open = Set(SimulationKit.products.map(\.id).filter { app.access(to: $0).isGranted })
      return compare(open, yes, unsure, "phone-\(device) of \(name)")
    }
  }

  /// What people have to look at is not decided: it may open something, or not yet.
  private var undecided: Set<ProductID> {
    Set(truth.bought.filter { view.isSetAside($0, in: world) }.map(\.productID))
  }

  private func compare(
    _ said: Set<ProductID>,
    _ yes: Set<ProductID>,
    _ unsure: Set<ProductID>,
    _ who: String
  ) -> [RunFinding] {
    let undecided = undecided
    let missing = yes.subtracting(said).subtracting(undecided).sorted()
    let extra = said.subtracting(yes).subtracting(unsure).subtracting(undecided).sorted()
    var findings: [RunFinding] = []
    if !missing.isEmpty {
      findings.append(RunFinding(rule: .access, text: "\(who): no access to \(missing)"))
    }
    if !extra.isEmpty {
      findings.append(RunFinding(rule: .access, text: "\(who): access to \(extra), unpaid"))
    }
    return findings
  }
}

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
      return compare(open, yes, unsure.union(untold(device)), "phone-\(device) of \(name)")
    }
  }

  /// What a telephone with StoreKit 1 opens on its own word for one of its users.
  ///
  /// Its receipt does not tell whose of them a purchase is, and who cannot be told is taken for the
  /// one who is signed in (decisions 0506 and 0570). As soon as a server has said what the user
  /// has, that counts.
  private func untold(_ device: Int) -> Set<ProductID> {
    let (app, customer) = (world.apps[device], world.cast.handsets[device].customer)
    guard app.isAlive, app.manager.generation == .storekit1,
      world.cast.customers[customer].userCount > 1
    else { return [] }
    return Set(
      SimulationKit.products.map(\.id).filter {
        if case .yes(_, source: .device, provisional: true) = app.access(to: $0) {
          true
        } else {
          false
        }
      }
    )
  }

  /// On how many telephones somebody may use what another user of the telephone has bought.
  var untoldCount: Int {
    world.apps.indices.count { device in
      let (yes, unsure) = truth.access(of: world.user(of: device))
      return !untold(device).isSubset(of: yes.union(unsure))
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

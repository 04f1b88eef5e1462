import AppStoreSimulator
import Foundation
import IAPKit
import IAPModel
import SimulatedApp
import SimulatedDevice

/// Whether everybody has what was paid for, once, and nothing else.
struct GoodsCheck {
  let world: SimulatedWorld
  let truth: StoreTruth
  let view: ServerView.Answer

  private struct Effect {
    let device: Int
    let effect: GoodsEffect
    let record: StoreTransactionRecord
  }

  var findings: [RunFinding] {
    var findings: [RunFinding] = []
    var effects: [Effect] = []
    for (device, app) in world.apps.enumerated() {
      for effect in app.effects {
        guard let record = truth.original(effect.transactionId) else {
          findings.append(
            RunFinding(rule: .unpaid, text: "phone-\(device): \(effect.key) was never sold")
          )
          continue
        }
        effects.append(Effect(device: device, effect: effect, record: record))
      }
    }
    let byPurchase = Dictionary(grouping: effects) { truth.purchase($0.record) }
    var seen: Set<String> = []
    for record in truth.bought where seen.insert(truth.purchase(record)).inserted {
      findings += check(record, byPurchase[truth.purchase(record)] ?? [])
    }
    return findings + users()
  }

  private func check(_ record: StoreTransactionRecord, _ effects: [Effect]) -> [RunFinding] {
    var findings: [RunFinding] = []
    let grants = effects.filter { $0.effect.kind == .grant }
    let name = "\(record.productID) \(truth.purchase(record)) of \(record.account)"
    let isReturned = isReturned(record)
    if grants.isEmpty, !isReturned, !view.isSetAside(record, in: world) {
      findings.append(RunFinding(rule: .lost, text: "\(name) took effect nowhere"))
    }
    let byDevice = Dictionary(grouping: effects, by: \.device)
    for (device, own) in byDevice.sorted(by: { $0.key < $1.key }) {
      let count = own.count { $0.effect.kind == .grant }
      if count > 1 {
        let keys = own.filter { $0.effect.kind == .grant }.map(\.effect.key)
        findings.append(
          RunFinding(rule: .doubled, text: "\(name) on phone-\(device): \(keys)")
        )
      }
      let net = own.reduce(0) { $0 + ($1.effect.kind == .clawback ? -1 : 1) }
      if net > 0, isReturned,
        record.type != .consumable || !handovers(grants).isForgotten(by: device)
      {
        findings.append(
          RunFinding(rule: .unpaid, text: "\(name) was paid back, and phone-\(device) has it")
        )
      }
      if net < 1, count > 0, !isReturned {
        findings.append(RunFinding(rule: .lost, text: "\(name) was taken from phone-\(device)"))
      }
    }
    if record.type == .consumable, grants.count > 1, byDevice.count > 1,
      !handovers(grants).areLeasesApart
    {
      findings.append(
        RunFinding(rule: .doubled, text: "\(name) on phones \(byDevice.keys.sorted())")
      )
    }
    if let wrong = grants.first(where: { $0.effect.quantity != $0.record.quantity }) {
      findings.append(
        RunFinding(rule: .lost, text: "\(name): \(wrong.effect.quantity) of \(record.quantity)")
      )
    }
    return findings + context(record, grants, name)
  }

  /// When each telephone got a consumable.
  private func handovers(_ grants: [Effect]) -> ConsumableHandovers {
    ConsumableHandovers(
      dates: Dictionary(grants.map { ($0.device, date($0)) }, uniquingKeysWith: max)
    )
  }

  /// When goods were put on the shelf.
  private func date(_ grant: Effect) -> Date {
    world.apps[grant.device].shelved.elements.first { $0.key == grant.effect.key }?.date
      ?? .distantPast
  }

  /// How many consumables a second telephone got after the lease.
  var secondOwnerCount: Int {
    let grants = world.apps.flatMap(\.effects)
      .filter { $0.kind == .grant && $0.productId == DemoCatalog.coins.rawValue }
    return Dictionary(grouping: grants, by: \.key).values.count { $0.count > 1 }
  }

  /// Whether it was paid back; of what is bought once, whether all of it was.
  private func isReturned(_ record: StoreTransactionRecord) -> Bool {
    let same = truth.bought.filter { truth.purchase($0) == truth.purchase(record) }
    return same.allSatisfy { $0.revocationDate != nil }
  }

  /// On the telephone that bought it the order is known: by its number, or, where the user's token
  /// travels in its place, at least as long as no other telephone of the user buys the same.
  private func context(
    _ record: StoreTransactionRecord,
    _ grants: [Effect],
    _ name: String
  ) -> [RunFinding] {
    guard record.reason == .purchase, let buyer = record.device, !world.cast.usesUserTokens
    else { return [] }
    return grants.filter { world.apps[$0.device].device.id == buyer }
      // Restored copies of a subscription's periods have nothing that tells them apart.
      .filter {
        record.type == .nonConsumable
          || $0.effect.transactionId == record.transactionID.rawValue
      }
      .filter { $0.effect.context["tap"] == nil }
      .map { _ in RunFinding(rule: .context, text: "\(name) was handed over without its order") }
  }

  /// Goods go to the user who paid, whoever is signed in.
  private func users() -> [RunFinding] {
    world.handovers.compactMap { handover in
      let effect = world.apps[handover.device].effects.first { $0.key == handover.key }
      guard let effect, let record = truth.original(effect.transactionId),
        let owner = truth.user(of: record), !handover.users.contains(owner)
      else { return nil }
      return RunFinding(
        rule: .wrongUser,
        text: "\(handover.key) of \(owner) was handed to \(handover.users.sorted())"
      )
    }
  }
}

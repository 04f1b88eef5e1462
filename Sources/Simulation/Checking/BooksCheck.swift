import AppStoreSimulator
import Foundation
import IAPKit
import IAPModel

/// Whether the server's books are the store's: each purchase once, balances, notifications.
struct BooksCheck {
  let world: SimulatedWorld
  let truth: StoreTruth
  let view: ServerView.Answer

  var findings: [RunFinding] { purchases() + balances() + notifications() }

  private struct Line {
    let owner: String
    let isActive: Bool
    let kinds: [String]
  }

  private var lines: [String: [Line]] {
    var lines: [String: [Line]] = [:]
    for (owner, customer) in view.customers.sorted(by: { $0.key < $1.key }) {
      for purchase in customer["purchases"]?.arrayValue ?? [] {
        guard let object = purchase.objectValue else { continue }
        let line = Line(
          owner: owner,
          isActive: object["isActive"]?.boolValue ?? false,
          kinds: (object["entries"]?.arrayValue ?? [])
            .compactMap { $0.objectValue?["kind"]?.stringValue }
        )
        for id in object["transactionIds"]?.arrayValue ?? [] {
          if let id = id.stringValue { lines[id, default: []].append(line) }
        }
      }
    }
    return lines
  }

  private func purchases() -> [RunFinding] {
    var findings: [RunFinding] = []
    let lines = lines
    for record in truth.bought {
      let name = "\(record.productID) \(record.transactionID) of \(record.account)"
      let mine = lines[record.transactionID.rawValue] ?? []
      if mine.isEmpty {
        if !view.isSetAside(record, in: world) {
          findings.append(RunFinding(rule: .ledger, text: "\(name) is in nobody's books"))
        }
        continue
      }
      if mine.count > 1 {
        findings.append(
          RunFinding(rule: .ledger, text: "\(name) belongs to \(mine.map(\.owner))")
        )
      }
      if let owner = truth.user(of: record), mine[0].owner != owner {
        findings.append(RunFinding(rule: .wrongUser, text: "\(name) is \(mine[0].owner)'s"))
      }
      let grants = mine[0].kinds.count { $0 == "grant" }
      if grants != 1 {
        findings.append(
          RunFinding(rule: grants > 1 ? .doubled : .ledger, text: "\(name): \(grants) grants")
        )
      }
      // A product that is bought once has one line for all its purchases.
      if record.type != .nonConsumable, mine[0].isActive != (record.revocationDate == nil) {
        findings.append(
          RunFinding(rule: .ledger, text: "\(name) counts as \(mine[0].isActive ? "" : "not ")paid")
        )
      }
    }
    for (id, _) in lines.sorted(by: { $0.key < $1.key })
    where world.store.transaction(TransactionID(id)) == nil {
      findings.append(RunFinding(rule: .unpaid, text: "\(id) is in the books and was never sold"))
    }
    return findings
  }

  private func balances() -> [RunFinding] {
    // An order that people have to look at is nobody's yet.
    let isUndecided = truth.bought.contains {
      $0.type == .consumable && view.isSetAside($0, in: world)
    }
    guard !isUndecided else { return [] }
    var expected: [String: Int64] = [:]
    for record in truth.bought where record.type == .consumable && record.revocationDate == nil {
      guard let owner = truth.user(of: record) else { return [] }
      expected[owner, default: 0] += Int64(record.quantity) * SimulationKit.coinsPerPiece
    }
    return view.coins.sorted { $0.key < $1.key }.compactMap { owner, coins in
      let right = expected[owner] ?? 0
      return coins == right
        ? nil : RunFinding(rule: .balance, text: "\(owner) has \(coins) coins, not \(right)")
    }
  }

  private func notifications() -> [RunFinding] {
    world.store.notifications.filter { !$0.isDelivered && $0.nextAttemptDate != nil }.map {
      RunFinding(rule: .notification, text: "\($0.type) \($0.uuid) was never acknowledged")
    }
  }
}

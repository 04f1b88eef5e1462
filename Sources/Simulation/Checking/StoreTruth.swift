import AppStoreSimulator
import Foundation
import IAPModel
import SimulatedApp
import SimulatedDevice

/// What the store's own books say: the only thing that the checkers believe.
struct StoreTruth {
  let world: SimulatedWorld
  /// What was paid for, of all customers, oldest first of each.
  let bought: [StoreTransactionRecord]

  init(world: SimulatedWorld) {
    self.world = world
    bought = world.cast.customers.indices
      .flatMap { world.store.transactions(of: SimulatedWorld.account($0)) }
      .filter { $0.ownership == .purchased }
  }

  /// The customer of a transaction, as an index into the cast.
  func customer(of record: StoreTransactionRecord) -> Int? {
    world.cast.customers.indices.first { SimulatedWorld.account($0) == record.account }
  }

  /// The user whose purchase it is; nil when the store's books do not say.
  func user(of record: StoreTransactionRecord) -> String? {
    guard let customer = customer(of: record) else { return nil }
    guard world.cast.customers[customer].userCount > 1 else { return Cast.user(customer, 0) }
    guard let token = record.appAccountToken else { return nil }
    return world.userTokens.first { $0.value == token.rawValue }?.key
  }

  /// The purchase behind a transaction that an app speaks of: copies stand for what they restore.
  func original(_ id: String) -> StoreTransactionRecord? {
    guard let record = world.store.transaction(TransactionID(id)) else { return nil }
    return record.restoredFrom.flatMap { world.store.transaction($0) } ?? record
  }

  /// What is the same purchase: one transaction, or all of a product that is bought once.
  func purchase(_ record: StoreTransactionRecord) -> String {
    record.type == .nonConsumable
      ? "product \(record.originalTransactionID)" : "transaction \(record.transactionID)"
  }

  /// What a user may use now, by the store's own rule.
  func access(of user: String) -> (yes: Set<ProductID>, unsure: Set<ProductID>) {
    var (yes, unsure): (Set<ProductID>, Set<ProductID>) = ([], [])
    var seen: Set<AccountID> = []
    for app in world.apps {
      guard let device = try? world.store.device(app.device.id),
        seen.insert(device.account).inserted,
        let held = try? world.store.currentEntitlements(on: app.device.id)
      else { continue }
      for record in held {
        guard let customer = customer(of: record) else { continue }
        let isMine = (0..<world.cast.customers[customer].userCount)
          .contains { Cast.user(customer, $0) == user }
        guard isMine else { continue }
        switch self.user(of: record) {
        case user?: yes.insert(record.productID)
        case nil: unsure.insert(record.productID)
        default: break
        }
      }
    }
    return (yes, unsure.subtracting(yes))
  }
}

import AppStoreSimulator
import Foundation
import IAPKit
import IAPModel
import SimulatedApp
import SimulatedDevice

/// What the store's own books say: the only thing that the checkers believe.
struct StoreTruth {
  let world: SimulatedWorld
  /// What was paid for, of all customers, oldest first of each.
  let bought: [StoreTransactionRecord]
  /// How many subscriptions several users of a telephone have paid for.
  private(set) var sharedSubscriptionCount = 0
  private var ambiguous: Set<String> = []

  init(world: SimulatedWorld) {
    self.world = world
    bought = world.cast.customers.indices
      .flatMap { world.store.transactions(of: SimulatedWorld.account($0)) }
      .filter { $0.ownership == .purchased }
    ambiguous = findAmbiguous()
    let shared = sharedSubscriptions
    sharedSubscriptionCount = shared.count
    ambiguous.formUnion(shared.flatMap { $0.map(purchase) })
  }

  /// The customer of a transaction, as an index into the cast.
  func customer(of record: StoreTransactionRecord) -> Int? {
    world.cast.customers.indices.first { SimulatedWorld.account($0) == record.account }
  }

  /// The user whose purchase it is; nil when the store's books do not say.
  func user(of record: StoreTransactionRecord) -> String? {
    guard let customer = customer(of: record) else { return nil }
    guard world.cast.customers[customer].userCount > 1 else { return Cast.user(customer, 0) }
    guard !ambiguous.contains(purchase(record)) else { return nil }
    guard let token = record.appAccountToken else { return nil }
    return world.userTokens.first { $0.value == token.rawValue }?.key
  }

  /// The purchases that a telephone with StoreKit 1 handed over first that had not bought them:
  /// neither queue nor receipt tells there whose of the telephone's users they are, and who cannot
  /// be told is taken for the one who is signed in (decision 0506).
  private func findAmbiguous() -> Set<String> {
    guard world.cast.customers.contains(where: { $0.userCount > 1 }) else { return [] }
    let records = world.apps.map { app in
      Dictionary(
        app.effects.map { ($0.key, original($0.transactionId)) },
        uniquingKeysWith: { first, _ in first }
      )
    }
    var (seen, ambiguous): (Set<String>, Set<String>) = ([], [])
    // Goods that the app never takes were offered to it all the same.
    if let offer = world.postponement, offer.generation == .storekit1,
      let record = original(offer.transactionID.rawValue), !isBuyer(offer.device, of: record)
    {
      ambiguous.insert(purchase(record))
    }
    for handover in world.handovers {
      guard let record = records[handover.device][handover.key] ?? nil,
        seen.insert(purchase(record)).inserted
      else { continue }
      if handover.generation == .storekit1, !isBuyer(handover.device, of: record) {
        ambiguous.insert(purchase(record))
      }
    }
    return ambiguous
  }

  private func isBuyer(_ device: Int, of record: StoreTransactionRecord) -> Bool {
    world.apps[device].device.id == record.device
  }

  /// The periods of each subscription that was bought anew, or changed, by another user.
  ///
  /// The App Store goes on with the account's subscription, and a purchase has one owner (decisions
  /// 0204 and 0574). Whether each payment took effect, or is held and shown, is looked at all the
  /// same.
  private var sharedSubscriptions: [[StoreTransactionRecord]] {
    guard world.cast.customers.contains(where: { $0.userCount > 1 }) else { return [] }
    let names = Dictionary(uniqueKeysWithValues: world.userTokens.map { ($0.value, $0.key) })
    return Dictionary(
      grouping: bought.filter { $0.type == .autoRenewable },
      by: \.originalTransactionID
    )
    .values
    .filter { periods in
      Set(periods.compactMap { $0.appAccountToken.flatMap { names[$0.rawValue] } }).count > 1
    }
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

  private func isUser(_ user: String, of customer: Int) -> Bool {
    (0..<world.cast.customers[customer].userCount).contains { Cast.user(customer, $0) == user }
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
        guard isUser(user, of: customer) else { continue }
        switch self.user(of: record) {
        case user?: yes.insert(record.productID)
        case nil: unsure.insert(record.productID)
        default: break
        }
      }
    }
    // StoreKit lists the last one of a product; what another user of the telephone bought before
    // lasts as long.
    for record in bought where record.type == .nonRenewable && record.revocationDate == nil {
      switch self.user(of: record) {
      case user?: yes.insert(record.productID)
      case nil:
        let isMine = customer(of: record).map { isUser(user, of: $0) } ?? false
        if isMine { unsure.insert(record.productID) }
      default: break
      }
    }
    return (yes, unsure.subtracting(yes))
  }
}

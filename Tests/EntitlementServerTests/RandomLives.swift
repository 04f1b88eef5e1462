import AppStoreSimulator
import EntitlementServer
import Foundation
import IAPModel

/// Subscriptions that live as their customers please, and everything that the store says of them.
struct RandomLives {
  let count: Int
  let run: DeliveryRun
  let parcels: [Parcel]

  /// Lets customers live.
  ///
  /// - Parameters:
  ///   - count: How many customers.
  ///   - days: How long.
  ///   - seed: What all chance comes from.
  init(count: Int, days: Int, seed: UInt64) throws {
    self.count = count
    let store = try EventfulStore.make(seed: seed) { $0.gracePeriod = 3 * 86_400 }
    var random = SeededGenerator(seed: seed)
    for number in 0..<count {
      try store.addAccount(AccountID("a\(number)"))
      try store.addDevice(DeviceID("d\(number)"), account: AccountID("a\(number)"))
    }
    for day in 0..<days {
      for number in 0..<count {
        // Everybody begins on one of the first twenty days.
        if day == number % 20 { Self.buy(store, number, &random) }
        if day > number % 20 { Self.live(store, number, &random) }
      }
      store.clock.advance(by: 86_400)
    }
    run = DeliveryRun(
      roots: [store.jwsRootCertificate],
      app: ServerApp(bundleID: DemoCatalog.bundleID, appAppleID: DemoCatalog.appAppleID),
      end: store.clock.now
    )
    var parcels: [Parcel] = []
    for record in store.notifications {
      parcels.append(
        Parcel(notification: try store.signedNotification(record), sent: record.signedDate)
      )
      // Some purchases are presented by the app as well, as they were at that time.
      if let transaction = record.transaction, Int.random(in: 0..<10, using: &random) == 0 {
        parcels.append(
          Parcel(
            transaction: try store.signedTransaction(transaction.transactionID),
            sent: record.signedDate
          )
        )
      }
    }
    self.parcels = parcels
  }

  private static func buy(
    _ store: SimulatedAppStore,
    _ number: Int,
    _ random: inout SeededGenerator
  ) {
    let products = [
      EventfulStore.gold, EventfulStore.silver, EventfulStore.weekly, EventfulStore.weekly,
    ]
    guard let product = products.randomElement(using: &random) else { return }
    _ = try? store.purchase(PurchaseRequest(device: DeviceID("d\(number)"), productID: product))
  }

  /// A day in which mostly nothing happens; what the store refuses does not happen.
  private static func live(
    _ store: SimulatedAppStore,
    _ number: Int,
    _ random: inout SeededGenerator
  ) {
    let account = AccountID("a\(number)")
    let own = store.transactions(of: account)
    switch Int.random(in: 0..<220, using: &random) {
    case 0..<4: buy(store, number, &random)
    case 4..<6:
      _ = try? store.purchase(
        PurchaseRequest(device: DeviceID("d\(number)"), productID: EventfulStore.coins)
      )
    case 6..<9:
      if let last = own.last(where: { $0.type == .autoRenewable }) {
        try? store.setAutoRenew(Bool.random(using: &random), of: last.originalTransactionID)
      }
    case 9..<11: try? store.setPayment(works: false, of: account)
    case 11..<16: try? store.setPayment(works: true, of: account)
    case 16..<18:
      if let one = own.randomElement(using: &random) { try? store.refund(one.transactionID) }
    case 18..<20:
      if let one = own.randomElement(using: &random) { try? store.reverseRefund(one.transactionID) }
    case 20:
      if let last = own.last(where: { $0.type == .autoRenewable }) {
        try? store.expire(last.originalTransactionID)
      }
    default: break
    }
  }
}

import AppStoreSimulator
import Foundation
import IAPModel
import OpenSSLCrypto

/// A store with the demonstration's catalog, two accounts and three devices.
struct TestStore {
  static let start = Date(milliseconds: 1_767_268_800_000)  // 2026-01-01T12:00:00Z

  let store: SimulatedAppStore
  let account: AccountID = "mia"
  let other: AccountID = "noah"
  let phone: DeviceID = "mia-phone"
  let pad: DeviceID = "mia-pad"
  let otherPhone: DeviceID = "noah-phone"

  init(
    seed: UInt64 = 7,
    environment: StoreEnvironment = .sandbox,
    catalog: StoreCatalog? = nil,
    options: (inout StoreOptions) -> Void = { _ in }
  ) throws {
    var storeOptions = StoreOptions(environment: environment)
    options(&storeOptions)
    store = try SimulatedAppStore(
      configuration: StoreConfiguration(
        catalog: try catalog ?? DemoCatalog.load(),
        bundleID: DemoCatalog.bundleID,
        appAppleID: DemoCatalog.appAppleID,
        environment: environment,
        seed: seed,
        start: Self.start,
        options: storeOptions
      ),
      signing: try OpenSSLPrimitives()
    )
    try store.addAccount(account)
    try store.addAccount(other)
    try store.addDevice(phone, account: account)
    try store.addDevice(pad, account: account)
    try store.addDevice(otherPhone, account: other)
  }

  /// Buys on the first device.
  @discardableResult
  func buy(
    _ product: ProductID,
    quantity: Int = 1,
    on device: DeviceID? = nil
  ) throws
    -> StoreTransactionRecord
  {
    let outcome = try store.purchase(
      PurchaseRequest(device: device ?? phone, productID: product, quantity: quantity)
    )
    guard case .purchased(let record) = outcome else { throw NotBought(outcome: outcome) }
    return record
  }

  struct NotBought: Error { let outcome: PurchaseOutcome }

  /// The types of all notifications with their subtypes, oldest first.
  var announced: [String] {
    store.notifications.map { record in
      [record.type.rawValue, record.subtype?.rawValue].compactMap { $0 }.joined(separator: "/")
    }
  }
}

let day: TimeInterval = 24 * 3600

func date(_ text: String) throws -> Date {
  guard let date = ISO8601DateFormatter().date(from: text) else { throw BadDate(text: text) }
  return date
}

struct BadDate: Error { let text: String }

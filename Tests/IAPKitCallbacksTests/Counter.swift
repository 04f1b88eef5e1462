import AppStoreSimulator
import Dispatch
import Foundation
import IAPKit
import IAPModel
import OpenSSLCrypto
import SimulatedApp
import SimulatedDevice

/// A shop whose app runs on a simulated telephone.
struct Counter {
  static let coins = DemoCatalog.coins
  static let lifetime = DemoCatalog.lifetime
  static let monthly = DemoCatalog.monthly
  static let account: AccountID = "ada"

  /// Keeps the keys that it makes: all shops have the same.
  private static let crypto = Result { try OpenSSLPrimitives() }

  let store: SimulatedAppStore
  let app: SimulatedApp

  /// Installs the app on a telephone and starts it.
  init(_ generation: StoreGeneration) async throws {
    store = try SimulatedAppStore(
      configuration: StoreConfiguration(
        catalog: try DemoCatalog.load(),
        bundleID: DemoCatalog.bundleID,
        appAppleID: DemoCatalog.appAppleID,
        start: Date(timeIntervalSince1970: 1_750_000_000)
      ),
      signing: try Self.crypto.get()
    )
    try store.addAccount(Self.account)
    app = SimulatedApp(
      device: try SimulatedDevice(store: store, account: Self.account, id: "phone"),
      setup: AppSetup(
        generation: generation,
        productIds: [Self.coins, Self.lifetime, Self.monthly],
        productTypes: [
          Self.coins: .consumable, Self.lifetime: .nonConsumable, Self.monthly: .autoRenewable,
        ],
        judge: .script { [store] evidence in
          let record = store.transaction(TransactionID(evidence.transactionId))
          return ReceiptValidationResult(
            isValid: true,
            productId: evidence.productId,
            expiresDate: record?.expiresDate
          )
        }
      )
    )
    try await app.launch()
  }
}

let generations = StoreGeneration.allCases

extension EventLog {
  /// Waits until so many elements were told.
  func waitFor(_ count: Int) async { await wait(until: { $0.count >= count }) }
}

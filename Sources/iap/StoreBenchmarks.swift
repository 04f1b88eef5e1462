import AppStoreSimulator
import Foundation
import IAPModel
import OpenSSLCrypto

/// How fast the simulated store lives.
enum StoreBenchmarks {
  /// How many accounts hold a subscription that renews every month.
  static let accountCount = 1000

  static func make(now: Date) throws(SimulatorError) -> [Benchmark] {
    let crypto: OpenSSLPrimitives
    do { crypto = try OpenSSLPrimitives() } catch {
      throw SimulatorError(.signingFailed, "no cryptography", underlying: error)
    }
    let store = try SimulatedAppStore(
      configuration: StoreConfiguration(
        catalog: try DemoCatalog.load(),
        bundleID: DemoCatalog.bundleID,
        appAppleID: DemoCatalog.appAppleID,
        start: now
      ),
      signing: crypto
    )
    for number in 0..<accountCount {
      let account = AccountID("account-\(number)")
      let device = DeviceID("device-\(number)")
      try store.addAccount(account)
      try store.addDevice(device, account: account)
      try store.purchase(PurchaseRequest(device: device, productID: DemoCatalog.monthly))
      store.clock.advance(by: 60)
    }
    return [
      Benchmark(
        "storeRenewal",
        Words(
          "simulated store: one renewal of \(accountCount) subscriptions",
          zh: "模拟商店：\(accountCount) 个订阅中的一次续期"
        ),
        limit: VerificationBenchmarks.limit
      ) { store.clock.advanceToNextEvent() }
    ]
  }
}

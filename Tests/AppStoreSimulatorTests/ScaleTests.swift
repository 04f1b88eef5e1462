import Foundation
import IAPModel
import IAPSignatures
import OpenSSLCrypto
import Testing

@testable import AppStoreSimulator

/// Many accounts over a long time, twice.
struct ScaleTests {
  /// A store in which every account subscribes on a day of its own and nobody touches anything.
  private static func life(accounts: Int, days: Int) throws -> SimulatedAppStore {
    let test = try TestStore.rules(seed: 11, environment: .production)
    let store = test.store
    let products = [RulesCatalog.silver, RulesCatalog.gold, RulesCatalog.weekly]
    for number in 0..<accounts {
      let account = AccountID("account-\(number)")
      let device = DeviceID("device-\(number)")
      try store.addAccount(account)
      try store.addDevice(device, account: account)
      try store.purchase(
        PurchaseRequest(device: device, productID: products[number % products.count])
      )
      if number % 10 == 9 { store.clock.advance(by: day / 10) }
      if number % 17 == 0 { try store.setPayment(works: false, of: account) }
    }
    store.clock.advance(to: TestStore.start.addingTimeInterval(Double(days) * day))
    return store
  }

  private static func fingerprint(_ store: SimulatedAppStore) throws -> [UInt8] {
    var bytes: [UInt8] = []
    for entry in store.history {
      bytes += JSONValue.object(entry.json).serialized
      bytes.append(0x0A)
    }
    let last = store.notifications.last
    if let last { bytes += Array(try store.signedNotification(last).utf8) }
    return try OpenSSLPrimitives().digest(.sha256, bytes)
  }

  @Test func theSameSeedGivesTheSameHistory() throws {
    let first = try Self.life(accounts: 40, days: 200)
    let second = try Self.life(accounts: 40, days: 200)
    #expect(first.history.count == second.history.count)
    #expect(try Self.fingerprint(first) == Self.fingerprint(second))
  }

  @Test(
    .enabled(
      if: ProcessInfo.processInfo.environment["IAP_LONG"] != nil,
      "set IAP_LONG for a thousand accounts over two years"
    )
  )
  func aThousandAccountsLiveTwoYearsTwice() throws {
    let before = Self.residentBytes()
    let start = ContinuousClock.now
    let store = try Self.life(accounts: 1000, days: 730)
    let passed = start.duration(to: .now).components
    let seconds = Double(passed.seconds) + Double(passed.attoseconds) * 1e-18
    let used = Self.residentBytes() - before
    let renewals = store.notifications.filter { $0.type == .didRenew }.count
    let digest = try Self.fingerprint(store).map {
      String($0 >> 4, radix: 16) + String($0 & 15, radix: 16)
    }
    print(
      "renewals \(renewals), \(Int(Double(renewals) / seconds)) a second,",
      "\(used / 1000) bytes an account, history \(store.history.count),",
      "SHA-256 \(digest.joined())"
    )
    #expect(try Self.fingerprint(store) == Self.fingerprint(Self.life(accounts: 1000, days: 730)))
  }

  private static func residentBytes() -> Int {
    let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
    let pages = text?.split(separator: " ").dropFirst().first.flatMap { Int($0) }
    return (pages ?? 0) * 4096
  }
}

import Foundation
import IAPModel

/// Where new identifiers come from: counters that start at a chance number and rise by chance.
struct IdentifierSource: Sendable {
  private let seed: UInt64
  private var generator: SeededGenerator
  private var transaction: UInt64
  private var lineItem: UInt64
  private var pendingCount = 0
  /// Whether numbers are counted from 0, as in Xcode.
  private let counts: Bool

  init(seed: UInt64, environment: StoreEnvironment) {
    self.seed = seed
    generator = SeededGenerator(seed: seed)
    counts = environment == .xcode || environment == .localTesting
    guard !counts else {
      (transaction, lineItem) = (0, 0)
      return
    }
    // Numbers of the sandbox begin with 2000000; those of production have fewer digits.
    let (floor, lineFloor): (UInt64, UInt64) =
      environment == .production
      ? (510_000_000_000_000, 510_000_000_000_000) : (2_000_000_000_000_000, 2_000_000_000_000_000)
    transaction = floor + UInt64.random(in: 100_000_000..<500_000_000, using: &generator)
    lineItem = lineFloor + UInt64.random(in: 10_000_000..<90_000_000, using: &generator)
  }

  mutating func nextTransaction() -> TransactionID {
    guard !counts else {
      defer { transaction += 1 }
      return TransactionID(String(transaction))
    }
    transaction += UInt64.random(in: 1...97, using: &generator)
    return TransactionID(String(transaction))
  }

  mutating func nextLineItem() -> WebOrderLineItemID {
    guard !counts else {
      defer { lineItem += 1 }
      return WebOrderLineItemID(String(lineItem))
    }
    lineItem += UInt64.random(in: 1...9, using: &generator)
    return WebOrderLineItemID(String(lineItem))
  }

  mutating func nextPending() -> PendingID {
    pendingCount += 1
    return PendingID("pending-\(pendingCount)")
  }

  mutating func nextNotification() -> NotificationUUID {
    NotificationUUID(generator.nextUUID().uuidString.lowercased())
  }

  /// The same for an account and app, however often it is asked.
  func appTransactionID(_ account: AccountID, _ app: BundleID) -> AppTransactionID {
    var generator = derived(["app-transaction", account.rawValue, app.rawValue])
    return AppTransactionID(
      String(
        UInt64.random(in: 700_000_000_000_000_000..<710_000_000_000_000_000, using: &generator)
      )
    )
  }

  /// The same for equal texts, however often it is asked.
  func uuid(for texts: [String]) -> UUID {
    var generator = derived(texts)
    return generator.nextUUID()
  }

  /// A generator for a purpose of its own: FNV-1a over the seed and the texts.
  func derived(_ texts: [String]) -> SeededGenerator {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325 ^ seed
    for byte in texts.joined(separator: "\u{1F}").utf8 {
      hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3
    }
    return SeededGenerator(seed: hash)
  }
}

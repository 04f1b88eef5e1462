import Foundation
import IAPEntitlements
import IAPModel
import SQLiteStorage
import ServerStorage
import Synchronization

/// How fast facts become durable, beside the disk's own flush.
enum StorageBenchmarks {
  /// The name of the raw limit: one flush of the disk.
  static let limit = "flush"

  /// How many requests wait for the ledger at the same time.
  private static let requestCount = 64

  static func make(folder: URL, now: Date) throws -> [Benchmark] {
    let flush = try LiveScratch.Flusher(folder.appendingPathComponent("flush"))
    let ledger = try SQLiteLedger(path: folder.appendingPathComponent("ledger.sqlite").path)
    let sales = Sales(now: now)
    return [
      Benchmark(
        limit,
        Words("one write of 4 KiB and one flush: the limit", zh: "写入 4 KiB 并刷盘一次：上限"),
        limit: limit
      ) { flush.run() },
      Benchmark(
        "ledger",
        Words("ledger: a new fact, one request at a time", zh: "账本：新事实，逐个请求"),
        limit: limit
      ) { await sales.record(in: ledger) },
      Benchmark(
        "ledgerTogether",
        Words(
          "ledger: a new fact, \(requestCount) requests at a time",
          zh: "账本：新事实，\(requestCount) 个并发请求"
        ),
        workers: requestCount,
        limit: limit
      ) { await sales.record(in: ledger) },
    ]
  }
}

/// Makes sales that are all different.
private final class Sales: Sendable {
  private let count = Atomic<Int64>(2_000_000_000_000_000)
  private let now: Date

  init(now: Date) { self.now = now }

  /// Records one new sale; whether the ledger says that it is new.
  func record(in ledger: some Ledger) async -> Bool {
    let number = count.add(1, ordering: .relaxed).newValue
    var sale = TransactionPayload(
      transactionID: TransactionID(String(number)),
      originalTransactionID: OriginalTransactionID(String(number)),
      bundleID: "com.example.app",
      productID: "com.example.app.coins",
      purchaseDate: now
    )
    sale.type = .consumable
    sale.environment = .production
    sale.signedDate = now
    sale.quantity = 1
    // As long as a real one with its three certificates.
    let bytes = [UInt8](repeating: UInt8(ascii: "a"), count: 5 * 1024) + Array(String(number).utf8)
    let fact = FactRecord(
      key: .transaction(sale),
      scope: LedgerScope(app: sale.bundleID, environment: .production),
      bytes: bytes,
      signedDate: now,
      receivedDate: now,
      facts: [.transaction(sale)]
    )
    let outcome = try? await ledger.commit(LedgerWrite(date: now, facts: [fact]))
    return outcome?.facts == [.inserted]
  }
}

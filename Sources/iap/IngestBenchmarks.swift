import Foundation
import IAPEntitlements
import IAPModel
import PostgresStorage
import SQLiteStorage
import ServerStorage
import Synchronization

/// How many notifications a second the ledger makes durable, beside how often the same disk can be
/// flushed at all.
///
/// Signatures are not checked here: the texts only have the size and the outline of real ones.
enum IngestBenchmarks {
  /// The name of the raw limit of a ledger that flushes for each fact.
  static let limit = "flush"

  /// Prepares the flushes of the disk, then the ledger with one, 16 and 64 senders.
  ///
  /// - Parameters:
  ///   - folder: An empty folder on the disk that is measured.
  ///   - database: The address of a PostgreSQL that is measured too, one ledger and two on the same
  ///     tables; what was written stays there.
  /// - Returns: The measurements.
  /// - Throws: ``CommandError`` or ``StorageError`` when the disk or the ledger fails.
  static func make(folder: URL, database: String? = nil) throws -> [Benchmark] {
    let disk = try LiveScratch.Flusher(folder.appendingPathComponent("flushes"))
    let flush = Benchmark(
      limit,
      Words("disk: one page, one flush: the limit", zh: "磁盘：写一页并刷盘一次：上限"),
      limit: limit
    ) { disk.run() }
    var benchmarks = [flush]
    for senders in [1, 16, 64] {
      let path = folder.appendingPathComponent("ledger-\(senders).sqlite").path
      let place = Words("ledger", zh: "账本")
      benchmarks.append(
        ledger("ingest\(senders)", place, [try SQLiteLedger(path: path)], senders: senders)
      )
    }
    guard let database else { return benchmarks }
    for servers in [1, 2] {
      let ledgers = try (0..<servers).map { _ in try PostgresLedger(database) }
      let place = Words("PostgreSQL, \(servers) server(s)", zh: "PostgreSQL，\(servers) 个服务器")
      let first = servers * 1_000_000_000_000
      for senders in [1, 64] {
        benchmarks.append(
          ledger(
            "postgres\(servers)x\(senders)",
            place,
            ledgers,
            senders: senders * servers,
            first: first + senders * 10_000_000_000
          )
        )
      }
    }
    return benchmarks
  }

  /// Commits notifications, each answered before its sender has the next one.
  private static func ledger(
    _ name: String,
    _ place: Words,
    _ ledgers: [any Ledger],
    senders: Int,
    first: Int = 0
  ) -> Benchmark {
    let text = notificationText()
    let numbers = Counter()
    return Benchmark(
      name,
      Words(
        "\(place(.english)): notifications made durable, \(senders) sender(s)",
        zh: "\(place(.simplifiedChinese))：持久化通知，\(senders) 个发送方"
      ),
      workers: senders,
      limit: limit
    ) {
      let number = numbers.next()
      let write = notification(number: first + number, text: text)
      let outcome = try? await ledgers[number % ledgers.count].commit(write)
      return outcome?.newEntries.count == 1
    }
  }

  /// A notification about the first period of a new subscription.
  private static func notification(number: Int, text: [UInt8]) -> LedgerWrite {
    let record = fact(number: number, text: text)
    return LedgerWrite(date: record.receivedDate, facts: [record])
  }

  /// The purchase that such a notification is about.
  static func subject(number: Int) -> LedgerSubject {
    LedgerSubject(
      scope: LedgerScope(app: "com.example.app", environment: .sandbox),
      original: OriginalTransactionID("\(2_000_000_000_000_000 + number)")
    )
  }

  /// The fact of such a notification; the number makes it unique.
  static func fact(number: Int, text: [UInt8]) -> FactRecord {
    let bought = Date(milliseconds: 1_700_000_000_000 + Int64(number % 1_000_000))
    let id = 2_000_000_000_000_000 + number
    var transaction = TransactionPayload(
      transactionID: TransactionID("\(id)"),
      originalTransactionID: OriginalTransactionID("\(id)"),
      bundleID: "com.example.app",
      productID: "com.example.app.premium.monthly",
      purchaseDate: bought
    )
    transaction.type = .autoRenewable
    transaction.webOrderLineItemID = WebOrderLineItemID("\(id + 5)")
    transaction.subscriptionGroupID = "21456789"
    transaction.expiresDate = bought.addingTimeInterval(30 * 24 * 60 * 60)
    transaction.signedDate = bought
    transaction.environment = .sandbox
    transaction.ownershipType = .purchased
    transaction.quantity = 1
    transaction.storefront = "USA"
    transaction.priceMilliunits = 9990
    transaction.currency = "USD"
    var renewal = RenewalInfoPayload(
      originalTransactionID: transaction.originalTransactionID,
      productID: transaction.productID
    )
    renewal.signedDate = bought
    renewal.environment = .sandbox
    renewal.willAutoRenew = true
    renewal.renewalDate = transaction.expiresDate
    var payload = NotificationPayload(type: .subscribed, uuid: name(number))
    payload.signedDate = bought
    var bytes = text
    bytes.replaceSubrange((bytes.count - 20)..<(bytes.count - 4), with: Array("\(id)".utf8))
    return FactRecord(
      key: .notification(payload.uuid),
      scope: LedgerScope(app: "com.example.app", environment: .sandbox),
      bytes: bytes,
      signedDate: bought,
      receivedDate: bought,
      facts: [
        .transaction(transaction), .renewal(renewal),
        .notification(NotificationContext(payload, transaction: transaction, renewal: renewal)),
      ]
    )
  }

  /// A name as the App Store gives it: one after the other they lie all over an index.
  private static func name(_ number: Int) -> NotificationUUID {
    let digits = [UInt64(1), 2].map { half -> String in
      // The finaliser of SplitMix64, which is one to one.
      var mixed = (UInt64(number) &* 2 &+ half) &* 0x9E37_79B9_7F4A_7C15
      mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
      mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
      let text = String(mixed ^ (mixed >> 31), radix: 16)
      return String(repeating: "0", count: 16 - text.utf8.count) + text
    }
    return NotificationUUID(digits.joined(separator: "-"))
  }

  /// A text as long as a real notification: a chain in each of three headers.
  private static func notificationText() -> [UInt8] {
    let chain = String(
      repeating: "MIIEMDCCA7agAwIBAgIQfTlfd0fNvFWvzC1YIANsXjAKBggqhkjOPQ",
      count: 60
    )
    let header = #"{"alg":"ES256","x5c":["\#(chain)"]}"#
    func signed(_ payload: String) -> String {
      let signature = [UInt8](repeating: 0x33, count: 64)
      return [Array(header.utf8), Array(payload.utf8), signature].map(encoded)
        .joined(separator: ".")
    }
    let filling = String(repeating: #","member":"a value of usual size""#, count: 24)
    let transaction = signed(#"{"transactionId":"1"\#(filling)}"#)
    let renewal = signed(#"{"originalTransactionId":"1"\#(filling)}"#)
    let data = #"{"signedTransactionInfo":"\#(transaction)","signedRenewalInfo":"\#(renewal)"}"#
    return Array(signed(#"{"notificationType":"SUBSCRIBED","data":\#(data)}"#).utf8)
  }

  private static func encoded(_ bytes: [UInt8]) -> String {
    Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
      .replacing("=", with: "")
  }
}

/// Numbers that are all different.
private final class Counter: Sendable {
  private let value = Atomic<Int>(0)

  func next() -> Int { value.add(1, ordering: .relaxed).newValue }
}

import Foundation
import Glibc
import IAPEntitlements
import IAPModel
import SQLiteStorage
import ServerStorage

/// How many notifications a second the ledger makes durable, beside how often the same disk can be
/// flushed at all.
///
/// Signatures are not checked here: the texts only have the size and the outline of real ones.
enum IngestBenchmark {
  /// Measures the flushes of the disk, then the ledger with one, 16 and 64 senders.
  ///
  /// - Parameters:
  ///   - seconds: How long each measurement takes.
  ///   - parent: The folder on whose disk it is measured.
  /// - Returns: The rates; the first is the raw limit of a ledger that flushes for each fact.
  /// - Throws: ``CommandError`` when the disk or the ledger fails.
  static func measure(
    seconds: Double,
    in parent: URL = FileManager.default.temporaryDirectory
  ) async throws(CommandError) -> [Benchmark.Result] {
    do {
      let folder = try FileManager.default.url(
        for: .itemReplacementDirectory,
        in: .userDomainMask,
        appropriateFor: parent,
        create: true
      )
      defer { try? FileManager.default.removeItem(at: folder) }
      var results = [try flushes(seconds: seconds, in: folder)]
      for senders in [1, 16, 64] {
        results.append(try await appends(seconds: seconds, senders: senders, in: folder))
      }
      return results
    } catch {
      throw CommandError(
        .failed,
        Words("the ledger could not be measured: \(error)", zh: "无法测量账本：\(error)")
      )
    }
  }

  /// Appends a page and flushes it, again and again.
  private static func flushes(seconds: Double, in folder: URL) throws -> Benchmark.Result {
    let path = folder.appendingPathComponent("flushes").path
    let descriptor = open(path, O_CREAT | O_WRONLY | O_APPEND, 0o600)
    guard descriptor >= 0 else { throw StorageError(.unavailable, "a file cannot be made") }
    defer { close(descriptor) }
    let page = [UInt8](repeating: 0x5A, count: 4096)
    var count = 0
    let watch = Stopwatch()
    while watch.seconds < seconds {
      guard write(descriptor, page, page.count) == page.count, fdatasync(descriptor) == 0 else {
        throw StorageError(.unavailable, "a page cannot be flushed")
      }
      count += 1
    }
    return Benchmark.Result(
      name: "flush",
      title: Words("disk: one page, one flush", zh: "磁盘：写一页并刷盘一次"),
      perSecond: Double(count) / watch.seconds
    )
  }

  /// Commits notifications, each answered before its sender has the next one.
  private static func appends(
    seconds: Double,
    senders: Int,
    in folder: URL
  ) async throws -> Benchmark.Result {
    let path = folder.appendingPathComponent("ledger-\(senders).sqlite").path
    let ledger = try SQLiteLedger(path: path)
    let text = notificationText()
    let watch = Stopwatch()
    let total = try await withThrowingTaskGroup(of: Int.self) { group in
      for sender in 0..<senders {
        group.addTask {
          var count = 0
          while watch.seconds < seconds {
            let write = notification(number: sender * 10_000_000 + count, text: text)
            guard try await ledger.commit(write).newEntries.count == 1 else {
              throw StorageError(.corrupt, "a new notification granted nothing")
            }
            count += 1
          }
          return count
        }
      }
      return try await group.reduce(0, +)
    }
    let passed = watch.seconds
    await ledger.close()
    return Benchmark.Result(
      name: "ingest\(senders)",
      title: Words(
        "ledger: notifications made durable, \(senders) sender(s)",
        zh: "账本：持久化通知，\(senders) 个发送方"
      ),
      perSecond: Double(total) / passed
    )
  }

  /// A notification about the first period of a new subscription.
  private static func notification(number: Int, text: [UInt8]) -> LedgerWrite {
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
    var payload = NotificationPayload(type: .subscribed, uuid: NotificationUUID("uuid-\(number)"))
    payload.signedDate = bought
    var bytes = text
    bytes.replaceSubrange((bytes.count - 20)..<(bytes.count - 4), with: Array("\(id)".utf8))
    let record = FactRecord(
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
    return LedgerWrite(date: bought, facts: [record])
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

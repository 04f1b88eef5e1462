import Foundation
import IAPKit
import IAPModel

/// What the client's journal costs: one save on top of few and of many records, and a launch with
/// many, each beside what the disk itself takes for the same bytes in the same run.
enum JournalBenchmarks {
  /// The name of the raw limit of a save.
  static let saveLimit = "journalFlush"
  /// The name of the raw limit of a launch.
  static let launchLimit = "journalRead"
  /// How many records the journals have.
  static let sizes = [10, 1_000, 100_000]
  /// How many of them are not at their end.
  static let pendingCount = 10
  /// How many saves the median is taken of.
  static let roundCount = 300
  /// How many launches the median is taken of.
  static let launchCount = 9

  /// Prepares the measurements; the journals are written when the first of them is taken.
  ///
  /// - Parameter folder: An empty folder on the disk that is measured.
  /// - Returns: The measurements.
  static func make(folder: URL) -> [Benchmark] {
    let rig = JournalRig(folder: folder)
    var benchmarks = [
      Benchmark(
        saveLimit,
        Words("disk: a record's bytes, one flush: the limit", zh: "磁盘：写入一条记录并刷盘：上限"),
        limit: saveLimit
      ) { await rig.saves(.flush) }
    ]
    benchmarks += sizes.map { size in
      Benchmark(
        "journalSave\(size)",
        Words("journal: one save with \(size) records", zh: "日志：已有 \(size) 条记录时保存一条"),
        limit: saveLimit,
        target: 0.7
      ) { await rig.saves(.journal(size)) }
    }
    return benchmarks + [
      Benchmark(
        launchLimit,
        Words("disk: the journal's bytes read: the limit", zh: "磁盘：读取整个日志：上限"),
        limit: launchLimit
      ) { await rig.reads() },
      Benchmark(
        "journalLaunch\(sizes[2])",
        Words(
          "journal: a launch with \(sizes[2]) records and orders, \(pendingCount) pending",
          zh: "日志：启动，含 \(sizes[2]) 条记录与订单，其中 \(pendingCount) 条待处理"
        ),
        limit: launchLimit
      ) { await rig.launches() },
    ]
  }
}

/// Journals of several sizes on one disk; saves are timed in turns, so that whatever else the
/// machine does falls on all sizes alike.
private actor JournalRig {
  enum Target: Hashable {
    case flush
    case journal(Int)
  }

  private let folder: URL
  private var times: [Target: [Double]] = [:]

  init(folder: URL) { self.folder = folder }

  func saves(_ target: Target) -> [Double] {
    if times.isEmpty { times = (try? timeSaves()) ?? [:] }
    return times[target] ?? []
  }

  private func timeSaves() throws -> [Target: [Double]] {
    var stores: [(Target, TransactionStore)] = []
    for size in JournalBenchmarks.sizes {
      let store = TransactionStore(storage: try fill(size))
      _ = try store.beginLaunch()
      stores.append((.journal(size), store))
    }
    let raw = folder.appendingPathComponent("raw")
    try Data().write(to: raw)
    let handle = try FileHandle(forWritingTo: raw)
    var record = Self.record(JournalBenchmarks.sizes[0] + 1, isFinished: false)
    let line = Data(count: try Self.lineLength(of: record))
    var times: [Target: [Double]] = [:]
    for round in 0..<JournalBenchmarks.roundCount {
      record.attempts = round
      let watch = Stopwatch()
      try handle.write(contentsOf: line)
      try handle.synchronize()
      times[.flush, default: []].append(watch.seconds)
      for (target, store) in stores {
        let watch = Stopwatch()
        try store.put(record, policy: OrderPolicy())
        times[target, default: []].append(watch.seconds)
      }
    }
    for (_, store) in stores { store.close() }
    return times
  }

  func reads() -> [Double] {
    let file = place(JournalBenchmarks.sizes[2]).appendingPathComponent("iapkit.journal")
    return (0..<JournalBenchmarks.launchCount).compactMap { _ in
      let watch = Stopwatch()
      guard let bytes = try? Data(contentsOf: file), !bytes.isEmpty else { return nil }
      return watch.seconds
    }
  }

  func launches() -> [Double] {
    (0..<JournalBenchmarks.launchCount).compactMap { _ in
      let watch = Stopwatch()
      let files = LiveFiles(directory: place(JournalBenchmarks.sizes[2]))
      let store = TransactionStore(storage: JournalStorage(files: files))
      defer { store.close() }
      guard (try? store.beginLaunch()) == 0 else { return nil }
      let pending = store.pendingRecords().count
      let seconds = watch.seconds
      // The one that the saves have added.
      return pending == JournalBenchmarks.pendingCount + 1 ? seconds : nil
    }
  }

  private func place(_ size: Int) -> URL {
    folder.appendingPathComponent("journal-\(size)", isDirectory: true)
  }

  /// Writes a journal of so many purchases with their orders: all but a few are at their end.
  private func fill(_ size: Int) throws -> JournalStorage {
    let memory = MemoryStorage()
    let store = TransactionStore(storage: memory)
    for number in 0..<size {
      let product = ProductID("com.example.app.coins.\(number % 7)")
      let order = try store.open(
        OrderDraft(productID: product, context: ["level": "\(number)"]),
        policy: OrderPolicy()
      )
      var record = Self.record(
        number,
        isFinished: number >= min(JournalBenchmarks.pendingCount, size / 2)
          || size > 10 && number >= JournalBenchmarks.pendingCount
      )
      record.transaction.productID = product
      record.order = order.number
      try store.put(record, policy: OrderPolicy())
    }
    let journal = JournalStorage(files: LiveFiles(directory: place(size)))
    let entries = try memory.load().entries
    for start in stride(from: 0, to: entries.count, by: 1_000) {
      try journal.write(Array(entries[start..<min(start + 1_000, entries.count)]))
    }
    return journal
  }

  private static func lineLength(of record: TransactionRecord) throws -> Int {
    let memory = MemoryStorage()
    try TransactionStore(storage: memory).put(record, policy: OrderPolicy())
    // The checksum, the kind, the name and what parts them.
    return try memory.load().entries.reduce(0) { $0 + ($1.body?.count ?? 0) + 32 }
  }

  /// A purchase with a signed transaction of the usual length.
  private static func record(_ number: Int, isFinished: Bool) -> TransactionRecord {
    let id = "\(2_000_000_000_000_000 + number)"
    var transaction = StoreTransaction(
      transactionID: TransactionID(id),
      originalTransactionID: OriginalTransactionID(id),
      productID: "com.example.app.coins",
      purchaseDate: Date(milliseconds: 1_790_000_000_000 + Int64(number) * 1_000),
      proof: .jws(header + "." + String(repeating: "payload_", count: 100) + id + ".signature"),
      verification: .verified,
      source: .purchase,
      generation: .storekit2
    )
    transaction.type = .consumable
    transaction.environment = .production
    transaction.signedDate = transaction.purchaseDate
    var record = TransactionRecord(
      transaction: transaction,
      state: isFinished ? .finished : .accepted,
      savedAt: transaction.purchaseDate,
      launch: 1
    )
    record.attempts = 1
    guard isFinished else { return record }
    record.acknowledged = ["grant:tx:\(id)"]
    record.isFinished = true
    record.isServerTold = true
    return record
  }

  /// As long as a header with three certificates.
  private static let header = String(repeating: "MIIEMDCCA7agAwIBAgIQ", count: 230)
}

import Foundation
import IAPEntitlements
import IAPModel
import SQLiteStorage
import ServerStorage
import Synchronization

/// Whether the ledger stays as fast as it grows: writes and reads on top of few and of many facts.
///
/// The texts of the facts are short: it is the tables and their indexes that are measured.
enum LedgerScaleBenchmarks {
  /// How many facts there are; the last with `--big` only.
  static let sizes = [10_000, 1_000_000, 10_000_000]
  /// The part of the rate at the size before that is wanted.
  static let targets: [Double?] = [nil, 0.6, 0.8]
  /// How many senders and readers there are.
  static let workers = 16

  static func make(folder: URL, isBig: Bool) -> [Benchmark] {
    let rig = LedgerRig(folder: folder)
    let count = isBig ? 3 : 2
    return zip(sizes, targets).prefix(count).enumerated().flatMap { index, pair in
      let (size, target) = pair
      let before = index == 0 ? size : sizes[index - 1]
      return [
        Benchmark(
          "ledgerIngest\(size)",
          Words("ledger: facts made durable on top of \(size)", zh: "账本：在 \(size) 条之上持久化事实"),
          limit: "ledgerIngest\(before)",
          target: target,
          way: .load { await rig.ingest(size: size, seconds: $0) }
        ),
        Benchmark(
          "ledgerRead\(size)",
          Words("ledger: purchases read among \(size)", zh: "账本：在 \(size) 条中读取购买"),
          limit: "ledgerRead\(before)",
          target: target,
          way: .load { await rig.reads(size: size, seconds: $0) }
        ),
      ]
    }
  }
}

/// One ledger that grows.
private actor LedgerRig {
  private let path: String
  private var opened: SQLiteLedger?
  private var count = 0
  private let text = [UInt8](repeating: 0x61, count: 200)

  init(folder: URL) { path = folder.appendingPathComponent("growing.sqlite").path }

  func ingest(size: Int, seconds: Double) async -> Benchmark.Load? {
    guard let ledger = await filled(to: size) else { return nil }
    let numbers = LedgerNumbers(from: count)
    let text = text
    let load = await rounds(seconds) {
      let number = numbers.next()
      let record = IngestBenchmarks.fact(number: number, text: text)
      let write = LedgerWrite(date: record.receivedDate, facts: [record])
      return (try? await ledger.commit(write))?.newEntries.count == 1
    }
    count = numbers.next()
    return load
  }

  func reads(size: Int, seconds: Double) async -> Benchmark.Load? {
    guard let ledger = await filled(to: size) else { return nil }
    let numbers = LedgerNumbers(from: 0)
    let count = count
    return await rounds(seconds) {
      // A stride without a common measure visits purchases all over the file.
      let number = numbers.next() &* 7_919 % count
      let subject = IngestBenchmarks.subject(number: number)
      let items = try? await ledger.read { reader throws(StorageError) in
        try reader.items(of: subject)
      }
      return items?.isEmpty == false
    }
  }

  /// The ledger with so many facts: the first is heard of like any other, and those that are
  /// filled in are its repetitions.
  private func filled(to size: Int) async -> SQLiteLedger? {
    if let opened, count >= size { return opened }
    guard let first = opened ?? (try? SQLiteLedger(path: path)) else { return nil }
    opened = nil
    if count == 0 {
      let record = IngestBenchmarks.fact(number: 0, text: text)
      let write = LedgerWrite(date: record.receivedDate, facts: [record])
      guard (try? await first.commit(write)) != nil else { return nil }
      count = 1
    }
    await first.close()
    let original = IngestBenchmarks.subject(number: 0).original.rawValue
    guard let number = Int(original),
      (try? SQLiteLedger.repeatFirstPurchase(
        at: path,
        original: number,
        offsets: count..<size
      )) != nil
    else { return nil }
    count = size
    opened = try? SQLiteLedger(path: path)
    return opened
  }

  /// Repeats something by many workers, in rounds.
  private func rounds(
    _ seconds: Double,
    _ operation: @escaping @Sendable () async -> Bool
  ) async -> Benchmark.Load? {
    var whole = Benchmark.Load(rates: [], latencies: [])
    for _ in 0..<Benchmark.roundCount {
      let watch = Stopwatch()
      let part = seconds / Double(Benchmark.roundCount)
      let found = await withTaskGroup(of: [Double]?.self) { group in
        for _ in 0..<LedgerScaleBenchmarks.workers {
          group.addTask {
            var latencies: [Double] = []
            while watch.seconds < part {  // bound: the time
              let one = Stopwatch()
              guard await operation() else { return nil }
              latencies.append(one.seconds)
            }
            return latencies
          }
        }
        return await group.reduce(into: [[Double]?]()) { $0.append($1) }
      }
      guard !found.contains(where: { $0 == nil }) else { return nil }
      let latencies = found.compactMap { $0 }.flatMap { $0 }
      whole.rates.append(Double(latencies.count) / watch.seconds)
      whole.latencies += latencies
    }
    return whole
  }
}

/// Numbers that are all different.
private final class LedgerNumbers: Sendable {
  private let value: Atomic<Int>

  init(from start: Int) { value = Atomic(start) }

  func next() -> Int { value.add(1, ordering: .relaxed).oldValue }
}

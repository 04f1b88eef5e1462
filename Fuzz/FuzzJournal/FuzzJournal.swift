import FuzzSupport
import Foundation
import IAPKit
import IAPModel

// The client's journal: whatever the disk holds, nothing that can be read is lost by opening it,
// and what is written next is there afterwards.

/// A disk with one folder, in memory.
private final class FuzzDisk: ClientFiles, @unchecked Sendable {  // One thread uses it.
  var files: [String: [UInt8]] = [:]

  private final class NoLock: ClientFileLock {
    func release() {}
  }

  func lock(_ name: String) throws(IAPError) -> any ClientFileLock { NoLock() }
  func read(_ name: String) throws(IAPError) -> [UInt8]? { files[name] }

  func append(_ bytes: [UInt8], to name: String, at length: Int) throws(IAPError) {
    files[name] = Array((files[name] ?? []).prefix(length)) + bytes
  }

  func replace(_ name: String, with bytes: [UInt8]) throws(IAPError) { files[name] = bytes }
}

private let name = "iapkit.journal"
private let now = FuzzSeeds.now

private func store(_ disk: FuzzDisk) -> TransactionStore {
  TransactionStore(
    storage: JournalStorage(files: disk),
    now: { now },
    uuid: { UUID(uuidString: "00000000-0000-4000-8000-000000000001") ?? UUID() }
  )
}

private func record(_ id: String, _ state: RecordState) -> TransactionRecord {
  var transaction = StoreTransaction(
    transactionID: TransactionID(id),
    originalTransactionID: OriginalTransactionID(id),
    productID: "coins",
    purchaseDate: now,
    proof: .jws("header.\(id).signature"),
    verification: .verified,
    source: .purchase,
    generation: .storekit2
  )
  transaction.type = .consumable
  var record = TransactionRecord(transaction: transaction, state: state, savedAt: now, launch: 1)
  if state == .finished {
    record.isFinished = true
    record.acknowledged = ["grant:tx:\(id)"]
  }
  return record
}

/// Writes the first inputs.
@_cdecl("LLVMFuzzerInitialize")
public func initialize(_ count: UnsafeMutableRawPointer?, _ list: UnsafeMutableRawPointer?) -> CInt
{
  let disk = FuzzDisk()
  let first = store(disk)
  _ = try? first.beginLaunch()
  _ = try? first.open(OrderDraft(productID: "coins"), policy: OrderPolicy())
  for (index, state) in RecordState.allCases.enumerated() {
    _ = try? first.put(record("\(index)", state), policy: OrderPolicy())
  }
  let whole = disk.files[name] ?? []
  let older = Array("IAPKit journal 1\n".utf8) + whole.drop { $0 != 0x0A }.dropFirst()
  FuzzSeeds.write([whole, Array(whole.dropLast(7)), older, Array("IAPKit journal 3\n".utf8)])
  return 0
}

/// Looks at one input.
@_cdecl("LLVMFuzzerTestOneInput")
public func test(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = fuzzBytes(start, count)
  let disk = FuzzDisk()
  disk.files[name] = bytes
  let journal = JournalStorage(files: disk)
  guard let before = try? journal.load() else {
    precondition(disk.files[name] == bytes, "a file that was refused was changed")
    return 0
  }
  let key = StorageKey(kind: "transaction", id: "written behind it")
  made { try journal.write([StorageEntry(key, Array("{}".utf8))]) }
  let after = made { try JournalStorage(files: disk).load() }
  precondition(after.damagedRecords == 0, "what was damaged was set aside")
  precondition(
    after.entries == before.entries.filter { $0.key != key } + [StorageEntry(key, Array("{}".utf8))]
      || before.entries.contains { $0.key == key },
    "a record was lost"
  )
  // The store on the same bytes: decoding never traps, and a launch changes no record's progress.
  disk.files[name] = bytes
  let first = store(disk)
  guard (try? first.beginLaunch()) != nil else { return 0 }
  let records = first.records()
  try? first.prune(RetentionPolicy(finishedSeconds: .infinity), keepsOwing: true)
  precondition(store(disk).records().map(\.transactionId) == records.map(\.transactionId))
  return 0
}

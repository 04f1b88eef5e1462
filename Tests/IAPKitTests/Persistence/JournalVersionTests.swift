import Foundation
import IAPKit
import IAPKitSQLite
import IAPModel
import SQLiteAdapter
import Testing

/// A journal that an older version wrote is taken over; one of a newer version is left alone.
@Suite struct JournalVersionTests {
  private let disk = ScriptedDisk()
  private let name = "iapkit.journal"

  /// Written by version 1: a finished purchase with its order, and one that waits.
  private static let sample = #"""
    IAPKit journal 1
    CHECKSUM meta app {"installation":"installation-1","launches":4}
    CHECKSUM order 00000000-0000-4000-8000-000000000009 {"accountToken":{"rawValue":"0000000\#
    0-0000-4000-8000-000000000009"},"context":{},"createdAt":1700000000000,\#
    "inFlightUntil":1700000120000,\#
    "number":{"rawValue":"00000000-0000-4000-8000-000000000009"},"productId":"coins",\#
    "quantity":1,"state":"delivered","transactionId":"1","updatedAt":1700000001000}
    CHECKSUM transaction 1 {"record":{"acknowledged":["grant:tx:1"],"attempts":1,\#
    "deliveryAttempts":0,"isFinished":true,"isReported":false,"marks":["serverTold"],\#
    "order":{"rawValue":"00000000-0000-4000-8000-000000000009"},"rejections":0,\#
    "savedAt":1700000000000,"savedInLaunch":1,"state":"finished",\#
    "transaction":{"generation":"storekit2","isUpgraded":false,"originalTransactionID":"1",\#
    "productID":"coins","proof":{"jws":{"_0":"a.b.c"}},"purchaseDate":1700000000000,\#
    "quantity":1,"reference":{"rawValue":"1"},"source":"purchase","storeState":"purchased",\#
    "transactionID":"1","type":"Consumable","verification":{"verified":{}}},\#
    "wasRejectedLast":false}}
    CHECKSUM transaction 2 {"record":{"acknowledged":[],"attempts":3,"deliveryAttempts":0,\#
    "isFinished":false,"isReported":false,"lastError":"no answer","rejections":0,\#
    "savedAt":1700000000000,"savedInLaunch":2,"state":"received",\#
    "transaction":{"generation":"storekit2","isUpgraded":false,"originalTransactionID":"2",\#
    "productID":"pro","proof":{"jws":{"_0":"d.e.f"}},"purchaseDate":1700000005000,\#
    "quantity":1,"reference":{"rawValue":"2"},"source":"updates","storeState":"purchased",\#
    "transactionID":"2","type":"Non-Consumable","verification":{"verified":{}}},\#
    "wasRejectedLast":false}}

    """#

  /// The sample with the checksums of its lines.
  private static var file: [UInt8] {
    var lines = sample.split(separator: "\n").map(String.init)
    for (index, line) in lines.enumerated() where line.hasPrefix("CHECKSUM ") {
      let rest = String(line.dropFirst("CHECKSUM ".count))
      lines[index] = checksum(Array(rest.utf8)) + " " + rest
    }
    return Array((lines.joined(separator: "\n") + "\n").utf8)
  }

  /// The checksum once more, a bit at a time.
  private static func checksum(_ bytes: [UInt8]) -> String {
    var value: UInt32 = 0xFFFF_FFFF
    for byte in bytes {
      value ^= UInt32(byte)
      for _ in 0..<8 { value = value & 1 == 1 ? (value >> 1) ^ 0xEDB8_8320 : value >> 1 }
    }
    let text = String(~value, radix: 16)
    return String(repeating: "0", count: 8 - text.count) + text
  }

  private func store() -> TransactionStore {
    disk.state.withLock { $0.locks = [:] }
    return TransactionStore(
      storage: JournalStorage(files: ScriptedFiles(disk)),
      now: { Date(timeIntervalSince1970: 1_700_000_100) },
      uuid: { UUID(uuidString: "00000000-0000-4000-8000-000000000001")! }
    )
  }

  private func header() throws -> String {
    let file = try #require(disk[name])
    return String(decoding: file.prefix { $0 != 0x0A }, as: UTF8.self)
  }

  @Test func journalOfTheFirstVersionIsReadAndUpgraded() throws {
    disk[name] = Self.file
    let store = store()
    #expect(try store.beginLaunch() == 0, "nothing of it is damaged")
    #expect(store.launch == 5)
    #expect(store.installation == "installation-1")
    #expect(store.records().map(\.transactionId) == ["1", "2"])
    #expect(store.pendingRecords().map(\.transactionId) == ["2"])
    #expect(store.isKnown("grant:tx:1"))
    #expect(store.record("1")?.jws == nil, "its coins were handed over, and everybody knows")
    #expect(store.record("2")?.jws == "d.e.f")
    #expect(store.orders.map(\.state) == [.delivered])
    let before = (store.records(), store.orders)
    #expect(try header() == "IAPKit journal 2")
    let lines = String(decoding: try #require(disk[name]), as: UTF8.self)
    #expect(lines.contains(" transaction 1 done\tConsumable\t1\t1700000000000\ts\tgrant:tx:1\t{"))
    let again = self.store()
    #expect(again.records() == before.0)
    #expect(again.orders == before.1)
  }

  @Test func diskWithoutRoomForTheUpgradeLosesNothing() throws {
    disk[name] = Self.file
    disk.fail(.full)
    let store = store()
    #expect(store.records().map(\.transactionId) == ["1", "2"])
    #expect(throws: IAPError.storage(.full)) { try store.beginLaunch() }
    #expect(disk[name] == Self.file, "an old file gets no lines of the new version")
    disk.fail(nil)
    _ = try store.beginLaunch()
    #expect(try header() == "IAPKit journal 2")
    #expect(self.store().records().map(\.transactionId) == ["1", "2"])
  }

  @Test func journalOfANewerVersionIsRefusedAndLeftAsItIs() throws {
    let newer = Array("IAPKit journal 3\nof the future\n".utf8)
    disk[name] = newer
    let store = store()
    let error = #expect(throws: IAPError.self) { try store.beginLaunch() }
    #expect(error.flatMap(problem) == .futureVersion)
    #expect(store.records() == [])
    #expect(disk[name] == newer)
  }

  @Test func databaseOfANewerVersionIsRefusedAndLeftAsItIs() throws {
    let folder = TemporaryFolder()
    let file = folder.url.appendingPathComponent("iap.sqlite")
    let first = SQLiteRecordStorage(file: file)
    try first.write([StorageContractTests.entry("a", "1")])
    first.close()
    do {
      let database = try SQLiteDatabase(
        path: file.path,
        mode: .readWrite,
        busyTimeoutMilliseconds: 0
      )
      try database.execute("PRAGMA user_version = 2; PRAGMA wal_checkpoint(TRUNCATE)")
    }
    let before = try Data(contentsOf: file)
    let second = SQLiteRecordStorage(file: file)
    let error = #expect(throws: IAPError.self) { _ = try second.load() }
    #expect(error.flatMap(problem) == .futureVersion)
    #expect(throws: IAPError.self) { try second.write([StorageContractTests.entry("b", "1")]) }
    #expect(try Data(contentsOf: file) == before)
  }

  @Test func fileThatIsNoDatabaseIsRefusedAndLeftAsItIs() throws {
    let folder = TemporaryFolder()
    let file = folder.url.appendingPathComponent("iap.sqlite")
    let letter = Data(repeating: 0x41, count: 5_000)
    try FileManager.default.createDirectory(at: folder.url, withIntermediateDirectories: true)
    try letter.write(to: file)
    let error = #expect(throws: IAPError.self) { _ = try SQLiteRecordStorage(file: file).load() }
    #expect(error.flatMap(problem) == .inputOutput)
    #expect(try Data(contentsOf: file) == letter)
  }
}

import Foundation
import IAPKit
import IAPKitSQLite
import Testing

/// What every storage must do.
@Suite struct StorageContractTests {
  enum Backend: String, CaseIterable, CustomTestStringConvertible {
    case journal, memory, sqlite
    var testDescription: String { rawValue }

    /// A storage on a place of its own, or, twice on the same folder, on the same place.
    func make(_ folder: TemporaryFolder = TemporaryFolder()) -> any RecordStorage {
      let storage: any RecordStorage =
        switch self {
        case .journal: JournalStorage(files: LiveFiles(directory: folder.url))
        case .memory: MemoryStorage()
        case .sqlite: SQLiteRecordStorage(file: folder.url.appendingPathComponent("iap.sqlite"))
        }
      return FolderKeeping(storage: storage, folder: folder)
    }

    var outlivesItsProcess: Bool { self != .memory }
  }

  static func entry(_ id: String, _ body: String?) -> StorageEntry {
    StorageEntry(StorageKey(kind: "transaction", id: id), body.map { Array($0.utf8) })
  }

  @Test(arguments: Backend.allCases)
  func nothingIsThereAtFirst(_ backend: Backend) throws {
    #expect(try backend.make().load() == StorageContents())
  }

  @Test(arguments: Backend.allCases)
  func lastWrittenCountsInOrderOfFirstWriting(_ backend: Backend) throws {
    let storage = backend.make()
    _ = try storage.load()
    try storage.write([Self.entry("b", "1"), Self.entry("a", "2")])
    try storage.write([Self.entry("b", "3")])
    #expect(try storage.load().entries == [Self.entry("b", "3"), Self.entry("a", "2")])
  }

  @Test(arguments: Backend.allCases)
  func removedRecordIsGoneAndComesBackAtTheEnd(_ backend: Backend) throws {
    let storage = backend.make()
    try storage.write([Self.entry("a", "1"), Self.entry("b", "2")])
    try storage.write([Self.entry("a", nil)])
    #expect(try storage.load().entries == [Self.entry("b", "2")])
    try storage.write([Self.entry("a", "4")])
    #expect(try storage.load().entries == [Self.entry("b", "2"), Self.entry("a", "4")])
  }

  @Test(arguments: Backend.allCases)
  func sameNameOfAnotherKindIsAnotherRecord(_ backend: Backend) throws {
    let storage = backend.make()
    let order = StorageEntry(StorageKey(kind: "order", id: "a"), Array("x".utf8))
    try storage.write([Self.entry("a", "1"), order])
    #expect(try storage.load().entries == [Self.entry("a", "1"), order])
  }

  @Test(arguments: Backend.allCases, ["ü 🎁 名", "a%b", "a b", " ", "%", "100%"])
  func namesKeepTheirSpelling(_ backend: Backend, _ name: String) throws {
    let folder = TemporaryFolder()
    let storage = backend.make(folder)
    try storage.write([Self.entry(name, "1")])
    #expect(try storage.load().entries == [Self.entry(name, "1")])
    guard backend.outlivesItsProcess else { return }
    storage.close()
    #expect(try backend.make(folder).load().entries == [Self.entry(name, "1")])
  }

  @Test(arguments: Backend.allCases.filter(\.outlivesItsProcess))
  func whatWasWrittenIsThereAfterReopening(_ backend: Backend) throws {
    let folder = TemporaryFolder()
    let first = backend.make(folder)
    try first.write([Self.entry("b", "1"), Self.entry("a", "2"), Self.entry("c", "3")])
    try first.write([Self.entry("c", nil), Self.entry("b", "4")])
    first.close()
    let contents = try backend.make(folder).load()
    #expect(contents == StorageContents(entries: [Self.entry("b", "4"), Self.entry("a", "2")]))
  }

  @Test(arguments: Backend.allCases.filter(\.outlivesItsProcess))
  func secondOneOnTheSamePlaceIsRefusedUntilTheFirstIsClosed(_ backend: Backend) throws {
    let folder = TemporaryFolder()
    let first = backend.make(folder)
    try first.write([Self.entry("a", "1")])
    let second = backend.make(folder)
    for _ in 1...2 {
      let reading = #expect(throws: IAPError.self) { _ = try second.load() }
      let writing = #expect(throws: IAPError.self) { try second.write([Self.entry("b", "1")]) }
      #expect([reading, writing].map { $0.flatMap(problem) } == [.inUse, .inUse])
    }
    first.close()
    try second.write([Self.entry("b", "1")])
    #expect(try second.load().entries == [Self.entry("a", "1"), Self.entry("b", "1")])
  }

  @Test(arguments: Backend.allCases)
  func failedWriteLeavesNothingOfItself(_ backend: Backend) throws {
    let storage = backend.make()
    try storage.write([Self.entry("a", "1")])
    let tooLong = [UInt8](repeating: 65, count: StorageEntry.bodyBytesMax + 1)
    let error = #expect(throws: IAPError.self) {
      try storage.write([
        Self.entry("a", "2"), Self.entry("b", "3"),
        StorageEntry(StorageKey(kind: "transaction", id: "c"), tooLong),
      ])
    }
    #expect(error.flatMap(problem) == .tooLarge)
    #expect(try storage.load().entries == [Self.entry("a", "1")])
  }

  @Test(arguments: Backend.allCases)
  func storeOnItGoesOnWhereItStopped(_ backend: Backend) async throws {
    let folder = TemporaryFolder()
    let storage = backend.make(folder)
    let store = TransactionStore(storage: storage)
    let record = TransactionRecord(transactionId: "1", productId: "coins", purchaseDate: Date())
    try await store.save(record)
    #expect(store.pendingRecords().map(\.transactionId) == ["1"])
    try store.markConsumed("1")
    guard backend.outlivesItsProcess else { return }
    store.close()
    let again = TransactionStore(storage: backend.make(folder))
    #expect(again.pendingRecords() == [])
    #expect(again.record("1")?.isConsumed == true)
  }

  @Test(arguments: Backend.allCases, ["", "-", "a\nb"])
  func bodiesThatCannotBeALineAreRefused(_ backend: Backend, _ body: String) throws {
    let storage = backend.make()
    #expect(throws: IAPError.storage(.unencodable)) {
      try storage.write([Self.entry("good", "1"), Self.entry("bad", body)])
    }
    #expect(try storage.load().entries == [])
  }

  @Test(arguments: Backend.allCases, [("", "1"), ("order", ""), ("Order", "1"), ("a b", "1")])
  func kindsAndNamesThatCannotBeALineAreRefused(
    _ backend: Backend,
    _ key: (kind: String, id: String)
  ) throws {
    let storage = backend.make()
    let entry = StorageEntry(StorageKey(kind: key.kind, id: key.id), [1])
    #expect(throws: IAPError.storage(.unencodable)) { try storage.write([entry]) }
  }

  @Test(arguments: Backend.allCases)
  func longestBodyIsKeptAndOneByteMoreIsRefused(_ backend: Backend) throws {
    let storage = backend.make()
    let limit = 4 << 20
    let key = StorageKey(kind: "receipt", id: "r")
    let longest = StorageEntry(key, [UInt8](repeating: 65, count: limit))
    try storage.write([longest])
    let longer = StorageEntry(key, [UInt8](repeating: 66, count: limit + 1))
    let error = #expect(throws: IAPError.self) { try storage.write([longer]) }
    #expect(error.map(problem) == .tooLarge)
    #expect(try storage.load().entries == [longest])
  }

  @Test(arguments: Backend.allCases)
  func longestNameIsKeptAndOneByteMoreIsRefused(_ backend: Backend) throws {
    let storage = backend.make()
    let longest = Self.entry(String(repeating: "n", count: 1024), "1")
    try storage.write([longest])
    let error = #expect(throws: IAPError.self) {
      try storage.write([Self.entry(String(repeating: "n", count: 1025), "1")])
    }
    #expect(error.map(problem) == .tooLarge)
    #expect(try storage.load().entries == [longest])
  }

  @Test(arguments: Backend.allCases)
  func closedStorageTakesNothing(_ backend: Backend) throws {
    let storage = backend.make()
    try storage.write([Self.entry("a", "1")])
    storage.close()
    #expect(throws: IAPError.storage(.inputOutput)) { try storage.write([Self.entry("b", "1")]) }
    #expect(throws: IAPError.storage(.inputOutput)) { try storage.load() }
  }
}

/// A folder of its own on the real disk, removed when nobody keeps it any more.
final class TemporaryFolder: Sendable {
  let url = URL(fileURLWithPath: NSTemporaryDirectory())
    .appendingPathComponent("iapkit-\(UUID().uuidString)", isDirectory: true)

  deinit { try? FileManager.default.removeItem(at: url) }
}

/// A storage that keeps its folder.
private struct FolderKeeping: RecordStorage {
  let storage: any RecordStorage
  let folder: TemporaryFolder

  func load() throws -> StorageContents { try storage.load() }
  func write(_ entries: [StorageEntry]) throws { try storage.write(entries) }
  func close() { storage.close() }
}

/// Equality of errors is by code; this is the rest.
func problem(_ error: IAPError) -> StorageProblem? {
  guard case .storage(let problem) = error else { return nil }
  return problem
}

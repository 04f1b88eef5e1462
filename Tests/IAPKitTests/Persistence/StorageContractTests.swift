import IAPKit
import Testing

/// What every storage must do.
@Suite struct StorageContractTests {
  enum Backend: String, CaseIterable, CustomTestStringConvertible {
    case journal, memory
    var testDescription: String { rawValue }

    func make(_ disk: ScriptedDisk = ScriptedDisk()) -> any RecordStorage {
      switch self {
      case .journal: JournalStorage(files: ScriptedFiles(disk))
      case .memory: MemoryStorage()
      }
    }
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
    let disk = ScriptedDisk()
    let storage = backend.make(disk)
    try storage.write([Self.entry(name, "1")])
    #expect(try storage.load().entries == [Self.entry(name, "1")])
    guard backend == .journal else { return }
    storage.close()
    #expect(try backend.make(disk).load().entries == [Self.entry(name, "1")])
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

/// Equality of errors is by code; this is the rest.
func problem(_ error: IAPError) -> StorageProblem? {
  guard case .storage(let problem) = error else { return nil }
  return problem
}

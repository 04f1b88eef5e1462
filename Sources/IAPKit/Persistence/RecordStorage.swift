import IAPModel

/// A place that keeps named records: the last one written under a key is the one that counts.
///
/// The journal, the one in memory and the one on SQLite pass one contract suite; an app may bring
/// its own (``IAPConfiguration/storage``). All calls are synchronous and may come from any thread.
public protocol RecordStorage: Sendable {
  /// Opens the storage and reads everything; a second call answers what is there now.
  ///
  /// While it is open no other storage may open the same place.
  ///
  /// - Returns: What is there.
  /// - Throws: ``IAPError/storage(_:)``; anything else counts as `inputOutput`.
  func load() throws -> StorageContents
  /// Writes in the order given; durable when the call returns.
  ///
  /// After a crash before that, the first few may be there. After an error none of them counts.
  ///
  /// - Parameter entries: Records and removals of records.
  /// - Throws: ``IAPError/storage(_:)``; anything else counts as `inputOutput`.
  func write(_ entries: [StorageEntry]) throws
  /// Gives the storage back, so that another one may open it. Nothing can be written afterwards.
  func close()
}

/// What a storage holds.
public struct StorageContents: Hashable, Sendable {
  /// The records, in the order in which their keys were written first.
  public var entries: [StorageEntry]
  /// How many damaged records were found, whose bytes were copied aside.
  public var damagedRecords: Int

  /// Makes contents.
  public init(entries: [StorageEntry] = [], damagedRecords: Int = 0) {
    self.entries = entries
    self.damagedRecords = damagedRecords
  }
}

/// One record, or the removal of one.
public struct StorageEntry: Hashable, Sendable {
  /// The longest body of one record, in bytes.
  public static let bodyBytesMax = 4 << 20
  /// The longest name of one record, in UTF-8 bytes.
  public static let idBytesMax = 1024
  /// What stands for a removal where there is no other sign for it; no body is equal to it.
  static let removal = [UInt8(ascii: "-")]

  /// Its name.
  public var key: StorageKey
  /// JSON or other text without line breaks; nil removes the record.
  public var body: [UInt8]?

  /// Makes an entry.
  public init(_ key: StorageKey, _ body: [UInt8]?) {
    self.key = key
    self.body = body
  }

  /// Refuses what no storage keeps.
  package func check() throws(IAPError) {
    guard (body?.count ?? 0) <= Self.bodyBytesMax, key.id.utf8.count <= Self.idBytesMax else {
      throw .storage(.tooLarge)
    }
    let isWord = key.kind.utf8.allSatisfy { (UInt8(ascii: "a")...UInt8(ascii: "z")) ~= $0 }
    guard isWord, !key.kind.isEmpty, !key.id.isEmpty else { throw .storage(.unencodable) }
    guard let body else { return }
    let hasBreak = body.withUnsafeBytes { $0.offset(of: UInt8(ascii: "\n"), from: 0) } != nil
    guard !body.isEmpty, body != Self.removal, !hasBreak else { throw .storage(.unencodable) }
  }
}

/// The name of a record.
public struct StorageKey: Hashable, Sendable {
  /// What kind of record it is: a short word.
  public var kind: String
  /// Which one of its kind.
  public var id: String

  /// Makes a name.
  public init(kind: String, id: String) {
    self.kind = kind
    self.id = id
  }
}

/// What a storage keeps in memory: the live records in the order of their first writing.
struct RecordTable {
  private var slots: [StorageEntry?] = []
  private var places: [StorageKey: Int] = [:]

  var count: Int { places.count }

  var entries: [StorageEntry] { slots.compactMap { $0 } }

  mutating func apply(_ entry: StorageEntry) {
    guard entry.body != nil else {
      if let place = places.removeValue(forKey: entry.key) { slots[place] = nil }
      // Holes are closed when they are most of the table.
      if slots.count > 2 * places.count + JournalStorage.historyLinesBorne { closeHoles() }
      return
    }
    if let place = places[entry.key] {
      slots[place] = entry
    } else {
      places[entry.key] = slots.count
      slots.append(entry)
    }
  }

  private mutating func closeHoles() {
    slots = slots.filter { $0 != nil }
    for (place, entry) in slots.enumerated() {
      if let entry { places[entry.key] = place }
    }
  }
}

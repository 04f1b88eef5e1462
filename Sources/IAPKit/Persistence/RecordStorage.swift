/// A place that keeps named records: the last one written under a key is the one that counts.
///
/// Every implementation passes one contract suite. All calls are synchronous; they throw only
/// ``IAPError/storage(_:)``.
package protocol RecordStorage: Sendable {
  /// Opens the storage and reads everything. A second call answers what is there now.
  func load() throws(IAPError) -> StorageContents
  /// Writes in the order given; durable when the call returns. After a crash before that, the
  /// first few may be there. After an error none of them counts.
  func write(_ entries: [StorageEntry]) throws(IAPError)
  /// Gives the storage back, so that another one may open it. Nothing can be written afterwards.
  func close()
}

/// What a storage holds.
package struct StorageContents: Hashable, Sendable {
  /// The records, in the order in which their keys were written first.
  package var entries: [StorageEntry]
  /// How many damaged records were found, whose bytes were copied aside.
  package var damagedRecords: Int

  package init(entries: [StorageEntry] = [], damagedRecords: Int = 0) {
    self.entries = entries
    self.damagedRecords = damagedRecords
  }
}

/// One record, or the removal of one.
package struct StorageEntry: Hashable, Sendable {
  package var key: StorageKey
  /// JSON or other text without line breaks; nil removes the record.
  package var body: [UInt8]?

  package init(_ key: StorageKey, _ body: [UInt8]?) {
    self.key = key
    self.body = body
  }
}

/// The name of a record.
package struct StorageKey: Hashable, Sendable {
  /// What kind of record it is: a short word.
  package var kind: String
  /// Which one of its kind.
  package var id: String

  package init(kind: String, id: String) {
    self.kind = kind
    self.id = id
  }
}

/// What a storage keeps in memory: the live records in the order of their first writing.
struct RecordTable {
  private var bodies: [StorageKey: (rank: Int, body: [UInt8])] = [:]
  private var nextRank = 0

  var count: Int { bodies.count }

  var entries: [StorageEntry] {
    bodies.sorted { $0.value.rank < $1.value.rank }.map { StorageEntry($0.key, $0.value.body) }
  }

  mutating func apply(_ entry: StorageEntry) {
    guard let body = entry.body else {
      bodies[entry.key] = nil
      return
    }
    if let rank = bodies[entry.key]?.rank {
      bodies[entry.key] = (rank, body)
    } else {
      bodies[entry.key] = (nextRank, body)
      nextRank += 1
    }
  }
}

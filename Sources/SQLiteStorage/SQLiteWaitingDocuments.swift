internal import Foundation
internal import IAPModel
internal import SQLiteAdapter
internal import ServerStorage

/// Documents of the transaction that is being written which are not in the file yet, and those that
/// every write of a batch looks at.
///
/// Each statement that makes documents also notes the place that was given last, and an app's
/// counter changes with every event. So new documents of a whole batch are inserted by a few
/// statements, and a counter is written once, before the commit. Who asks for a list, or for one of
/// them, has them written first. Other processes write the same file: nothing is remembered beyond
/// the transaction.
final class SQLiteWaitingDocuments {
  /// A document that nobody has seen yet.
  struct New {
    let write: DocumentWrite
    let date: Date
  }

  /// A document that is in the file, and what was written over it since.
  struct Counter {
    var document: LedgerDocument
    /// How often it was written over.
    var changeCount: Int64 = 0
  }

  /// Whether a transaction is being written; outside of one nothing waits.
  private(set) var isWriting = false
  private(set) var new: [New] = []
  private var newKeys: Set<DocumentKey> = []
  private(set) var counters: [DocumentKey: Counter] = [:]
  private var catalogs: [DocumentKey: LedgerDocument?] = [:]

  /// A transaction begins.
  func begin() {
    forget()
    isWriting = true
  }

  /// The transaction is over.
  func end() {
    forget()
    isWriting = false
  }

  /// Forgets what waits: it was undone.
  func forget() {
    new = []
    newKeys = []
    counters = [:]
    catalogs = [:]
  }

  /// Whether nothing has to be written.
  var isEmpty: Bool { new.isEmpty && counters.allSatisfy { $0.value.changeCount == 0 } }

  func add(_ write: DocumentWrite, date: Date) {
    new.append(New(write: write, date: date))
    newKeys.insert(write.key)
  }

  /// Whether what was said about a document last is not in the file yet.
  func isWaiting(_ key: DocumentKey) -> Bool {
    newKeys.contains(key) || counters[key].map { $0.changeCount > 0 } ?? false
  }

  /// Takes the new ones, to write them.
  func takeNew() -> [New] {
    defer {
      new = []
      newKeys = []
    }
    return new
  }

  /// Takes the counters that were changed, to write them.
  func takeCounters() -> [Counter] {
    defer { counters = [:] }
    return counters.values.filter { $0.changeCount > 0 }
  }

  /// What is known about a document; nil when that has to be looked up.
  func known(_ key: DocumentKey) -> LedgerDocument?? {
    guard isWriting else { return nil }
    switch key.kind {
    case .eventCounter:
      guard let counter = counters[key] else { return nil }
      return .some(counter.document)
    case .catalog: return catalogs[key]
    default: return nil
    }
  }

  /// Notes what was looked up.
  func note(_ document: LedgerDocument?, _ key: DocumentKey) {
    guard isWriting else { return }
    switch key.kind {
    case .eventCounter: counters[key] = document.map { Counter(document: $0) }
    case .catalog: catalogs[key] = .some(document)
    default: break
    }
  }

  /// A document is written by itself, or removed.
  func forget(_ key: DocumentKey) {
    counters[key] = nil
    catalogs[key] = nil
  }

  /// Writes over a counter that is known.
  ///
  /// - Returns: The document; nil when it is no counter that is known.
  func count(_ write: DocumentWrite, date: Date) -> LedgerDocument? {
    guard write.key.kind == .eventCounter, write.condition == .always, write.shelf == nil,
      var counter = counters[write.key], counter.document.shelf == nil
    else { return nil }
    let before = counter.document
    counter.document = LedgerDocument(
      key: before.key,
      sequence: before.sequence,
      shelf: nil,
      body: write.body,
      version: before.version + 1,
      createdDate: before.createdDate,
      changedDate: Date(milliseconds: date.milliseconds)
    )
    counter.changeCount += 1
    counters[write.key] = counter
    return counter.document
  }
}

extension SQLiteTables {
  private static let insertions = SQLiteInsertion(
    """
    INSERT INTO documents (kind, app, name, shelf, body, version, created_ms, changed_ms) VALUES
    """,
    row: "(?, ?, ?, ?, ?, 1, ?, ?)"
  )

  mutating func addDocument(_ write: DocumentWrite, date: Date) throws(StorageError) {
    guard waiting.isWriting else {
      _ = try setDocument(write, date: date)
      return
    }
    waiting.add(write, date: date)
  }

  /// Writes what waits.
  func writeWaitingDocuments() throws(StorageError) {
    guard !waiting.isEmpty else { return }
    for counter in waiting.takeCounters() {
      try connection.run(
        """
        UPDATE documents SET body = ?, version = version + ?, changed_ms = ? WHERE sequence = ?
        """,
        .blob(counter.document.body.serialized),
        .integer(counter.changeCount),
        .date(counter.document.changedDate),
        .integer(counter.document.sequence)
      )
    }
    try Self.insertions.run(waiting.takeNew(), on: connection) { document in
      let (write, date) = (document.write, document.date)
      return [
        .text(write.key.kind.rawValue), .text(write.key.app?.rawValue ?? ""),
        .text(write.key.name), .text(write.shelf), .blob(write.body.serialized), .date(date),
        .date(date),
      ]
    }
  }
}

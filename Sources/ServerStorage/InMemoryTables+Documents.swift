import Foundation
import IAPModel

/// Documents that are listed together: all of a kind and app, or those of one shelf.
struct DocumentShelf: Hashable {
  let kind: DocumentKind
  let app: BundleID?
  /// Nil for all.
  let name: String?

  /// The lists that a document stands in.
  static func all(_ document: LedgerDocument) -> [DocumentShelf] {
    let key = document.key
    let whole = DocumentShelf(kind: key.kind, app: key.app, name: nil)
    guard let name = document.shelf else { return [whole] }
    return [whole, DocumentShelf(kind: key.kind, app: key.app, name: name)]
  }
}

/// Where a document stands in a list.
struct DocumentPlace {
  let sequence: Int64
  let key: DocumentKey
}

// Documents, and the lists that they are found in without looking at every one of them.
extension InMemoryTables {
  mutating func setDocument(_ write: DocumentWrite, date: Date) -> LedgerDocument {
    let before = documentRows[write.key]
    if before == nil {
      let made = documentsMade
      undoLog.append { $0.documentsMade = made }
      documentsMade += 1
    }
    let document = LedgerDocument(
      key: write.key,
      sequence: before?.sequence ?? documentsMade,
      shelf: write.shelf,
      body: write.body,
      version: (before?.version ?? 0) + 1,
      createdDate: before?.createdDate ?? date,
      changedDate: date
    )
    set(\.documentRows, write.key, document)
    let (old, new) = (before.map { DocumentShelf.all($0) } ?? [], DocumentShelf.all(document))
    for shelf in old where !new.contains(shelf) { take(document, from: shelf) }
    for shelf in new where !old.contains(shelf) { put(document, on: shelf) }
    return document
  }

  mutating func removeDocument(_ key: DocumentKey) {
    guard let document = documentRows[key] else { return }
    remove(\.documentRows, key)
    for shelf in DocumentShelf.all(document) { take(document, from: shelf) }
  }

  mutating func removeDocuments(_ pruning: DocumentPruning, limit: Int) {
    let places = documentPlaces.filter { $0.key.kind == pruning.kind && $0.key.name == nil }
    let old = places.values.joined().compactMap { documentRows[$0.key] }
      .filter { $0.changedDate < pruning.changedBefore }
    let ordered = old.sorted { ($0.changedDate, $0.sequence) < ($1.changedDate, $1.sequence) }
    for document in ordered.prefix(limit) { removeDocument(document.key) }
  }

  func document(_ key: DocumentKey) -> LedgerDocument? { documentRows[key] }

  func documents(
    _ kind: DocumentKind,
    app: BundleID?,
    shelf: String?,
    after sequence: Int64,
    limit: Int
  ) -> [LedgerDocument] {
    let places = documentPlaces[DocumentShelf(kind: kind, app: app, name: shelf)] ?? []
    let start = Self.index(of: sequence + 1, in: places)
    return places[start...].prefix(max(limit, 0)).compactMap { documentRows[$0.key] }
  }

  private mutating func put(_ document: LedgerDocument, on shelf: DocumentShelf) {
    undoLog.append { $0.unlist(document, shelf) }
    list(document, shelf)
  }

  private mutating func take(_ document: LedgerDocument, from shelf: DocumentShelf) {
    undoLog.append { $0.list(document, shelf) }
    unlist(document, shelf)
  }

  private mutating func list(_ document: LedgerDocument, _ shelf: DocumentShelf) {
    let place = DocumentPlace(sequence: document.sequence, key: document.key)
    let index = Self.index(of: place.sequence, in: documentPlaces[shelf] ?? [])
    documentPlaces[shelf, default: []].insert(place, at: index)
  }

  private mutating func unlist(_ document: LedgerDocument, _ shelf: DocumentShelf) {
    let index = Self.index(of: document.sequence, in: documentPlaces[shelf] ?? [])
    documentPlaces[shelf]?.remove(at: index)
    if documentPlaces[shelf]?.isEmpty == true { documentPlaces[shelf] = nil }
  }

  /// The first place that is not before a sequence.
  private static func index(of sequence: Int64, in places: [DocumentPlace]) -> Int {
    var (low, high) = (0, places.count)
    while low < high {
      let middle = (low + high) / 2
      if places[middle].sequence < sequence { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

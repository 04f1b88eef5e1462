import EntitlementServer
import Foundation
import IAPEntitlements
import IAPModel
import ServerStorage

/// Counts what the charts show, entry by entry, in the order in which entries took effect.
///
/// The numbers of a batch and the place behind it are one write that holds only for the version it
/// was read in: every entry is counted once, whoever counts and whenever the process ends. A page
/// reads the numbers of its days and never the entries.
struct FigureJob: Sendable {
  let server: EntitlementServer

  /// How many entries are counted in one write.
  static let batchMax = 200
  /// How many entries without a price are looked at again in one write.
  static let unpricedMax = 50
  /// After how many seconds a price is looked for again: signed data often comes a moment after a
  /// receipt, which has none; then once more a day later.
  static let waits: [(shelf: String, seconds: TimeInterval)] = [("soon", 60), ("late", 86_400)]

  static let placeKey = DocumentKey(.dashboardPlace, app: nil, name: "entries")

  private struct Batch: Sendable {
    var changes: [LedgerScope: TallyChanges] = [:]
    var place: Int64
    var placeVersion: Int64?
    var count = 0
    var unpriced: [DocumentWrite] = []
    var removals: [DocumentKey] = []
    var documents: [DocumentWrite] = []
  }

  /// Counts a batch.
  ///
  /// - Returns: How many entries were looked at; 0 when nothing is new.
  func step() async -> Int {
    let now = await server.now()
    let apps = server.configured.apps.map(\.bundleID)
    do throws(StorageError) {
      let batch = try await server.ledger.read { reader throws(StorageError) in
        try Self.batch(apps, now, reader)
      }
      guard batch.count > 0 else { return 0 }
      var write = LedgerWrite(date: now)
      write.documents = batch.documents + batch.unpriced
      write.removals = batch.removals
      _ = try await server.ledger.commit(write)
      // Refused: another server was faster, and the next batch begins where it ended.
      return batch.count
    } catch {
      server.note(
        ServerEvent(.error, "dashboard.counting", [.init("inside", error.description)])
      )
      return 0
    }
  }

  private static func batch(
    _ apps: [BundleID],
    _ now: Date,
    _ reader: any LedgerReading
  ) throws(StorageError) -> Batch {
    let place = try reader.document(placeKey)
    var batch = Batch(
      place: place?.body["place"]?.integerValue ?? 0,
      placeVersion: place?.version
    )
    try count(&batch, now, reader)
    for app in apps { try reprice(&batch, app, now, reader) }
    for (scope, changes) in batch.changes {
      for (bucket, change) in changes.changes {
        let key = bucket.key(scope)
        let known = try reader.document(key)
        var tally = known.map { Tally($0.body) } ?? Tally()
        tally.add(change)
        batch.documents.append(
          DocumentWrite(
            key,
            shelf: bucket.shelf(scope),
            body: tally.body,
            condition: known.map { .mustHaveVersion($0.version) } ?? .mustBeAbsent
          )
        )
      }
    }
    if batch.count > 0 {
      batch.documents.append(
        DocumentWrite(
          placeKey,
          body: ["place": .integer(batch.place), "date": .integer(now.milliseconds)],
          condition: batch.placeVersion.map { .mustHaveVersion($0) } ?? .mustBeAbsent
        )
      )
    }
    return batch
  }

  private static func count(
    _ batch: inout Batch,
    _ now: Date,
    _ reader: any LedgerReading
  ) throws(StorageError) {
    var histories: [LedgerSubject: StoreHistory] = [:]
    for record in try reader.outbox(after: batch.place, limit: batchMax) {
      batch.place = record.sequence
      batch.count += 1
      guard record.kind.hasPrefix("unit.") else { continue }
      let history: StoreHistory
      if let known = histories[record.subject] {
        history = known
      } else {
        history = try self.history(of: record.subject, reader)
      }
      histories[record.subject] = history
      guard let figures = EntryFigures(record, history) else { continue }
      batch.changes[record.subject.scope, default: TallyChanges()].add(figures.changes)
      guard figures.isUnpriced, let key = unpricedKey(record) else { continue }
      batch.unpriced.append(
        DocumentWrite(
          key,
          shelf: waits[0].shelf,
          body: [
            "original": .string(record.subject.original.rawValue),
            "environment": .string(record.subject.scope.environment.rawValue),
            "kind": .string(record.kind), "entry": .object(record.body),
          ],
          condition: .always
        )
      )
    }
  }

  private static func unpricedKey(_ record: OutboxRecord) -> DocumentKey? {
    record.body["key"]?.stringValue.map {
      DocumentKey(
        .dashboardUnpriced,
        app: record.subject.scope.app,
        name: "\(record.subject.scope.environment):\($0)"
      )
    }
  }

  private static func history(
    of subject: LedgerSubject,
    _ reader: any LedgerReading
  ) throws(StorageError) -> StoreHistory {
    StoreHistory(
      try reader.facts(of: subject),
      environment: .only(subject.scope.environment)
    )
  }

  /// Looks again at entries that had no price.
  private static func reprice(
    _ batch: inout Batch,
    _ app: BundleID,
    _ now: Date,
    _ reader: any LedgerReading
  ) throws(StorageError) {
    for (index, wait) in waits.enumerated() {
      for document in try reader.documents(
        .dashboardUnpriced,
        app: app,
        shelf: wait.shelf,
        after: 0,
        limit: unpricedMax
      ) {
        guard now.timeIntervalSince(document.createdDate) >= wait.seconds else { break }
        batch.count += 1
        guard let original = document.body["original"]?.stringValue,
          let environment = document.body["environment"]?.stringValue,
          let kind = document.body["kind"]?.stringValue,
          let entry = document.body["entry"]?.objectValue
        else { throw StorageError(.corrupt, "an entry without a price cannot be read") }
        let subject = LedgerSubject(
          scope: LedgerScope(app: app, environment: StoreEnvironment(rawValue: environment)),
          original: OriginalTransactionID(original)
        )
        let record = OutboxRecord(
          kind: kind,
          subject: subject,
          body: entry,
          date: document.createdDate
        )
        let figures = EntryFigures(record, try history(of: subject, reader))
        if let figures, figures.isUnpriced, index + 1 < waits.count {
          batch.unpriced.append(
            DocumentWrite(
              document.key,
              shelf: waits[index + 1].shelf,
              body: document.body,
              condition: .mustHaveVersion(document.version)
            )
          )
          continue
        }
        if let figures, !figures.isUnpriced {
          batch.changes[subject.scope, default: TallyChanges()].add(figures.repricing)
        }
        batch.removals.append(document.key)
      }
    }
  }
}

extension DashboardSite {
  /// Counts a batch of what the charts show.
  ///
  /// - Returns: How many entries were looked at; 0 when nothing is new.
  package func count() async -> Int { await FigureJob(server: server).step() }
}

import Foundation
import PostgresStorage
import SQLiteStorage
import ServerStorage

/// Writes a ledger as it is at one instant into a SQLite file, while servers go on writing it.
struct LedgerBackup {
  /// Makes a file out of a ledger.
  ///
  /// - Parameters:
  ///   - place: Where the ledger is.
  ///   - path: The new file; it appears when it is whole.
  /// - Throws: ``StorageError``.
  static func make(of place: LedgerPlace, at path: String) throws(StorageError) {
    let unfinished = path + ".unfinished"
    remove(unfinished)
    do throws(StorageError) {
      switch place {
      case .sqlite(let file): try SQLiteArchive(path: file).copy(to: unfinished)
      case .postgres(let address), .postgresFile(_, let address):
        try copy(PostgresArchive(address), to: unfinished)
      }
      try rename(unfinished, to: path)
    } catch {
      remove(unfinished)
      throw error
    }
  }

  /// Makes a ledger's file out of a backup.
  ///
  /// - Throws: ``StorageError``.
  static func restore(_ backup: String, to path: String) throws(StorageError) {
    let unfinished = path + ".unfinished"
    remove(unfinished)
    do throws(StorageError) {
      try SQLiteArchive(path: backup).copy(to: unfinished)
      try rename(unfinished, to: path)
    } catch {
      remove(unfinished)
      throw error
    }
  }

  private static func copy(_ source: PostgresArchive, to path: String) throws(StorageError) {
    // Makes the file and its tables; nothing waits in it, so letting go of it needs no waiting.
    _ = try SQLiteLedger(path: path)
    let target = try SQLiteArchive(path: path)
    try source.beginReading()
    try target.begin(locking: true)
    var numbers = DenseNumbers()
    do throws(StorageError) {
      for table in LedgerTable.all {
        try source.visit(table) { rows throws(StorageError) in
          try target.write(numbers.renumbered(rows, of: table), to: table)
        }
      }
      try target.setLastDocumentPlace(source.lastDocumentPlace())
      try source.end()
      try target.end()
    } catch {
      source.undo()
      target.undo()
      throw error
    }
  }

  private static func rename(_ path: String, to other: String) throws(StorageError) {
    let manager = FileManager.default
    for ending in ["-wal", "-shm"] { try? manager.removeItem(atPath: path + ending) }
    guard !manager.fileExists(atPath: other),
      (try? manager.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)) != nil,
      (try? manager.moveItem(atPath: path, toPath: other)) != nil
    else { throw StorageError(.readOnly, "'\(other)' is there, or cannot be made") }
  }

  /// Removes a SQLite file and the files beside it.
  static func remove(_ path: String) {
    for ending in ["", "-wal", "-shm", "-journal"] {
      try? FileManager.default.removeItem(atPath: path + ending)
    }
  }
}

/// Gives purchases numbers without gaps: a SQLite file counts its rows by the last number, and a
/// PostgreSQL that undid a transaction has left some out.
struct DenseNumbers {
  private var subjects: [Int64: Int64] = [:]
  private var conflicts: Int64 = 0

  mutating func renumbered(_ rows: LedgerRows, of table: LedgerTable) -> LedgerRows {
    if table.name == "conflicts" {
      let place = table.columns.firstIndex { $0.name == "subject" }
      return rows.map { row in
        conflicts += 1
        var row = row
        row[0] = .integer(conflicts)
        if let place { row[place] = renumbered(row[place]) }
        return row
      }
    }
    let isSubjects = table.name == "subjects"
    guard
      let place = table.columns.firstIndex(where: { $0.name == (isSubjects ? "id" : "subject") })
    else { return rows }
    return rows.map { row in
      var row = row
      if isSubjects, let number = row[place].number {
        subjects[number] = Int64(subjects.count) + 1
      }
      row[place] = renumbered(row[place])
      return row
    }
  }

  private func renumbered(_ cell: LedgerCell) -> LedgerCell {
    .integer(cell.number.flatMap { subjects[$0] })
  }
}

import IAPModel
import PostgresStorage
import SQLiteStorage
import ServerStorage

// Whether both places hold the same.
extension LedgerMove {
  /// Up to so many purchases, everything that follows from each is computed in both places; of more
  /// only from some pages of them, evenly spread.
  private static let purchasesDumpedMax: Int64 = 10_000

  /// Compares every row, each place read once.
  mutating func compareRows() throws(StorageError) {
    for table in LedgerTable.all {
      var (here, there) = (RowSum(), RowSum())
      try source.visit(table, stored: PostgresArchive.stored) { _, row in here.add(row) }
      try target.copyOut(table) { row in there.add(row) }
      guard here == there else {
        throw StorageError(
          .corrupt,
          "\(table.name): rows are not the same in both places (\(here.count), \(there.count))"
        )
      }
      report.rowsCompared += here.count
    }
  }

  /// Compares what questions about each purchase find, and what follows from the facts.
  ///
  /// What follows is computed from what is found, by the same rules in both places; so it is the
  /// same for equal finds, and is computed once more for some purchases only when there are many.
  mutating func compareState() throws(StorageError) {
    guard let table = LedgerTable.named("subjects") else { return }
    let all = try source.count(table)
    let step = max(1, Int(all / Self.purchasesDumpedMax))
    for (number, scope) in try source.scopes() {
      var page = 0
      var last = ""
      var isMore = true
      while isMore {
        let limit = Self.purchasesPerPage
        let here = try source.purchases(of: number, after: last, limit: limit)
        let there = try target.purchases(of: number, after: last, limit: limit)
        guard here == there,
          try source.sum(of: here, stored: PostgresArchive.stored) == target.sum(of: there)
        else { throw StorageError(.corrupt, "the state is not the same in both places") }
        if page % step == 0 { try compareDumps(of: here, in: scope) }
        report.purchasesCompared += here.count
        page += 1
        last = here.last?.original ?? ""
        isMore = here.count == limit
      }
    }
  }

  /// Compares everything that follows from the facts of some purchases.
  private mutating func compareDumps(
    of purchases: [ArchivedPurchase],
    in scope: LedgerScope
  ) throws(StorageError) {
    let subjects = purchases.map {
      LedgerSubject(scope: scope, original: OriginalTransactionID($0.original))
    }
    let here = try source.read { reader throws(StorageError) in
      try LedgerDigest(reader, subjects)
    }
    let there = try target.read { reader throws(StorageError) in
      try LedgerDigest(reader, subjects)
    }
    guard here == there else {
      throw StorageError(.corrupt, "the state is not the same in both places")
    }
    report.linesCompared += here.lines
  }
}

/// How many lines a dump has, and a number that two different dumps hardly share.
private struct LedgerDigest: Hashable {
  private(set) var lines = 0
  private var sum: UInt64 = 0

  init(_ reader: any LedgerReading, _ subjects: [LedgerSubject]) throws(StorageError) {
    var lines = 0
    var sum: UInt64 = 0
    try LedgerDump.visit(reader, subjects) { line in
      lines += 1
      // The order of the lines counts.
      sum = (sum &* 31) &+ RowBytes.digest(Array(line.utf8))
    }
    self.lines = lines
    self.sum = sum
  }
}

import PostgresStorage
import SQLiteStorage
import ServerStorage

// Rows on their way.
extension LedgerMove {
  /// How many purchases are asked about at once.
  static let purchasesPerPage = 1_000

  /// Looks how much there is, and makes the tables ready.
  mutating func begin() throws(StorageError) {
    try target.beginCopy()
    erased = try source.erasedCount()
    var found: Int64 = 0
    for table in LedgerTable.all { found += try source.count(table) }
    progress(.found(rows: found))
  }

  /// Makes the tables' indices, after they were filled.
  func makeIndices() throws(StorageError) {
    try target.makeIndices()
    try target.analyze()
  }

  /// Copies a whole table into one that is empty.
  mutating func fill(_ table: LedgerTable) throws(StorageError) {
    let (target, progress) = (target, progress)
    ends[table.name] = try visitNew(table) { rows throws(StorageError) in
      try target.load(rows, into: table)
      progress(.copied(rows: rows.count))
    }
  }

  /// Copies the rows that were added since the last time; returns how many.
  mutating func copyNews() throws(StorageError) -> Int {
    var count = 0
    let (target, progress) = (target, progress)
    for table in LedgerTable.all where table.number != nil {
      ends[table.name] = try visitNew(table) { rows throws(StorageError) in
        try target.merge(rows, into: table)
        count += rows.count
        progress(.copied(rows: rows.count))
      }
    }
    return count
  }

  /// Hands out rows behind the last that was copied, and notes them; returns the last one's number.
  private mutating func visitNew(
    _ table: LedgerTable,
    _ take: (RowBatch) throws(StorageError) -> Void
  ) throws(StorageError) -> Int64 {
    var known = blocks.removeValue(forKey: table.name) ?? RowBlocks()
    defer { blocks[table.name] = known }
    var end = ends[table.name] ?? 0
    var rows = RowBatch()
    try source.visit(table, .after(end), stored: PostgresArchive.stored) {
      number,
      row throws(StorageError) in
      end = number
      if table.number != nil { known.add(number, row) }
      rows.append(row)
      guard rows.isFull else { return }
      try take(rows)
      rows.removeAll()
    }
    if !rows.isEmpty { try take(rows) }
    return end
  }

  /// Copies what was added, changed or removed since the last time.
  mutating func copyEverythingNew() throws(StorageError) {
    _ = try copyNews()
    for table in LedgerTable.all {
      switch table.growth {
      case .added: continue
      case .changed, .replaced: try copyChanges(of: table)
      }
    }
    try copyErased()
  }

  /// Copies the rows of a table that are not as they were.
  private mutating func copyChanges(of table: LedgerTable) throws(StorageError) {
    guard table.number != nil else { return try copyDifferences(of: table) }
    let (target, progress) = (target, progress)
    let hasLost = try look(at: table) { rows, blocks throws(StorageError) in
      try target.merge(rows, into: table, alone: table.storedNumber == nil ? [] : blocks)
      progress(.copied(rows: rows.count))
    }
    if hasLost, table.storedNumber == nil { try copyDifferences(of: table) }
  }

  /// Looks at every row of a table that has numbers; returns whether rows are there no more.
  private mutating func look(
    at table: LedgerTable,
    _ take: (RowBatch, [Int64]) throws(StorageError) -> Void
  ) throws(StorageError) -> Bool {
    var look = RowLook(blocks[table.name] ?? RowBlocks())
    try source.visit(table, stored: PostgresArchive.stored) { number, row throws(StorageError) in
      look.take(number, row)
      guard look.rows.isFull else { return }
      try take(look.rows, look.blocks)
      look.removeFound()
    }
    look.end()
    try take(look.rows, look.blocks)
    blocks[table.name] = look.seen
    return look.hasLost
  }

  /// Goes through both tables in the order of their key, and copies what differs.
  private func copyDifferences(of table: LedgerTable) throws(StorageError) {
    let key = table.keyPlaces
    let target = target
    var (wanted, gone) = (RowBatch(), RowBatch())
    try target.beginCopyOut(inOrder: table)
    var there = try target.nextCopied()
    try source.visit(table, .byKey, stored: PostgresArchive.stored) {
      _,
      row throws(StorageError) in
      while let other = there, other != row, RowBytes.isBefore(other, row, by: key) {
        gone.append(other)
        there = try target.nextCopied()
      }
      if there == row {
        there = try target.nextCopied()
      } else {
        wanted.append(row)
        // The same key with something else: it is replaced.
        if let other = there, !RowBytes.isBefore(row, other, by: key) {
          there = try target.nextCopied()
        }
      }
    }
    while let other = there {
      gone.append(other)
      there = try target.nextCopied()
    }
    try target.remove(gone, from: table)
    try target.merge(wanted, into: table)
    progress(.copied(rows: wanted.count))
  }

  /// Copies what is left of purchases whose customer was erased meanwhile.
  private mutating func copyErased() throws(StorageError) {
    let now = try source.erasedCount()
    guard now != erased, let facts = LedgerTable.named("facts"),
      let items = LedgerTable.named("items"),
      let place = items.columns.firstIndex(where: { $0.name == "subject" })
    else { return }
    erased = now
    let target = target
    _ = try look(at: facts) { rows, _ throws(StorageError) in try target.merge(rows, into: facts) }
    // Numbers of items that were removed may have been given again.
    var subjects = Set(try source.erasedSubjects())
    _ = try look(at: items) { rows, _ in subjects.formUnion(rows.numbers(in: place)) }
    let numbers = subjects.sorted()
    for start in stride(from: 0, to: numbers.count, by: Self.purchasesPerPage) {
      let some = Array(numbers[start..<min(start + Self.purchasesPerPage, numbers.count)])
      try target.removeItems(of: some)
      var rows = RowBatch()
      for subject in some {
        try source.visit(items, .ofSubject(subject), stored: PostgresArchive.stored) { _, row in
          rows.append(row)
        }
      }
      try target.load(rows, into: items)
    }
  }
}

import ServerStorage

/// What was copied of one table, as numbers that different rows hardly share (FNV-1a, 64 bits).
///
/// Of rows that may change it remembers each, so that a second look copies only what is different;
/// of rows that are only added it remembers the sum, in whatever order they came.
struct CopiedRows {
  private struct Known {
    var hash: UInt64
    var look: Int
  }

  /// How many rows were copied.
  private(set) var count: Int64 = 0
  /// The sum of all rows.
  private(set) var sum: UInt64 = 0
  private var known: [UInt64: Known] = [:]
  private var look = 0
  private var seen = 0
  private let isRemembering: Bool

  /// Begins with nothing.
  ///
  /// - Parameters:
  ///   - table: The table.
  ///   - isForSum: Whether only the sum is wanted.
  init(_ table: LedgerTable, isForSum: Bool = false) {
    switch table.growth {
    case .added: isRemembering = false
    case .changed, .replaced: isRemembering = !isForSum
    }
  }

  /// Takes note of rows, and returns those that were not copied before as they are.
  mutating func take(_ rows: LedgerRows, of table: LedgerTable) -> LedgerRows {
    guard isRemembering else {
      count += Int64(rows.count)
      for row in rows { sum &+= Self.hash(row[...]) }
      return rows
    }
    let places = Self.keyPlaces(table)
    return rows.filter { row in
      seen += 1
      let key = Self.hash(places.map { row[$0] }[...])
      let hash = Self.hash(row[...])
      let before = known.updateValue(Known(hash: hash, look: look), forKey: key)
      if before == nil { count += 1 }
      guard before?.hash != hash else { return false }
      sum &+= hash &- (before?.hash ?? 0)
      return true
    }
  }

  /// Begins to look at every row.
  mutating func beginLook() {
    look += 1
    seen = 0
  }

  /// Whether rows that were copied are there no more, after every row was looked at.
  var hasGone: Bool { known.count > seen }

  /// Which of some keys were not seen in the last look; they are forgotten.
  mutating func takeGone(_ keys: LedgerRows) -> LedgerRows {
    keys.filter { row in
      let key = Self.hash(row[...])
      guard let found = known[key], found.look != look else { return false }
      known[key] = nil
      count -= 1
      sum &-= found.hash
      return true
    }
  }

  /// Whether other rows are the same, in whatever order.
  func isSame(as other: CopiedRows) -> Bool { count == other.count && sum == other.sum }

  /// The columns of a table's key.
  static func keyPlaces(_ table: LedgerTable) -> [Int] {
    table.key.compactMap { name in table.columns.firstIndex { $0.name == name } }
  }

  private static let prime: UInt64 = 0x100_0000_01b3

  private static func hash(_ row: ArraySlice<LedgerCell>) -> UInt64 {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    func add(_ byte: UInt8) { hash = (hash ^ UInt64(byte)) &* prime }
    for cell in row {
      switch cell {
      case .integer(nil), .text(nil), .blob(nil): add(0)
      case .integer(let number?):
        add(1)
        withUnsafeBytes(of: number.littleEndian) { for byte in $0 { add(byte) } }
      case .text(let text?):
        add(2)
        for byte in text.utf8 { add(byte) }
        add(0xFF)
      case .blob(let bytes?):
        add(3)
        for byte in bytes { add(byte) }
        withUnsafeBytes(of: bytes.count.littleEndian) { for byte in $0 { add(byte) } }
      }
    }
    return hash
  }
}

/// Rows of a table as bytes: for each cell its length in four bytes, -1 for nothing, and what it
/// holds; in front of each row the number of its cells in two.
///
/// Whole numbers take eight bytes. Bytes that count are in network order. It is the form in which
/// PostgreSQL takes and gives rows that are copied, and two rows are the same when their bytes are.
package struct RowBatch: Hashable, Sendable {
  /// The rows, one behind the other.
  package private(set) var bytes: [UInt8] = []
  /// Where each row begins.
  private var starts: [Int] = []

  /// Makes one without rows.
  package init() {}

  /// How many rows there are.
  package var count: Int { starts.count }
  /// Whether there are none.
  package var isEmpty: Bool { starts.isEmpty }
  /// Whether it should be written before more is put into it.
  package var isFull: Bool { bytes.count >= Self.bytesMax }
  /// How many bytes are carried at once.
  package static let bytesMax = 4 << 20

  /// Adds a row.
  package mutating func append(_ row: [UInt8]) {
    starts.append(bytes.count)
    bytes += row
  }

  /// Adds the rows of another one.
  package mutating func append(_ other: RowBatch) {
    let start = bytes.count
    starts += other.starts.map { $0 + start }
    bytes += other.bytes
  }

  /// Forgets the rows, and keeps the room for others.
  package mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
    starts.removeAll(keepingCapacity: true)
  }

  /// The numbers in a column of whole numbers; without rows that have none there.
  package func numbers(in column: Int) -> [Int64] {
    starts.compactMap { start in
      RowBytes.cell(column, of: bytes[start...]).map { RowBytes.number($0) }
    }
  }
}

/// What can be said of the bytes of one row, see ``RowBatch``.
package enum RowBytes {
  /// What a cell holds; nil for nothing.
  package static func cell(_ index: Int, of row: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    var place = row.startIndex + 2
    for column in 0...index {
      let length = Int(Int32(truncatingIfNeeded: number(row[place..<place + 4])))
      place += 4
      if column == index { return length < 0 ? nil : row[place..<place + length] }
      place += max(length, 0)
    }
    return nil
  }

  /// A whole number of any width.
  package static func number(_ bytes: ArraySlice<UInt8>) -> Int64 {
    bytes.reduce(0) { $0 << 8 | Int64($1) }
  }

  /// Whether a row stands before another one in the order of some cells.
  package static func isBefore(_ row: [UInt8], _ other: [UInt8], by cells: [Int]) -> Bool {
    for index in cells {
      let (own, others) = (cell(index, of: row[...]), cell(index, of: other[...]))
      guard let own, let others else { return own == nil && others != nil }
      if own != others { return own.lexicographicallyPrecedes(others) }
    }
    return false
  }

  /// A number that different rows hardly share; sums of it tell sets of rows apart.
  package static func digest(_ row: [UInt8]) -> UInt64 {
    row.withUnsafeBytes { bytes in
      var digest = 0x9E37_79B9_7F4A_7C15 ^ UInt64(bytes.count)
      var place = 0
      while place + 8 <= bytes.count {
        let word = bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self)
        digest = mixed(digest ^ UInt64(littleEndian: word))
        place += 8
      }
      var rest: UInt64 = 0
      while place < bytes.count {
        rest = rest << 8 | UInt64(bytes[place])
        place += 1
      }
      return mixed(mixed(digest ^ rest))
    }
  }

  /// Spreads what each bit says over all of them.
  private static func mixed(_ word: UInt64) -> UInt64 {
    let product = word.multipliedFullWidth(by: 0xA076_1D64_78BD_642F)
    return (product.high ^ product.low) &+ 0xE703_7ED1_A0B4_28DB
  }
}

/// How many rows there are, and a sum that other rows hardly have, in whatever order they came.
package struct RowSum: Hashable, Sendable {
  package private(set) var count: Int64 = 0
  private var sum: UInt64 = 0

  /// The sum of no rows.
  package init() {}

  /// Adds a row.
  package mutating func add(_ row: [UInt8]) {
    count += 1
    sum &+= RowBytes.digest(row)
  }
}

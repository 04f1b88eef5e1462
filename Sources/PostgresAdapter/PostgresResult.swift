internal import CPostgreSQL

/// The rows that a statement returned; columns and rows count from 0.
@safe package final class PostgresResult {
  private let pointer: OpaquePointer

  /// Takes ownership of a result.
  @unsafe init(_ pointer: OpaquePointer) {
    unsafe self.pointer = pointer
  }

  deinit { unsafe PQclear(pointer) }

  /// How many rows were returned.
  package var count: Int { Int(unsafe PQntuples(pointer)) }

  /// The rows.
  package var rows: [PostgresRow] { (0..<count).map { PostgresRow(result: self, index: $0) } }

  /// How many rows the statement changed, or returned.
  package var changedCount: Int {
    guard let text = unsafe PQcmdTuples(pointer) else { return 0 }
    return Int(unsafe String(cString: text)) ?? 0
  }

  func isNull(_ row: Int, _ column: Int) -> Bool {
    unsafe PQgetisnull(pointer, Int32(row), Int32(column)) == 1
  }

  func bytes(_ row: Int, _ column: Int) -> [UInt8] {
    guard let start = unsafe PQgetvalue(pointer, Int32(row), Int32(column)) else { return [] }
    let count = Int(unsafe PQgetlength(pointer, Int32(row), Int32(column)))
    return unsafe Array(UnsafeRawBufferPointer(start: start, count: count))
  }
}

/// One row of a result.
package struct PostgresRow {
  let result: PostgresResult
  let index: Int

  package func isNull(_ column: Int) -> Bool { result.isNull(index, column) }

  /// A whole number of any width, or 0 and 1 for what is false and true.
  package func integer(_ column: Int) -> Int64 {
    let bytes = result.bytes(index, column)
    guard let first = bytes.first else { return 0 }
    let sign: Int64 = bytes.count > 1 && first >= 0x80 ? -1 : 0
    return bytes.reduce(sign) { $0 << 8 | Int64($1) }
  }

  package func optionalInteger(_ column: Int) -> Int64? { isNull(column) ? nil : integer(column) }

  package func text(_ column: Int) -> String { PostgresText.decode(blob(column)) }

  package func optionalText(_ column: Int) -> String? { isNull(column) ? nil : text(column) }

  package func blob(_ column: Int) -> [UInt8] { result.bytes(index, column) }
}

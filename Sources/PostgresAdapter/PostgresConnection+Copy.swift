internal import CPostgreSQL

// Rows in large numbers, in PostgreSQL's binary form of a copy.
extension PostgresConnection {
  /// What stands in front of copied rows: a signature, no flags, nothing more.
  private static let copyHeader: [UInt8] =
    Array("PGCOPY\n".utf8) + [0xFF, 0x0D, 0x0A, 0] + [UInt8](repeating: 0, count: 8)
  /// What stands behind them: a row of -1 cells.
  private static let copyEnd: [UInt8] = [0xFF, 0xFF]
  /// How many bytes are handed over at once.
  private static let copyBytesMax = 1 << 20

  /// Copies rows into a table.
  ///
  /// - Parameters:
  ///   - sql: A `COPY ... FROM STDIN (FORMAT binary)`.
  ///   - rows: The rows: for each the number of its cells in two bytes, then each with its length.
  /// - Throws: ``PostgresError``; none of them is stored then.
  package func copyIn(_ sql: String, _ rows: [UInt8]) throws(PostgresError) {
    try beginCopy(sql, PGRES_COPY_IN)
    for part in [Self.copyHeader, rows, Self.copyEnd] {
      for start in stride(from: 0, to: part.count, by: Self.copyBytesMax) {
        let count = min(Self.copyBytesMax, part.count - start)
        let sent = unsafe part.withUnsafeBytes { bytes in
          let place = unsafe bytes.baseAddress.map { unsafe $0 + start }
          return unsafe PQputCopyData(
            handle,
            place?.assumingMemoryBound(to: CChar.self),
            Int32(count)
          )
        }
        guard sent == 1 else { throw lost("the connection broke while rows were copied") }
      }
    }
    try send(unsafe PQputCopyEnd(handle, nil) == 1)
    _ = try result("copy")
  }

  /// Begins to copy rows out of a table; ``nextCopied()`` returns them.
  ///
  /// - Parameter sql: A `COPY ... TO STDOUT (FORMAT binary)`.
  /// - Throws: ``PostgresError``.
  package func beginCopyOut(_ sql: String) throws(PostgresError) {
    try beginCopy(sql, PGRES_COPY_OUT)
  }

  /// The next row that is copied out; nil behind the last.
  package func nextCopied() throws(PostgresError) -> [UInt8]? {
    var isMore = true
    while isMore {
      var start: UnsafeMutablePointer<CChar>?
      let count = unsafe PQgetCopyData(handle, &start, 0)
      guard count > 0, let start = unsafe start else {
        guard count == -1 else { throw lost("the connection broke while rows were copied") }
        isMore = false
        continue
      }
      defer { unsafe PQfreemem(start) }
      var bytes = unsafe UnsafeRawBufferPointer(start: start, count: Int(count))[...]
      if unsafe bytes.starts(with: Self.copyHeader) {
        unsafe bytes = bytes.dropFirst(Self.copyHeader.count)
      }
      let row = unsafe Array(bytes)
      if !row.isEmpty, row != Self.copyEnd { return row }
    }
    _ = try result("copy")
    return nil
  }

  private func beginCopy(_ sql: String, _ wanted: ExecStatusType) throws(PostgresError) {
    try send(unsafe PQsendQuery(handle, sql) == 1)
    guard let pointer = try unsafe nextResult() else { throw lost("no answer to copy") }
    let first = unsafe PostgresResult(pointer)
    guard unsafe PQresultStatus(pointer) != wanted else { return }
    var failure: PostgresError?
    do throws(PostgresError) { try unsafe check(pointer, "copy") } catch { failure = error }
    withExtendedLifetime(first) {}
    while let rest = try unsafe nextResult() { unsafe PQclear(rest) }
    throw failure ?? lost("no copy began")
  }
}

#if canImport(SQLite3)
internal import SQLite3
#else
internal import CSQLite
#endif

/// One prepared statement and, while it runs, its current row; columns count from 0.
@safe package final class SQLiteStatement {
  /// `SQLITE_TRANSIENT`, a cast in C that Swift cannot import: SQLite copies what is bound.
  @unsafe private static var copies: sqlite3_destructor_type {
    unsafe unsafeBitCast(-1, to: sqlite3_destructor_type.self)
  }

  private let pointer: OpaquePointer

  /// Takes ownership of a prepared statement.
  @unsafe init(_ pointer: OpaquePointer) {
    unsafe self.pointer = pointer
  }

  deinit { _ = unsafe sqlite3_finalize(pointer) }

  var parameterCount: Int { Int(unsafe sqlite3_bind_parameter_count(pointer)) }

  /// Goes on; for the connection's funnel only.
  func step() -> Int32 { unsafe sqlite3_step(pointer) }

  /// Makes it ready to run again and lets go of bound values.
  func reset() {
    _ = unsafe sqlite3_reset(pointer)
    _ = unsafe sqlite3_clear_bindings(pointer)
  }

  /// Binds a copy of a value; for the connection's funnel only.
  func bind(_ value: SQLiteValue, at index: Int32) -> Int32 {
    switch value {
    case .null: return unsafe sqlite3_bind_null(pointer, index)
    case .integer(let number): return unsafe sqlite3_bind_int64(pointer, index, number)
    case .text(let text):
      var text = text
      return text.withUTF8 { buffer in
        unsafe buffer.withMemoryRebound(to: CChar.self) { characters in
          unsafe sqlite3_bind_text(
            pointer,
            index,
            characters.baseAddress,
            Int32(characters.count),
            Self.copies
          )
        }
      }
    case .blob(let bytes):
      guard !bytes.isEmpty else { return unsafe sqlite3_bind_zeroblob(pointer, index, 0) }
      return unsafe bytes.withUnsafeBytes { buffer in
        unsafe sqlite3_bind_blob(
          pointer,
          index,
          buffer.baseAddress,
          Int32(buffer.count),
          Self.copies
        )
      }
    }
  }

  package func isNull(_ column: Int32) -> Bool {
    unsafe sqlite3_column_type(pointer, column) == SQLITE_NULL
  }

  package func integer(_ column: Int32) -> Int64 { unsafe sqlite3_column_int64(pointer, column) }

  package func optionalInteger(_ column: Int32) -> Int64? { isNull(column) ? nil : integer(column) }

  package func text(_ column: Int32) -> String { String(decoding: blob(column), as: UTF8.self) }

  package func optionalText(_ column: Int32) -> String? { isNull(column) ? nil : text(column) }

  package func blob(_ column: Int32) -> [UInt8] {
    guard let start = unsafe sqlite3_column_blob(pointer, column) else { return [] }
    let count = Int(unsafe sqlite3_column_bytes(pointer, column))
    return unsafe Array(UnsafeRawBufferPointer(start: start, count: count))
  }

  /// Adds a whole number in network order, behind its length; -1 for a null.
  package func append(integer column: Int32, to bytes: inout [UInt8]) {
    guard !isNull(column) else { return Self.append(-1, to: &bytes) }
    Self.append(8, to: &bytes)
    let number = integer(column).bigEndian
    unsafe withUnsafeBytes(of: number) { unsafe bytes.append(contentsOf: $0) }
  }

  /// Adds the bytes of a blob behind their length; -1 for a null.
  package func append(blob column: Int32, to bytes: inout [UInt8]) {
    guard !isNull(column) else { return Self.append(-1, to: &bytes) }
    let buffer = unsafe buffer(column)
    Self.append(Int32(buffer.count), to: &bytes)
    unsafe bytes.append(contentsOf: buffer)
  }

  /// Adds the bytes of a text behind their length; -1 for a null.
  ///
  /// - Parameters:
  ///   - column: The column.
  ///   - bytes: What is added to.
  ///   - encode: Encodes a text that is more than ASCII or has a character of number 0.
  package func append(
    text column: Int32,
    to bytes: inout [UInt8],
    encode: (String) -> [UInt8]
  ) {
    guard !isNull(column) else { return Self.append(-1, to: &bytes) }
    let buffer = unsafe buffer(column)
    if unsafe buffer.allSatisfy({ $0 > 0 && $0 < 0x80 }) {
      Self.append(Int32(buffer.count), to: &bytes)
      unsafe bytes.append(contentsOf: buffer)
    } else {
      let encoded = encode(text(column))
      Self.append(Int32(encoded.count), to: &bytes)
      bytes += encoded
    }
  }

  /// The bytes of a column, until the next step.
  @unsafe private func buffer(_ column: Int32) -> UnsafeRawBufferPointer {
    let start = unsafe sqlite3_column_blob(pointer, column)
    let count = Int(unsafe sqlite3_column_bytes(pointer, column))
    return unsafe UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count)
  }

  private static func append(_ length: Int32, to bytes: inout [UInt8]) {
    unsafe withUnsafeBytes(of: length.bigEndian) { unsafe bytes.append(contentsOf: $0) }
  }
}

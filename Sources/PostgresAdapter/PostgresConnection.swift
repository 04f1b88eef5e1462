internal import CPostgreSQL
internal import Glibc

/// One connection to one database; used by one thread at a time.
///
/// Statements are prepared once and run with binary values. It is the only place that calls
/// libpq for statements, and every result passes through ``check(_:_:)``.
@safe package final class PostgresConnection {
  /// How long the ways to a database and back may take.
  package struct Limits: Hashable, Sendable {
    /// How long connecting may take.
    package var connectSeconds = 5
    /// How long the database works on a statement before it gives up.
    package var statementMilliseconds = 30_000
    /// How long a statement waits for another transaction.
    package var lockMilliseconds = 20_000
    /// How long a transaction may stand still before the database ends it, and its locks with it.
    package var idleTransactionMilliseconds = 15_000

    package init() {}

    /// How long nothing may be heard of a running statement.
    var silenceMilliseconds: Int32 { Int32(statementMilliseconds) + 5_000 }
  }

  let handle: OpaquePointer
  private let limits: Limits
  private var names: [String: String] = [:]
  /// Whether it cannot be used any more.
  package private(set) var isLost = false

  /// Connects; blocks while it does so.
  package init(_ address: PostgresAddress, limits: Limits) throws(PostgresError) {
    self.limits = limits
    // Later ones win: the address may change what stands before it, not what stands after it.
    let settings: [(String, String)] = [
      ("connect_timeout", "\(limits.connectSeconds)"),
      ("keepalives_idle", "10"), ("keepalives_interval", "5"), ("keepalives_count", "3"),
      ("tcp_user_timeout", "\(limits.silenceMilliseconds)"),
      ("fallback_application_name", "iap"),
      // Of several servers the one that takes writes: what a standby shows may be old.
      ("target_session_attrs", address.hasSeveralHosts ? "primary" : "any"),
      ("dbname", address.text),
      ("client_encoding", "UTF8"),
    ]
    let opened = unsafe withCStrings(settings.map(\.0)) { keywords in
      unsafe withCStrings(settings.map(\.1)) { values in
        unsafe PQconnectdbParams(keywords, values, 1)
      }
    }
    guard let opened = unsafe opened else {
      throw PostgresError(.unavailable, "no memory to connect to a database")
    }
    guard unsafe PQstatus(opened) == CONNECTION_OK else {
      let message = unsafe PQerrorMessage(opened).map { unsafe String(cString: $0) } ?? ""
      unsafe PQfinish(opened)
      throw PostgresError(.unavailable, "\(address): \(address.redacted(message))")
    }
    unsafe handle = opened
    // Notices would go to the standard error.
    _ = unsafe PQsetNoticeReceiver(opened, { _, _ in }, nil)
    try execute(
      """
      SET statement_timeout = \(limits.statementMilliseconds);
      SET lock_timeout = \(limits.lockMilliseconds);
      SET idle_in_transaction_session_timeout = \(limits.idleTransactionMilliseconds)
      """
    )
  }

  deinit { unsafe PQfinish(handle) }

  /// Whether a transaction is open.
  package var isInTransaction: Bool {
    let status = unsafe PQtransactionStatus(handle)
    return status == PQTRANS_INTRANS || status == PQTRANS_INERROR || status == PQTRANS_ACTIVE
  }

  /// Runs statements without values, once.
  package func execute(_ sql: String) throws(PostgresError) {
    try send(unsafe PQsendQuery(handle, sql) == 1)
    _ = try result("execute")
  }

  /// Runs a statement.
  ///
  /// - Parameters:
  ///   - sql: The statement; it is prepared and remembered, so it must not contain values.
  ///   - values: One for each of its parameters, of the same types at each call.
  /// - Returns: The rows that it returns.
  /// - Throws: ``PostgresError``.
  @discardableResult
  package func run(
    _ sql: String,
    _ values: [PostgresValue]
  ) throws(PostgresError) -> PostgresResult {
    try sendPrepared(try prepared(sql, types: values.map(\.type)), values)
    return try result("run")
  }

  /// Runs statements that are sent at once, in their order; after one that fails none is run.
  ///
  /// - Parameter statements: The statements with their values, as for ``run(_:_:)``.
  /// - Returns: What each of them returns.
  /// - Throws: ``PostgresError`` of the first that failed.
  package func run(
    _ statements: [(sql: String, values: [PostgresValue])]
  ) throws(PostgresError) -> [PostgresResult] {
    guard statements.count > 1 else {
      guard let only = statements.first else { return [] }
      return [try run(only.sql, only.values)]
    }
    var names: [String] = []
    for (sql, values) in statements {
      names.append(try prepared(sql, types: values.map(\.type)))
    }
    guard unsafe PQenterPipelineMode(handle) == 1 else { throw lost("a pipeline cannot begin") }
    for (name, statement) in zip(names, statements) { try sendPrepared(name, statement.values) }
    try send(unsafe PQpipelineSync(handle) == 1)
    var results: [PostgresResult] = []
    var failure: PostgresError?
    for _ in statements {
      do throws(PostgresError) {
        results.append(try result("run", isSkipping: failure != nil))
      } catch {
        if isLost { throw error }
        failure = failure ?? error
      }
    }
    try endPipeline()
    if let failure { throw failure }
    return results
  }

  /// Reads the mark behind the last statement, and goes back to one statement at a time.
  private func endPipeline() throws(PostgresError) {
    guard let pointer = try unsafe nextResult() else { throw lost("a pipeline has no end") }
    let status = unsafe PQresultStatus(pointer)
    unsafe PQclear(pointer)
    guard status == PGRES_PIPELINE_SYNC, unsafe PQexitPipelineMode(handle) == 1 else {
      throw lost("a pipeline does not end")
    }
  }

  private func sendPrepared(
    _ name: String,
    _ values: [PostgresValue]
  ) throws(PostgresError) {
    let encoded = values.map(\.encoded)
    let lengths = encoded.map { Int32($0?.count ?? 0) }
    let formats = [Int32](repeating: 1, count: values.count)
    let isSent = unsafe withPointers(encoded) { pointers in
      unsafe PQsendQueryPrepared(
        handle,
        name,
        Int32(values.count),
        pointers,
        lengths,
        formats,
        1
      )
    }
    try send(isSent == 1)
  }

  private func prepared(_ sql: String, types: [UInt32]) throws(PostgresError) -> String {
    if let name = names[sql] { return name }
    let name = "s\(names.count)"
    try send(unsafe PQsendPrepare(handle, name, sql, Int32(types.count), types) == 1)
    _ = try result("prepare")
    names[sql] = name
    return name
  }

  func send(_ isSent: Bool) throws(PostgresError) {
    guard isSent else { throw lost("the connection is closed") }
  }

  func lost(_ reason: String) -> PostgresError {
    isLost = true
    return PostgresError(.lost, "PostgreSQL: \(reason)")
  }

  /// Waits for what a statement says, and for its end.
  ///
  /// - Parameters:
  ///   - operation: What is waited for.
  ///   - isSkipping: Whether a statement before it failed, so that it was not run.
  /// - Returns: What it says last.
  /// - Throws: ``PostgresError``.
  func result(
    _ operation: String,
    isSkipping: Bool = false
  ) throws(PostgresError) -> PostgresResult {
    var last: PostgresResult?
    var failure: PostgresError?
    while let pointer = try unsafe nextResult() {
      let result = unsafe PostgresResult(pointer)
      if isSkipping, unsafe PQresultStatus(pointer) == PGRES_PIPELINE_ABORTED {
        last = result
        continue
      }
      do throws(PostgresError) {
        try unsafe check(pointer, operation)
      } catch {
        failure = failure ?? error
      }
      last = result
    }
    if unsafe PQstatus(handle) != CONNECTION_OK { isLost = true }
    if let failure {
      if failure.code == .lost { isLost = true }
      throw failure
    }
    guard let last else { throw lost("no answer to \(operation)") }
    return last
  }

  func nextResult() throws(PostgresError) -> OpaquePointer? {
    while unsafe PQisBusy(handle) == 1 {
      var waited = pollfd(fd: unsafe PQsocket(handle), events: Int16(POLLIN), revents: 0)
      let ready = unsafe poll(&waited, 1, limits.silenceMilliseconds)
      if ready < 0, errno == EINTR { continue }
      guard ready > 0 else {
        cancel()
        throw lost("nothing was heard of a statement for too long")
      }
      guard unsafe PQconsumeInput(handle) == 1 else { throw lost("the connection broke") }
    }
    return unsafe PQgetResult(handle)
  }

  /// Asks the database to let go of what it does for this connection.
  private func cancel() {
    guard let request = unsafe PQgetCancel(handle) else { return }
    var words = [CChar](repeating: 0, count: 256)
    _ = unsafe PQcancel(request, &words, Int32(words.count))
    unsafe PQfreeCancel(request)
  }

  /// The funnel: turns what a result says into an error.
  @unsafe func check(
    _ result: OpaquePointer,
    _ operation: String
  ) throws(PostgresError) {
    switch unsafe PQresultStatus(result) {
    case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_EMPTY_QUERY: return
    default: break
    }
    guard let state = unsafe iap_postgres_error_state(result) else {
      throw lost("the connection broke")
    }
    let text = unsafe iap_postgres_error_text(result).map { unsafe String(cString: $0) }
    let constraint = unsafe iap_postgres_error_constraint(result).map { unsafe String(cString: $0) }
    throw PostgresError(
      state: unsafe String(cString: state),
      operation: operation,
      text: text ?? "",
      constraint: constraint
    )
  }
}

/// Lends texts as a C array that ends with null.
@unsafe private func withCStrings<Value>(
  _ texts: [String],
  _ body: ([UnsafePointer<CChar>?]) -> Value
) -> Value {
  unsafe withPointers(texts.map { Array($0.utf8) + [0] }) { unsafe body($0 + [nil]) }
}

/// Lends the bytes of each element; nil for what is absent.
@unsafe private func withPointers<Value>(
  _ elements: [[UInt8]?],
  _ body: ([UnsafePointer<CChar>?]) -> Value
) -> Value {
  var bytes: [CChar] = []
  var places: [Int?] = []
  for element in elements {
    places.append(element.map { _ in bytes.count })
    // An end is put behind each, so that an empty one has a place of its own.
    bytes += (element ?? []).map { CChar(bitPattern: $0) } + [0]
  }
  return unsafe bytes.withUnsafeBufferPointer { buffer in
    unsafe body(
      places.map { place in
        guard let place, let start = buffer.baseAddress else { return nil }
        return unsafe start + place
      }
    )
  }
}

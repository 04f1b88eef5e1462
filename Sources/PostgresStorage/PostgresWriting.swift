internal import PostgresAdapter
internal import ServerStorage
internal import Synchronization

/// The writing connection, used by the writer's thread alone.
final class PostgresWriting: Sendable {
  private let writer: Mutex<BatchWriter?>

  init(_ session: sending PostgresSession, schema: String) {
    writer = Mutex(BatchWriter(session, schema: schema))
  }

  func close() { writer.withLock { $0 = nil } }

  /// Commits a batch in one transaction.
  func commit(_ writes: [PreparedWrite]) -> [Result<WriteOutcome, StorageError>] {
    writer.withLock { writer in
      guard let writer else {
        return writes.map { _ in .failure(StorageError(.closed, "the ledger is closed")) }
      }
      return writer.commit(writes)
    }
  }
}

/// Commits batches on one session.
struct BatchWriter {
  /// How often a batch is tried that others were faster than, or whose connection was lost.
  static let attemptsMax = 4

  private let session: PostgresSession
  private let schema: String

  /// Begins, and keeps steps of the schema away until the transaction ends.
  private let begin: String

  init(_ session: PostgresSession, schema: String) {
    self.session = session
    self.schema = schema
    let lock = LockName.number(schema, "migration")
    begin = "BEGIN; SELECT pg_advisory_xact_lock_shared(\(lock))"
  }

  private func note(_ kind: LedgerNotice.Kind, _ details: String) {
    session.place.notice(LedgerNotice(kind, details))
  }

  /// Commits a batch: all of it in one transaction, or, when one write of it cannot be, each in one
  /// of its own.
  func commit(_ writes: [PreparedWrite]) -> [Result<WriteOutcome, StorageError>] {
    var isTrusting = true
    var hasMoved = false
    var attempt = 1
    var failure = Failure(StorageError(.busy, "others were faster each time"), .hopeless)
    while attempt <= Self.attemptsMax {
      do throws(Failure) {
        return try once(writes, isTrusting: isTrusting).map { .success($0) }
      } catch {
        failure = error
      }
      switch failure.next {
      case .again:
        isTrusting = false
        note(.repeated, failure.error.reason)
      case .elsewhere:
        // The server may have become a standby: another one may take writes by now.
        session.disconnect()
        if hasMoved { attempt = Self.attemptsMax }
        hasMoved = true
      case .alone:
        if writes.count > 1 { return writes.flatMap { commit([$0]) } }
        attempt = Self.attemptsMax
      case .hopeless: attempt = Self.attemptsMax
      }
      attempt += 1
    }
    let error = failure.error
    return writes.map { _ in .failure(error) }
  }

  private struct Failure: Error {
    /// What is to be done now.
    enum Next {
      /// The same once more: nothing was recorded.
      case again
      /// One of the writes is at fault, and which one is not known.
      case alone
      /// The same on a new connection.
      case elsewhere
      /// Nothing.
      case hopeless
    }

    let error: StorageError
    let next: Next

    init(_ error: StorageError, _ next: Next) {
      self.error = error
      self.next = next
    }

    /// What an error within a transaction means, which is rolled back now.
    init(_ error: StorageError, in database: PostgresDatabase) {
      self.error = error
      switch database.failure {
      case .conflict, .lost: next = .again
      case .readOnly: next = .elsewhere
      case nil where error.code == .newerSchema: next = .hopeless
      case .corrupt, .tooLarge, nil: next = .alone
      case .busy, .full, .unavailable, .badAddress: next = .hopeless
      }
    }
  }

  /// One transaction.
  private func once(
    _ writes: [PreparedWrite],
    isTrusting: Bool
  ) throws(Failure) -> [WriteOutcome] {
    let database: PostgresDatabase
    do throws(StorageError) { database = try session.begin(begin) } catch {
      throw Failure(error, .hopeless)
    }
    let reading = PostgresReading(database: database, numbers: session.numbers)
    var work = PostgresWork(reading, schema: schema, isTrusting: isTrusting)
    var outcomes: [WriteOutcome] = []
    do throws(StorageError) {
      let footprint = WriteFootprint(writes)
      let worksWith = try work.lock(footprint)
      try session.place.gate.admit(worksWith: worksWith, software: session.place.steps.count)
      if isTrusting { try work.prefetch(footprint) }
      for write in writes { outcomes.append(try LedgerEngine.apply(write, to: &work)) }
      try work.flush()
      // A write of nothing asks whether the database can be written.
      if work.transactionNumber == nil, footprint.apps.isEmpty { try work.touch() }
    } catch {
      let failure = Failure(error, in: database)
      session.rollBack(database)
      throw failure
    }
    try finish(database, number: work.transactionNumber)
    return outcomes
  }

  /// Commits; when the answer is lost, asks on a new connection what became of the transaction.
  private func finish(_ database: PostgresDatabase, number: Int64?) throws(Failure) {
    let failure: Failure
    do throws(StorageError) {
      return try database.execute("COMMIT")
    } catch {
      failure = Failure(error, in: database)
      session.rollBack(database)
    }
    // Without a number nothing was written.
    guard database.isLost, let number else { throw failure }
    let status = try? session.connect().row(
      "SELECT pg_xact_status($1::text::xid8)",
      .text("\(number)")
    ) { $0.optionalText(0) }
    note(.outcomeAsked, (status ?? nil) ?? "nobody knows")
    switch status ?? nil {
    case "committed": return
    case "aborted": throw failure
    default: throw Failure(StorageError(.unavailable, Self.unknownOutcome), .hopeless)
    }
  }

  static let unknownOutcome =
    "the connection was lost during a commit: it may or may not have been recorded"
}

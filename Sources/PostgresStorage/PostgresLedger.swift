internal import Dispatch
internal import PostgresAdapter
public import ServerStorage

/// A ledger in a PostgreSQL database, which several servers may share.
///
/// One connection of each server writes, in transactions that gather what waits; several read, each
/// from a snapshot. Servers that write about the same app take turns; whatever one has committed is
/// seen by the next. A connection that is lost is made again with the next write or read. A
/// database of a newer version that this one does not work with is refused and left as it is.
public final class PostgresLedger: Ledger {
  /// How a ledger is opened.
  public struct Options: Hashable, Sendable {
    /// How much is taken.
    public var limits = LedgerLimits()
    /// How many reads run at once; each has a connection, and the writer has one more.
    public var readersMax = 4
    /// The schema that holds the tables: a lower-case word.
    public var schema = "iap"
    /// How long connecting may take, in seconds.
    public var connectSecondsMax = 5
    /// How long the database works on one statement, in milliseconds.
    public var statementMillisecondsMax = 30_000
    /// How long a statement waits for another server, in milliseconds.
    public var lockMillisecondsMax = 20_000
    /// How long a transaction of a server that fell silent keeps the others waiting, in
    /// milliseconds.
    public var idleTransactionMillisecondsMax = 15_000
    /// From which duration on a statement is told about as slow, in milliseconds.
    public var slowMillisecondsMin = 500

    /// Makes the options that the server uses.
    public init() {}

    var connectionLimits: PostgresConnection.Limits {
      var limits = PostgresConnection.Limits()
      limits.connectSeconds = connectSecondsMax
      limits.statementMilliseconds = statementMillisecondsMax
      limits.lockMilliseconds = lockMillisecondsMax
      limits.idleTransactionMilliseconds = idleTransactionMillisecondsMax
      return limits
    }
  }

  private let limits: LedgerLimits
  let place: PostgresPlace
  /// Where the logs are looked after, for statements block.
  let upkeep = DispatchQueue(label: "iap.ledger.upkeep")
  private let writing: PostgresWriting
  private let writer: LedgerWriter
  private let readers: LedgerReaders<PostgresReader>

  /// Opens a ledger, making its tables when they do not exist; blocks while it does so.
  ///
  /// - Parameters:
  ///   - address: Where the database is: `postgres://USER:PASSWORD@HOST:PORT/NAME`. What it leaves
  ///     out comes from libpq's environment variables and files. No error quotes it.
  ///   - options: How to open it.
  ///   - notice: Takes what happens to the database beside answers; on any thread.
  /// - Throws: ``StorageError``: `newerSchema`, `corrupt`, `readOnly`, `full`, `unavailable`.
  public convenience init(
    _ address: String,
    options: Options = Options(),
    notice: @escaping @Sendable (LedgerNotice) -> Void = { _ in }
  ) throws(StorageError) {
    try self.init(addressBy: { address }, options: options, notice: notice)
  }

  /// Opens a ledger whose address may change while it is open, with a password in it.
  ///
  /// - Parameters:
  ///   - address: Returns the address; asked for each new connection, nil when it cannot be told.
  ///   - options: How to open it.
  ///   - notice: Takes what happens to the database beside answers; on any thread.
  /// - Throws: ``StorageError``: `newerSchema`, `corrupt`, `readOnly`, `full`, `unavailable`.
  public convenience init(
    addressBy address: @escaping @Sendable () -> String?,
    options: Options = Options(),
    notice: @escaping @Sendable (LedgerNotice) -> Void = { _ in }
  ) throws(StorageError) {
    try self.init(address, options: options, steps: PostgresSchema.steps, notice: notice)
  }

  /// Opens a ledger as software that knows certain steps of the schema.
  init(
    _ address: @escaping @Sendable () -> String?,
    options: Options,
    steps: [PostgresSchema.Step],
    notice: @escaping @Sendable (LedgerNotice) -> Void = { _ in }
  ) throws(StorageError) {
    precondition(options.readersMax >= 1, "a ledger is read by at least one connection")
    guard Self.isSchemaName(options.schema) else {
      throw StorageError(.unavailable, "the name of a schema is a lower-case word")
    }
    let place = PostgresPlace(
      address: { () throws(StorageError) in
        guard let text = address() else {
          throw StorageError(.unavailable, "the address of the database cannot be read")
        }
        return try Self.address(text)
      },
      options: options,
      steps: steps,
      notice: notice
    )
    limits = options.limits
    self.place = place
    let session = PostgresSession(place)
    let database = try session.connect()
    try PostgresSchema.migrate(database, schema: options.schema, steps: steps)
    try PostgresArchive.checkIsWhole(database)
    if steps.count >= PostgresSchema.logsByTime {
      // What is in the way now may be gone later; until then rows have a part for those of none.
      _ = try? PostgresLogs.makeAhead(of: database, schema: options.schema)
    }
    let writing = PostgresWriting(session, schema: options.schema)
    self.writing = writing
    readers = LedgerReaders(
      (1...options.readersMax).map { index in
        PostgresReader(PostgresSession(place), label: "iap.ledger.reader.\(index)")
      },
      waitingMax: options.limits.waitingReadsMax
    )
    writer = LedgerWriter(label: "iap.ledger.writer", limits: options.limits) { writes in
      writing.commit(writes)
    }
  }

  /// Whether a text is the address of a PostgreSQL database.
  ///
  /// - Parameter text: What somebody gave as a database.
  /// - Returns: Whether it begins as such addresses do.
  public static func isAddress(_ text: String) -> Bool {
    PostgresAddress.prefixes.contains { text.hasPrefix($0) }
  }

  /// What an address says without user and password.
  ///
  /// - Parameter address: The address.
  /// - Returns: Words for people; they quote nothing when the address cannot be read.
  public static func description(of address: String) -> String {
    do throws(PostgresError) { return try PostgresAddress(address).description } catch {
      return "PostgreSQL, \(error.reason)"
    }
  }

  static func address(_ text: String) throws(StorageError) -> PostgresAddress {
    do throws(PostgresError) { return try PostgresAddress(text) } catch {
      throw StorageError(error)
    }
  }

  static func isSchemaName(_ name: String) -> Bool {
    let letters = UInt8(ascii: "a")...UInt8(ascii: "z")
    let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
    guard let first = name.utf8.first, letters.contains(first), name.utf8.count <= 63 else {
      return false
    }
    return name.utf8.allSatisfy {
      letters.contains($0) || digits.contains($0) || $0 == UInt8(ascii: "_")
    }
  }

  /// Records a write, all of it or nothing, and returns after it is durable.
  public func commit(_ write: LedgerWrite) async throws(StorageError) -> WriteOutcome {
    try await writer.submit(PreparedWrite(write, limits: limits, isPacking: true))
  }

  /// Looks things up in one snapshot.
  public func read<Value: Sendable>(
    _ body: @escaping @Sendable (any LedgerReading) throws(StorageError) -> Value
  ) async throws(StorageError) -> Value {
    try await readers.read(body)
  }

  /// How busy its connections are.
  public var load: LedgerLoad {
    let reading = readers.load
    return LedgerLoad(
      readers: reading.readers,
      busyReaders: reading.busy,
      waitingReads: reading.waiting,
      waitingWrites: writer.waitingCount
    )
  }

  /// Commits what waits and lets go of the database.
  public func close() async {
    await writer.close()
    await readers.close()
    writing.close()
  }
}

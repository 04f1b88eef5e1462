internal import Foundation
internal import IAPEntitlements
internal import IAPModel
internal import PostgresAdapter
internal import ServerStorage

/// The numbers that never change once they are given, remembered by whoever uses a connection.
final class PostgresNumbers {
  private(set) var scopes: [LedgerScope: Int64] = [:]
  private(set) var headers: [(bytes: [UInt8], number: Int64)] = []
  /// How many headers are remembered.
  static let headersMax = 64

  func remember(_ number: Int64, of scope: LedgerScope) { scopes[scope] = number }

  func remember(_ number: Int64, ofHeader bytes: [UInt8]) {
    if headers.count >= Self.headersMax { headers = [] }
    headers.append((bytes, number))
  }

  /// Forgets what may have been given in a transaction that was undone.
  func forget() {
    scopes = [:]
    headers = []
  }
}

/// Questions to the tables on one connection.
struct PostgresReading {
  let database: PostgresDatabase
  let numbers: PostgresNumbers

  func number(of scope: LedgerScope) throws(StorageError) -> Int64? {
    if let number = numbers.scopes[scope] { return number }
    let number = try database.row(
      "SELECT id FROM scopes WHERE app = $1 AND environment = $2",
      .text(scope.app.rawValue),
      .text(scope.environment.rawValue)
    ) { $0.integer(0) }
    if let number { numbers.remember(number, of: scope) }
    return number
  }

  func number(of subject: LedgerSubject) throws(StorageError) -> Int64? {
    guard let scope = try number(of: subject.scope) else { return nil }
    return try database.row(
      "SELECT id FROM subjects WHERE scope = $1 AND original = $2",
      .integer(scope),
      .text(subject.original.rawValue)
    ) { $0.integer(0) }
  }

  func header(_ id: Int64) throws(StorageError) -> [UInt8] {
    if let known = numbers.headers.first(where: { $0.number == id }) { return known.bytes }
    let bytes = try database.row("SELECT bytes FROM headers WHERE id = $1", .integer(id)) {
      $0.blob(0)
    }
    guard let bytes else { throw StorageError(.corrupt, "a fact names a header that is missing") }
    numbers.remember(id, ofHeader: bytes)
    return bytes
  }

  static func subject(_ row: PostgresRow, app: BundleID) -> LedgerSubject {
    LedgerSubject(
      scope: LedgerScope(app: app, environment: StoreEnvironment(rawValue: row.text(0))),
      original: OriginalTransactionID(row.text(1))
    )
  }

  static func object(_ bytes: [UInt8]) throws(StorageError) -> JSONObject {
    do throws(PayloadError) {
      return try JSONParser.parseObject(bytes, limits: .document)
    } catch {
      throw StorageError(.corrupt, "a stored object cannot be read: \(error.code)")
    }
  }
}

// Purchases, and what is known about them.
extension PostgresReading: LedgerReading {
  func items(of subject: LedgerSubject) throws(StorageError) -> [StoredItem] {
    guard let number = try number(of: subject) else { return [] }
    return try database.rows("SELECT kind, body FROM items WHERE subject = $1", .integer(number)) {
      row throws(StorageError) in try Self.item(row, 0)
    }
  }

  /// An item whose kind stands in a column and whose body stands in the next.
  static func item(_ row: PostgresRow, _ column: Int) throws(StorageError) -> StoredItem {
    guard let kind = StoredItem.Kind(rawValue: row.integer(column)) else {
      throw StorageError(.corrupt, "an item of unknown kind")
    }
    return StoredItem(kind: kind, body: row.blob(column + 1))
  }

  func subject(
    of transaction: TransactionID,
    in scope: LedgerScope
  ) throws(StorageError) -> LedgerSubject? {
    guard let number = try number(of: scope) else { return nil }
    return try database.row(
      """
      SELECT s.original FROM transactions t JOIN subjects s ON s.id = t.subject
      WHERE t.transaction_id = $1 AND s.scope = $2 ORDER BY s.original LIMIT 1
      """,
      .text(transaction.rawValue),
      .integer(number)
    ) { LedgerSubject(scope: scope, original: OriginalTransactionID($0.text(0))) }
  }

  func subjects(
    carrying token: AppAccountToken,
    app: BundleID
  ) throws(StorageError) -> [LedgerSubject] {
    try database.rows(
      """
      SELECT c.environment, s.original FROM tokens t
      JOIN subjects s ON s.id = t.subject JOIN scopes c ON c.id = s.scope
      WHERE t.token = $1 AND t.app = $2 ORDER BY s.original, c.environment
      """,
      .text(token.description),
      .text(app.rawValue)
    ) { Self.subject($0, app: app) }
  }

  func subjects(
    ownedBy customer: CustomerID,
    app: BundleID
  ) throws(StorageError) -> [LedgerSubject] {
    try database.rows(
      """
      SELECT c.environment, s.original FROM subjects s JOIN scopes c ON c.id = s.scope
      WHERE s.owner = $1 AND c.app = $2 ORDER BY s.original, c.environment
      """,
      .text(customer.rawValue),
      .text(app.rawValue)
    ) { Self.subject($0, app: app) }
  }

  func subjects(
    in scope: LedgerScope,
    after original: OriginalTransactionID?,
    limit: Int
  ) throws(StorageError) -> [LedgerSubject] {
    guard let number = try number(of: scope) else { return [] }
    return try database.rows(
      """
      SELECT original FROM subjects WHERE scope = $1 AND original > $2
      ORDER BY original LIMIT $3
      """,
      .integer(number),
      .text(original?.rawValue ?? ""),
      .integer(Int64(max(limit, 0)))
    ) { LedgerSubject(scope: scope, original: OriginalTransactionID($0.text(0))) }
  }

  func lastingSubjects(
    ownedBy customer: CustomerID,
    in scope: LedgerScope
  ) throws(StorageError) -> [LedgerSubject] {
    guard let number = try number(of: scope) else { return [] }
    return try database.rows(
      """
      SELECT s.original FROM subjects s WHERE s.owner = $1 AND s.scope = $2 AND EXISTS (
        SELECT 1 FROM transactions t
        WHERE t.subject = s.id AND (t.type IS NULL OR t.type <> $3))
      ORDER BY s.original
      """,
      .text(customer.rawValue),
      .integer(number),
      .text(ProductType.consumable.rawValue)
    ) { LedgerSubject(scope: scope, original: OriginalTransactionID($0.text(0))) }
  }

  func entries(of subject: LedgerSubject) throws(StorageError) -> [GrantRecord] {
    guard let number = try number(of: subject) else { return [] }
    let records = try database.rows(
      """
      SELECT unit, kind, ordinal, product, quantity, date_ms, recorded_ms, credit FROM entries
      WHERE subject = $1
      """,
      .integer(number)
    ) { row throws(StorageError) in try Self.entry(row, of: subject) }
    return records.sorted { $0.entry < $1.entry }
  }

  func credits(
    ownedBy customer: CustomerID,
    in scope: LedgerScope
  ) throws(StorageError) -> [GrantRecord] {
    guard let number = try number(of: scope) else { return [] }
    let records = try database.rows(
      """
      SELECT e.unit, e.kind, e.ordinal, e.product, e.quantity, e.date_ms, e.recorded_ms, e.credit,
        s.original
      FROM subjects s JOIN entries e ON e.subject = s.id
      WHERE s.owner = $1 AND s.scope = $2 AND e.credit IS NOT NULL
      """,
      .text(customer.rawValue),
      .integer(number)
    ) { row throws(StorageError) in
      let original = OriginalTransactionID(row.text(8))
      return try Self.entry(row, of: LedgerSubject(scope: scope, original: original))
    }
    return records.sorted { ($0.subject.original, $0.entry) < ($1.subject.original, $1.entry) }
  }

  static func entry(
    _ row: PostgresRow,
    of subject: LedgerSubject
  ) throws(StorageError) -> GrantRecord {
    let ordinal = Int(row.integer(2))
    guard let kind = UnitEntry.Kind(rawValue: row.text(1)), (kind == .grant) == (ordinal == 0)
    else { throw StorageError(.corrupt, "an entry of unknown kind") }
    return GrantRecord(
      entry: UnitEntry(kind, UnitID(row.text(0)), ordinal: ordinal, date: row.date(5)),
      subject: subject,
      productID: ProductID(row.text(3)),
      quantity: Int(row.integer(4)),
      recordedDate: row.date(6),
      credit: row.isNull(7) ? [:] : try object(row.blob(7))
    )
  }

  func transactions(of subject: LedgerSubject) throws(StorageError) -> [TransactionRow] {
    guard let number = try number(of: subject) else { return [] }
    return try database.rows(
      """
      SELECT transaction_id, product, type, purchase_ms, expires_ms, revocation_ms, is_revoked, unit
      FROM transactions WHERE subject = $1 ORDER BY transaction_id
      """,
      .integer(number)
    ) { row in
      TransactionRow(
        transactionID: TransactionID(row.text(0)),
        productID: ProductID(row.text(1)),
        type: row.optionalText(2).map { ProductType(rawValue: $0) },
        purchaseDate: row.date(3),
        expiresDate: row.optionalDate(4),
        revocationDate: row.optionalDate(5),
        isRevoked: row.integer(6) == 1,
        unit: row.optionalText(7).map { UnitID($0) }
      )
    }
  }

  func fact(_ key: FactKey, in scope: LedgerScope) throws(StorageError) -> StoredFact? {
    guard let number = try number(of: scope) else { return nil }
    return try database.row(
      "SELECT signed_ms, received_ms, bytes FROM facts WHERE key = $1 AND scope = $2",
      .text(key.description),
      .integer(number)
    ) { row throws(StorageError) in
      StoredFact(
        key: key,
        scope: scope,
        bytes: try PackedFact.unpack(row.blob(2)) { id throws(StorageError) in
          try header(id)
        },
        signedDate: row.optionalDate(0),
        receivedDate: row.date(1)
      )
    }
  }

  func variants(of key: FactKey, in scope: LedgerScope) throws(StorageError) -> [FactKey] {
    guard let number = try number(of: scope) else { return [] }
    // "$" is the sign behind "#": everything between them begins with the key and "#".
    return try database.rows(
      """
      SELECT key FROM facts WHERE scope = $1 AND (key = $2 OR (key > $3 AND key < $4)) ORDER BY key
      """,
      .integer(number),
      .text(key.description),
      .text(key.description + "#"),
      .text(key.description + "$")
    ) { FactKey(stored: $0.text(0)) }
  }

  func isErased(_ subject: LedgerSubject) throws(StorageError) -> Bool {
    guard let number = try number(of: subject) else { return false }
    return try database.row(
      "SELECT 1 FROM subjects WHERE id = $1 AND erased_ms IS NOT NULL",
      .integer(number)
    ) { _ in true } ?? false
  }
}

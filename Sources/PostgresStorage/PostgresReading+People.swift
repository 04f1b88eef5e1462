internal import Foundation
internal import IAPModel
internal import PostgresAdapter
internal import ServerStorage

// Who owns, orders and claims.
extension PostgresReading {
  func owner(of subject: LedgerSubject) throws(StorageError) -> OwnerRecord? {
    guard let number = try number(of: subject) else { return nil }
    let owner = try database.row(
      "SELECT owner, owner_ground, owner_ms FROM subjects WHERE id = $1",
      .integer(number)
    ) { row throws(StorageError) in try Self.owner(row, 0) }
    return owner ?? nil
  }

  /// An owner whose name, ground and date stand in three columns.
  static func owner(_ row: PostgresRow, _ column: Int) throws(StorageError) -> OwnerRecord? {
    guard let customer = row.optionalText(column) else { return nil }
    guard let ground = OwnerRecord.Ground(rawValue: row.text(column + 1)) else {
      throw StorageError(.corrupt, "an owner of unknown ground")
    }
    return OwnerRecord(customer: CustomerID(customer), ground: ground, date: row.date(column + 2))
  }

  func conflicts(of subject: LedgerSubject) throws(StorageError) -> [ConflictRecord] {
    guard let number = try number(of: subject) else { return [] }
    return try database.rows(
      "SELECT customer, date_ms FROM conflicts WHERE subject = $1 ORDER BY customer",
      .integer(number)
    ) {
      ConflictRecord(subject: subject, customer: CustomerID($0.text(0)), date: $0.date(1))
    }
  }

  func claim(to unit: UnitID, in scope: LedgerScope) throws(StorageError) -> ClaimRecord? {
    guard let number = try number(of: scope) else { return nil }
    return try database.row(
      "SELECT installation, date_ms, acknowledged_ms FROM claims WHERE unit = $1 AND scope = $2",
      .text(unit.rawValue),
      .integer(number)
    ) { Self.claim($0, 0) }
  }

  /// A claim whose installation and dates stand in three columns.
  static func claim(_ row: PostgresRow, _ column: Int) -> ClaimRecord {
    ClaimRecord(
      installation: InstallationID(row.text(column)),
      date: row.date(column + 1),
      acknowledgedDate: row.optionalDate(column + 2)
    )
  }

  func customer(of token: AppAccountToken, app: BundleID) throws(StorageError) -> CustomerID? {
    try database.row(
      "SELECT customer FROM aliases WHERE token = $1 AND app = $2",
      .text(token.description),
      .text(app.rawValue)
    ) { CustomerID($0.text(0)) }
  }

  func tokens(
    of customer: CustomerID,
    app: BundleID
  ) throws(StorageError) -> [AppAccountToken] {
    let texts = try database.rows(
      "SELECT token FROM aliases WHERE customer = $1 AND app = $2 ORDER BY token",
      .text(customer.rawValue),
      .text(app.rawValue)
    ) { $0.text(0) }
    return texts.compactMap { AppAccountToken($0) }
  }

  func order(_ number: OrderNumber, app: BundleID) throws(StorageError) -> OrderRecord? {
    try database.row(
      """
      SELECT number, customer, product, quantity, context, created_ms FROM orders
      WHERE number = $1 AND app = $2
      """,
      .text(number.description),
      .text(app.rawValue)
    ) { row throws(StorageError) in try Self.order(row, app: app) }
  }

  func orders(of customer: CustomerID, app: BundleID) throws(StorageError) -> [OrderRecord] {
    try database.rows(
      """
      SELECT number, customer, product, quantity, context, created_ms FROM orders
      WHERE customer = $1 AND app = $2 ORDER BY created_ms, number
      """,
      .text(customer.rawValue),
      .text(app.rawValue)
    ) { row throws(StorageError) in try Self.order(row, app: app) }
  }

  func orders(
    app: BundleID,
    after number: OrderNumber?,
    limit: Int
  ) throws(StorageError) -> [OrderRecord] {
    try database.rows(
      """
      SELECT number, customer, product, quantity, context, created_ms FROM orders
      WHERE app = $1 AND number > $2 ORDER BY number LIMIT $3
      """,
      .text(app.rawValue),
      .text(number?.description ?? ""),
      .integer(Int64(max(limit, 0)))
    ) { row throws(StorageError) in try Self.order(row, app: app) }
  }

  static func order(_ row: PostgresRow, app: BundleID) throws(StorageError) -> OrderRecord {
    guard let number = OrderNumber(row.text(0)) else {
      throw StorageError(.corrupt, "an order number is no UUID")
    }
    return OrderRecord(
      number: number,
      app: app,
      customer: row.optionalText(1).map { CustomerID($0) },
      productID: ProductID(row.text(2)),
      quantity: Int(row.integer(3)),
      context: try object(row.blob(4)),
      createdDate: row.date(5)
    )
  }
}

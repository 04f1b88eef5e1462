/// One table of a ledger that is kept in a database, as it is copied from one database to another.
///
/// Names and meanings of the columns are the same in every database.
package struct LedgerTable: Hashable, Sendable {
  /// What a column holds.
  package enum Kind: Hashable, Sendable {
    case integer
    case text
    case blob
  }

  /// A column.
  package struct Column: Hashable, Sendable {
    package let name: String
    package let kind: Kind
  }

  /// How rows come and go.
  package enum Growth: Hashable, Sendable {
    /// Rows are only added; each has a larger number in this column of a SQLite file.
    case added(by: String)
    /// Rows are added with larger numbers, and changed.
    case changed(by: String)
    /// Rows are removed too.
    case replaced
  }

  package let name: String
  package let columns: [Column]
  /// The columns that make a row unique; empty when none do.
  package let key: [String]
  package let growth: Growth

  private init(_ name: String, _ columns: String, key: [String], _ growth: Growth) {
    self.name = name
    self.columns = columns.split(separator: " ").map { word in
      let parts = word.split(separator: ":")
      let kind: Kind = parts[1] == "i" ? .integer : parts[1] == "t" ? .text : .blob
      return Column(name: String(parts[0]), kind: kind)
    }
    self.key = key
    self.growth = growth
  }

  /// Every table, in an order in which what a row names is there before it.
  package static let all: [LedgerTable] = [
    LedgerTable("scopes", "id:i app:t environment:t", key: ["id"], .added(by: "id")),
    LedgerTable("headers", "id:i bytes:b", key: ["id"], .added(by: "id")),
    LedgerTable(
      "subjects",
      "id:i scope:i original:t owner:t owner_ground:t owner_ms:i erased_ms:i",
      key: ["id"],
      .changed(by: "id")
    ),
    LedgerTable(
      "facts",
      "scope:i key:t signed_ms:i received_ms:i bytes:b",
      key: ["key", "scope"],
      .added(by: "id")
    ),
    LedgerTable("items", "subject:i kind:i body:b", key: [], .added(by: "id")),
    LedgerTable(
      "transactions",
      "subject:i transaction_id:t product:t type:t purchase_ms:i expires_ms:i revocation_ms:i "
        + "is_revoked:i unit:t",
      key: ["transaction_id", "subject"],
      .changed(by: "id")
    ),
    LedgerTable(
      "entries",
      "scope:i unit:t kind:t ordinal:i subject:i product:t quantity:i date_ms:i recorded_ms:i "
        + "credit:b",
      key: ["unit", "kind", "ordinal", "scope"],
      .added(by: "id")
    ),
    LedgerTable(
      "tokens",
      "app:t token:t subject:i",
      key: ["token", "app", "subject"],
      .replaced
    ),
    LedgerTable(
      "orders",
      "app:t number:t customer:t product:t quantity:i context:b created_ms:i",
      key: ["number", "app"],
      .changed(by: "id")
    ),
    LedgerTable("aliases", "app:t token:t customer:t", key: ["token", "app"], .replaced),
    LedgerTable(
      "conflicts",
      "id:i subject:i customer:t date_ms:i",
      key: ["id"],
      .changed(by: "id")
    ),
    LedgerTable(
      "claims",
      "scope:i unit:t installation:t date_ms:i acknowledged_ms:i",
      key: ["unit", "scope"],
      .changed(by: "id")
    ),
    LedgerTable(
      "documents",
      "sequence:i kind:t app:t name:t shelf:t body:b version:i created_ms:i changed_ms:i",
      key: ["name", "kind", "app"],
      .replaced
    ),
    LedgerTable(
      "outbox",
      "sequence:i kind:t subject:i body:b date_ms:i",
      key: ["sequence"],
      .added(by: "sequence")
    ),
    LedgerTable(
      "audit",
      "sequence:i app:t action:t details:b date_ms:i",
      key: ["sequence"],
      .added(by: "sequence")
    ),
  ]

  /// The table of a name.
  package static func named(_ name: String) -> LedgerTable? { all.first { $0.name == name } }

  /// The column of a SQLite file that numbers the rows; nil when none does.
  package var number: String? {
    switch growth {
    case .added(let column), .changed(let column): column
    case .replaced: columns.first { $0.name == "sequence" }?.name
    }
  }

  /// The column that numbers the rows, when it is copied with them.
  package var storedNumber: String? {
    number.flatMap { number in columns.contains { $0.name == number } ? number : nil }
  }

  /// The places of the key's columns, in its order.
  package var keyPlaces: [Int] {
    key.compactMap { name in columns.firstIndex { $0.name == name } }
  }

  /// The columns' names, as a statement lists them.
  package var columnList: String { columns.map(\.name).joined(separator: ", ") }
}

/// What stands in one column of one row.
package enum LedgerCell: Hashable, Sendable {
  case integer(Int64?)
  case text(String?)
  case blob([UInt8]?)

  /// The number, when it is one.
  package var number: Int64? {
    guard case .integer(let number) = self else { return nil }
    return number
  }
}

/// Rows of a table, each with a cell for every column.
package typealias LedgerRows = [[LedgerCell]]

extension LedgerTable {
  /// How many rows are carried at once.
  package static let rowsPerBatchMax = 1_000
}

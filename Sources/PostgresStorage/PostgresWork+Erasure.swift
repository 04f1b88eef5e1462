internal import Foundation
internal import IAPModel
internal import PostgresAdapter
internal import ServerStorage

// Forgetting customers, and putting two names together: rare, so row by row.
extension PostgresWork {
  /// Writes what is gathered, changes rows, and forgets what was read of them.
  private func directly(
    _ change: () throws(StorageError) -> Void
  ) throws(StorageError) {
    try flush()
    try change()
    forgetRows()
  }

  func replaceFact(
    _ key: FactKey,
    in scope: LedgerScope,
    bytes: [UInt8]
  ) throws(StorageError) {
    let number = try number(of: scope)
    try directly { () throws(StorageError) in
      // A tombstone names no headers, so it is stored without any.
      try database.run(
        "UPDATE facts SET bytes = $1 WHERE key = $2 AND scope = $3",
        .blob(PackedFact(bytes).stored(numbers: [])),
        .text(key.description),
        .integer(number)
      )
    }
  }

  func replaceItems(
    _ items: [StoredItem],
    of subject: LedgerSubject
  ) throws(StorageError) {
    try directly { () throws(StorageError) in
      guard let number = try reading.number(of: subject) else { return }
      try database.run("DELETE FROM items WHERE subject = $1", .integer(number))
    }
    try insertItems(items, of: subject)
  }

  func setErased(_ subject: LedgerSubject, date: Date) throws(StorageError) {
    try need(subject)
    try directly { () throws(StorageError) in
      guard let number = try reading.number(of: subject) else { return }
      try database.run(
        """
        UPDATE subjects SET owner = NULL, owner_ground = NULL, owner_ms = NULL, erased_ms = $1
        WHERE id = $2
        """,
        .date(date),
        .integer(number)
      )
      try database.run("DELETE FROM tokens WHERE subject = $1", .integer(number))
      // Conflicts stay to be counted and name nobody.
      try database.run(
        "UPDATE conflicts SET customer = 'erased:' || id WHERE subject = $1",
        .integer(number)
      )
    }
  }

  func forget(_ customer: CustomerID, app: BundleID) throws(StorageError) {
    try directly { () throws(StorageError) in
      try database.run(
        "UPDATE orders SET customer = NULL, context = $1 WHERE customer = $2 AND app = $3",
        .blob(JSONObject().serialized),
        .text(customer.rawValue),
        .text(app.rawValue)
      )
      try database.run(
        "DELETE FROM aliases WHERE customer = $1 AND app = $2",
        .text(customer.rawValue),
        .text(app.rawValue)
      )
      try database.run(
        """
        UPDATE conflicts SET customer = 'erased:' || id WHERE customer = $1 AND subject IN (
          SELECT s.id FROM subjects s JOIN scopes c ON c.id = s.scope WHERE c.app = $2)
        """,
        .text(customer.rawValue),
        .text(app.rawValue)
      )
    }
  }

  func reassign(
    _ customer: CustomerID,
    to other: CustomerID,
    app: BundleID
  ) throws(StorageError) {
    try directly { () throws(StorageError) in
      for table in ["orders", "aliases"] {
        try database.run(
          "UPDATE \(table) SET customer = $1 WHERE customer = $2 AND app = $3",
          .text(other.rawValue),
          .text(customer.rawValue),
          .text(app.rawValue)
        )
      }
    }
  }
}

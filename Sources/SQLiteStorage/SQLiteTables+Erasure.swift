internal import Foundation
internal import IAPModel
internal import SQLiteAdapter
internal import ServerStorage

// Forgetting customers, and putting two names together.
extension SQLiteTables {
  mutating func removeDocument(_ key: DocumentKey) throws(StorageError) {
    try writeWaitingDocuments()
    waiting.forget(key)
    try connection.run(
      "DELETE FROM documents WHERE name = ? AND kind = ? AND app = ?",
      .text(key.name),
      .text(key.kind.rawValue),
      .text(key.app?.rawValue ?? "")
    )
  }

  mutating func replaceFact(
    _ key: FactKey,
    in scope: LedgerScope,
    bytes: [UInt8]
  ) throws(StorageError) {
    // A tombstone names no headers, so it is stored without any.
    try connection.run(
      "UPDATE facts SET bytes = ? WHERE scope = ? AND key = ?",
      .blob(PackedFact(bytes).stored(numbers: [])),
      .integer(try number(of: scope)),
      .text(key.description)
    )
  }

  mutating func replaceItems(
    _ items: [StoredItem],
    of subject: LedgerSubject
  ) throws(StorageError) {
    try connection.run(
      "DELETE FROM items WHERE subject = ?",
      .integer(try number(of: subject))
    )
    try insertItems(items, of: subject)
  }

  mutating func setErased(_ subject: LedgerSubject, date: Date) throws(StorageError) {
    let number = try number(of: subject)
    try connection.run(
      """
      UPDATE subjects SET owner = NULL, owner_ground = NULL, owner_ms = NULL, erased_ms = ?
      WHERE id = ?
      """,
      .date(date),
      .integer(number)
    )
    try connection.run("DELETE FROM tokens WHERE subject = ?", .integer(number))
    // Conflicts stay to be counted and name nobody.
    try connection.run(
      "UPDATE conflicts SET customer = 'erased:' || id WHERE subject = ?",
      .integer(number)
    )
    knownErasures = true
  }

  mutating func forget(_ customer: CustomerID, app: BundleID) throws(StorageError) {
    try connection.run(
      "UPDATE orders SET customer = NULL, context = ? WHERE customer = ? AND app = ?",
      .blob(JSONObject().serialized),
      .text(customer.rawValue),
      .text(app.rawValue)
    )
    try connection.run(
      "DELETE FROM aliases WHERE customer = ? AND app = ?",
      .text(customer.rawValue),
      .text(app.rawValue)
    )
    try connection.run(
      """
      UPDATE conflicts SET customer = 'erased:' || id WHERE customer = ? AND subject IN (
        SELECT s.id FROM subjects s JOIN scopes c ON c.id = s.scope WHERE c.app = ?)
      """,
      .text(customer.rawValue),
      .text(app.rawValue)
    )
  }

  mutating func reassign(
    _ customer: CustomerID,
    to other: CustomerID,
    app: BundleID
  ) throws(StorageError) {
    for table in ["orders", "aliases"] {
      try connection.run(
        "UPDATE \(table) SET customer = ? WHERE customer = ? AND app = ?",
        .text(other.rawValue),
        .text(customer.rawValue),
        .text(app.rawValue)
      )
    }
  }

  mutating func hasErasures() throws(StorageError) -> Bool {
    if let knownErasures { return knownErasures }
    let found =
      try connection.row("SELECT 1 FROM subjects WHERE erased_ms IS NOT NULL LIMIT 1") {
        $0.integer(0)
      } != nil
    knownErasures = found
    return found
  }

  func isErased(_ subject: LedgerSubject) throws(StorageError) -> Bool {
    guard let number = try knownNumber(of: subject) else { return false }
    return try connection.row(
      "SELECT 1 FROM subjects WHERE id = ? AND erased_ms IS NOT NULL",
      .integer(number)
    ) { $0.integer(0) } != nil
  }

  func tokens(
    of customer: CustomerID,
    app: BundleID
  ) throws(StorageError) -> [AppAccountToken] {
    let texts = try connection.rows(
      "SELECT token FROM aliases WHERE customer = ? AND app = ? ORDER BY token",
      .text(customer.rawValue),
      .text(app.rawValue)
    ) { $0.text(0) }
    return texts.compactMap { AppAccountToken($0) }
  }

  func variants(of key: FactKey, in scope: LedgerScope) throws(StorageError) -> [FactKey] {
    guard let number = try knownNumber(of: scope) else { return [] }
    // "$" is the sign behind "#": everything between them begins with the key and "#".
    return try connection.rows(
      "SELECT key FROM facts WHERE scope = ? AND (key = ? OR (key > ? AND key < ?)) ORDER BY key",
      .integer(number),
      .text(key.description),
      .text(key.description + "#"),
      .text(key.description + "$")
    ) { FactKey(stored: $0.text(0)) }
  }
}

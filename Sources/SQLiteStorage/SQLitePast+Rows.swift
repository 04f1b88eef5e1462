internal import Foundation
internal import IAPEntitlements
internal import IAPModel
internal import SQLiteAdapter
internal import ServerStorage

// What is no fact, by the rules of the tables.
extension SQLitePast {
  /// Takes what is said about purchases whose facts are tombstones: what they said is known from
  /// the items alone.
  ///
  /// The instant of such an item is that of its own fact when it has one, else the one at which it
  /// was signed.
  func takeConcealed() throws(StorageError) {
    let erased = try connection.row(
      "SELECT count(*) FROM source.subjects WHERE erased_ms IS NOT NULL"
    ) { $0.integer(0) }
    guard let erased, erased > 0 else { return }
    try connection.execute(
      """
      CREATE TEMP TABLE later (
        app TEXT, environment TEXT, original TEXT, kind INTEGER, body BLOB,
        PRIMARY KEY (original, kind, body, app, environment)) WITHOUT ROWID
      """
    )
    try visitFacts(
      """
      source.facts f JOIN source.scopes c ON c.id = f.scope
      WHERE f.received_ms > \(untilMilliseconds) ORDER BY f.id
      """
    ) { fact, parts throws(StorageError) in
      for part in parts {
        guard let original = part.originalTransactionID else { continue }
        let item = StoredItem(part)
        try connection.run(
          "INSERT INTO later VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
          .text(fact.scope.app.rawValue),
          .text(fact.scope.environment.rawValue),
          .text(original.rawValue),
          .integer(item.kind.rawValue),
          .blob(item.body)
        )
      }
    }
    for (subject, item) in try unexplained() where try isOfThen(item, in: subject.scope) {
      try take(item, of: subject)
    }
  }

  /// The items that no fact says whose bytes are there.
  private func unexplained() throws(StorageError) -> [(LedgerSubject, StoredItem)] {
    try connection.rows(
      """
      SELECT c.app, c.environment, s.original, i.kind, i.body
      FROM source.items i JOIN source.subjects s ON s.id = i.subject
      JOIN source.scopes c ON c.id = s.scope
      WHERE NOT EXISTS (
        SELECT 1 FROM main.subjects n JOIN main.items m ON m.subject = n.id
        WHERE n.scope = s.scope AND n.original = s.original AND m.kind = i.kind
          AND m.body = i.body)
      AND NOT EXISTS (
        SELECT 1 FROM temp.later l WHERE l.original = s.original AND l.kind = i.kind
          AND l.body = i.body AND l.app = c.app AND l.environment = c.environment)
      ORDER BY i.id
      """
    ) { row throws(StorageError) in
      guard let kind = StoredItem.Kind(rawValue: row.integer(3)) else {
        throw StorageError(.corrupt, "an item of unknown kind")
      }
      let scope = LedgerScope(
        app: BundleID(row.text(0)),
        environment: StoreEnvironment(rawValue: row.text(1))
      )
      return (
        LedgerSubject(scope: scope, original: OriginalTransactionID(row.text(2))),
        StoredItem(kind: kind, body: row.blob(4))
      )
    }
  }

  private func isOfThen(_ item: StoredItem, in scope: LedgerScope) throws(StorageError) -> Bool {
    if let key = try item.key() {
      let received = try connection.row(
        """
        SELECT f.received_ms FROM source.facts f JOIN source.scopes c ON c.id = f.scope
        WHERE f.key = ? AND c.app = ? AND c.environment = ?
        """,
        .text(key.description),
        .text(scope.app.rawValue),
        .text(scope.environment.rawValue)
      ) { $0.integer(0) }
      if let received { return received <= untilMilliseconds }
    }
    return try item.fact().signedDate <= until
  }

  /// Owners, orders and conflicts of the time; second names and handovers as they are.
  func copyPeople() throws(StorageError) {
    let same = "s.scope = n.scope AND s.original = n.original"
    let statements = [
      // An erasure is never undone.
      """
      UPDATE main.subjects AS n SET erased_ms = s.erased_ms FROM source.subjects AS s
      WHERE \(same) AND s.erased_ms IS NOT NULL
      """,
      """
      UPDATE main.subjects AS n
      SET owner = s.owner, owner_ground = s.owner_ground, owner_ms = s.owner_ms
      FROM source.subjects AS s WHERE \(same) AND s.owner_ms <= \(untilMilliseconds)
      """,
      copy("orders", where: "created_ms <= \(untilMilliseconds)"),
      copy("aliases"),
      copy("claims"),
      """
      INSERT INTO main.conflicts (subject, customer, date_ms)
      SELECT n.id, o.customer, o.date_ms FROM source.conflicts o
      JOIN source.subjects s ON s.id = o.subject JOIN main.subjects n ON \(same)
      WHERE o.date_ms <= \(untilMilliseconds) ORDER BY o.id
      """,
    ]
    for statement in statements { try connection.execute(statement) }
  }

  /// The statement that copies rows of a table that names no purchase by its number.
  private func copy(_ name: String, where condition: String = "true") -> String {
    guard let table = LedgerTable.named(name) else { preconditionFailure("a table of a ledger") }
    let order: String
    switch table.growth {
    case .added(let column), .changed(let column): order = " ORDER BY \(column)"
    case .replaced: order = ""
    }
    return """
      INSERT INTO main.\(name) (\(table.columnList)) SELECT \(table.columnList)
      FROM source.\(name) WHERE \(condition)\(order)
      """
  }

  func copyDocuments() throws(StorageError) {
    func kinds(_ rule: PastRule) -> String {
      "kind IN (\(rule.kinds().map { "'\($0)'" }.joined(separator: ", ")))"
    }
    try connection.execute(
      copy(
        "documents",
        where: """
          NOT \(kinds(.left))
          AND NOT (\(kinds(.madeBy)) AND created_ms > \(untilMilliseconds))
          AND NOT (\(kinds(.writtenBy)) AND changed_ms > \(untilMilliseconds))
          """
      )
    )
    // Places go on behind all that were ever given.
    try connection.execute("DELETE FROM main.sqlite_sequence WHERE name = 'documents'")
    try connection.execute(
      """
      INSERT INTO main.sqlite_sequence (name, seq)
      SELECT name, seq FROM source.sqlite_sequence WHERE name = 'documents'
      """
    )
    try giveBackLaterDebits()
  }

  /// Takes debits that were made later out of what is spent in all.
  private func giveBackLaterDebits() throws(StorageError) {
    let debits = try connection.rows(
      """
      SELECT app, shelf, body FROM source.documents
      WHERE kind = 'debit' AND created_ms > \(untilMilliseconds)
      """
    ) { row throws(StorageError) in
      (
        key: DocumentKey(.spent, app: BundleID(row.text(0)), name: row.text(1)),
        body: try SQLiteTables.object(row.blob(2))
      )
    }
    var sums: [DocumentKey: [String: Int64]] = [:]
    for debit in debits {
      guard let balance = debit.body["balance"]?.stringValue,
        let amount = debit.body["amount"]?.integerValue
      else { continue }
      sums[debit.key, default: [:]][balance, default: 0] += amount
    }
    for (key, amounts) in sums {
      guard var body = try tables.document(key)?.body else { continue }
      for (balance, amount) in amounts {
        body[balance] = .integer((body[balance]?.integerValue ?? 0) - amount)
      }
      try connection.run(
        "UPDATE main.documents SET body = ? WHERE kind = ? AND app = ? AND name = ?",
        .blob(body.serialized),
        .text(key.kind.rawValue),
        .text(key.app?.rawValue ?? ""),
        .text(key.name)
      )
    }
  }

  /// The logs up to the instant, and a note of what was done here.
  func copyLogs(_ now: Date) throws(StorageError) {
    try connection.execute(
      """
      INSERT INTO main.outbox (kind, subject, body, date_ms)
      SELECT o.kind, n.id, o.body, o.date_ms FROM source.outbox o
      JOIN source.subjects s ON s.id = o.subject
      JOIN main.subjects n ON n.scope = s.scope AND n.original = s.original
      WHERE o.date_ms <= \(untilMilliseconds) ORDER BY o.sequence
      """
    )
    try connection.execute(
      """
      INSERT INTO main.audit (app, action, details, date_ms)
      SELECT app, action, details, date_ms FROM source.audit
      WHERE date_ms <= \(untilMilliseconds) ORDER BY sequence
      """
    )
    try tables.appendAudit(
      AuditRecord(
        app: nil,
        action: "ledger.restored",
        details: ["until": .integer(untilMilliseconds)],
        date: now
      )
    )
  }
}

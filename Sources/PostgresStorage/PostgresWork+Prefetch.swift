internal import Foundation
internal import IAPEntitlements
internal import IAPModel
internal import PostgresAdapter
internal import ServerStorage

// Reads what a batch needs, a statement a table.
extension PostgresWork {
  func prefetch(_ footprint: WriteFootprint) throws(StorageError) {
    var batch = PostgresBatch()
    try prefetchFacts(footprint.facts, in: &batch)
    var numbers: [Int64: LedgerSubject] = [:]
    try prefetchSubjects(footprint.subjects, in: &batch) { numbers[$0] = $1 }
    prefetchCarriers(footprint.tokens, in: &batch)
    prefetchPeople(footprint.tokens, in: &batch)
    try prefetchClaims(footprint.claims, in: &batch)
    prefetchDocuments(footprint.documents, in: &batch)
    placesWanted = footprint.documents.count
    try batch.run(on: database)
    try prefetchContents(numbers)
  }

  /// The numbers of the scopes that are there, and the other way round.
  private func known(
    _ scopes: some Sequence<LedgerScope>
  ) throws(StorageError) -> [Int64: LedgerScope] {
    var result: [Int64: LedgerScope] = [:]
    for scope in Set(scopes) {
      if let number = try reading.number(of: scope) { result[number] = scope }
    }
    return result
  }

  private func prefetchFacts(
    _ places: Set<WriteFootprint.Place>,
    in batch: inout PostgresBatch
  ) throws(StorageError) {
    guard !places.isEmpty else { return }
    let scopes = try known(places.map(\.scope))
    for place in places { knownFacts[place] = false }
    batch.ask(
      """
      SELECT f.scope, f.key FROM unnest($1) AS wanted (key) JOIN facts f ON f.key = wanted.key
      WHERE f.scope = ANY ($2)
      """,
      .texts(Array(Set(places.map(\.key.description)))),
      .integers(Array(scopes.keys))
    ) { row in
      guard let scope = scopes[row.integer(0)] else { return }
      let key = FactKey(stored: row.text(1))
      self.knownFacts[WriteFootprint.Place(scope: scope, key: key)] = true
    }
  }

  private func prefetchSubjects(
    _ wanted: Set<LedgerSubject>,
    in batch: inout PostgresBatch,
    _ find: @escaping (Int64, LedgerSubject) -> Void
  ) throws(StorageError) {
    guard !wanted.isEmpty else { return }
    let scopes = try known(wanted.map(\.scope))
    let byScope = Dictionary(uniqueKeysWithValues: scopes.map { ($1, $0) })
    for subject in wanted {
      subjects[subject] = Subject()
      items[subject] = []
      entries[subject] = []
    }
    let asked = wanted.filter { byScope[$0.scope] != nil }
    batch.ask(
      """
      SELECT s.scope, s.original, s.id, s.erased_ms IS NOT NULL, s.owner, s.owner_ground, s.owner_ms
      FROM unnest($1, $2) AS wanted (scope, original)
      JOIN subjects s ON s.scope = wanted.scope AND s.original = wanted.original
      """,
      .integers(asked.map { byScope[$0.scope] }),
      .texts(asked.map(\.original.rawValue))
    ) { row throws(StorageError) in
      guard let scope = scopes[row.integer(0)] else { return }
      let subject = LedgerSubject(scope: scope, original: OriginalTransactionID(row.text(1)))
      let state = try Self.subject(row, 2)
      self.subjects[subject] = state
      if let number = state.number { find(number, subject) }
    }
  }

  private func prefetchContents(_ numbers: [Int64: LedgerSubject]) throws(StorageError) {
    guard !numbers.isEmpty else { return }
    let asked = PostgresValue.integers(Array(numbers.keys))
    var batch = PostgresBatch()
    batch.ask(
      "SELECT subject, kind, body FROM items WHERE subject = ANY ($1)",
      asked
    ) { row throws(StorageError) in
      guard let subject = numbers[row.integer(0)] else { return }
      self.items[subject, default: []].append(try PostgresReading.item(row, 1))
    }
    batch.ask(
      """
      SELECT unit, kind, ordinal, product, quantity, date_ms, recorded_ms, credit, subject
      FROM entries WHERE subject = ANY ($1)
      """,
      asked
    ) { row throws(StorageError) in
      guard let subject = numbers[row.integer(8)] else { return }
      let record = try PostgresReading.entry(row, of: subject)
      self.entries[subject, default: []].append(record)
      self.entryKeys.insert(EntryKey(record))
    }
    try batch.run(on: database)
  }

  private func prefetchCarriers(
    _ tokens: Set<WriteFootprint.Token>,
    in batch: inout PostgresBatch
  ) {
    guard !tokens.isEmpty else { return }
    for token in tokens { carriers[token] = [] }
    batch.ask(
      """
      SELECT c.environment, s.original, t.app, t.token
      FROM unnest($1, $2) AS wanted (app, token)
      JOIN tokens t ON t.token = wanted.token AND t.app = wanted.app
      JOIN subjects s ON s.id = t.subject JOIN scopes c ON c.id = s.scope
      """,
      .texts(tokens.map(\.app.rawValue)),
      .texts(tokens.map(\.token.description))
    ) { row in
      let app = BundleID(row.text(2))
      guard let token = AppAccountToken(row.text(3)) else { return }
      self.carriers[WriteFootprint.Token(app: app, token: token), default: []]
        .insert(PostgresReading.subject(row, app: app))
    }
  }

  private func prefetchPeople(
    _ tokens: Set<WriteFootprint.Token>,
    in batch: inout PostgresBatch
  ) {
    guard !tokens.isEmpty else { return }
    let apps = PostgresValue.texts(tokens.map(\.app.rawValue))
    for token in tokens {
      orders.updateValue(nil, forKey: token)
      aliases.updateValue(nil, forKey: token)
    }
    batch.ask(
      """
      SELECT o.number, o.customer, o.product, o.quantity, o.context, o.created_ms, o.app
      FROM unnest($1, $2) AS wanted (app, number)
      JOIN orders o ON o.number = wanted.number AND o.app = wanted.app
      """,
      apps,
      .texts(tokens.map { OrderNumber($0.token.rawValue).description })
    ) { row throws(StorageError) in
      let order = try PostgresReading.order(row, app: BundleID(row.text(6)))
      let key = WriteFootprint.Token(app: order.app, token: order.number.accountToken)
      self.orders.updateValue(order, forKey: key)
    }
    batch.ask(
      """
      SELECT a.app, a.token, a.customer FROM unnest($1, $2) AS wanted (app, token)
      JOIN aliases a ON a.token = wanted.token AND a.app = wanted.app
      """,
      apps,
      .texts(tokens.map(\.token.description))
    ) { row in
      guard let token = AppAccountToken(row.text(1)) else { return }
      let key = WriteFootprint.Token(app: BundleID(row.text(0)), token: token)
      self.aliases.updateValue(CustomerID(row.text(2)), forKey: key)
    }
  }

  private func prefetchClaims(
    _ wanted: Set<WriteFootprint.Claim>,
    in batch: inout PostgresBatch
  ) throws(StorageError) {
    guard !wanted.isEmpty else { return }
    let scopes = try known(wanted.map(\.scope))
    for claim in wanted { claims.updateValue(nil, forKey: claim) }
    batch.ask(
      """
      SELECT c.scope, c.unit, c.installation, c.date_ms, c.acknowledged_ms
      FROM unnest($1) AS wanted (unit) JOIN claims c ON c.unit = wanted.unit
      WHERE c.scope = ANY ($2)
      """,
      .texts(Array(Set(wanted.map(\.unit.rawValue)))),
      .integers(Array(scopes.keys))
    ) { row in
      guard let scope = scopes[row.integer(0)] else { return }
      let key = WriteFootprint.Claim(scope: scope, unit: UnitID(row.text(1)))
      self.claims.updateValue(PostgresReading.claim(row, 2), forKey: key)
    }
  }

  private func prefetchDocuments(_ keys: Set<DocumentKey>, in batch: inout PostgresBatch) {
    guard !keys.isEmpty else { return }
    for key in keys { documents.updateValue(nil, forKey: key) }
    batch.ask(
      """
      SELECT \(PostgresReading.documentColumns.split(separator: " ").map { "d." + $0 }
        .joined(separator: " ")), d.kind, d.app
      FROM unnest($1, $2, $3) AS wanted (name, kind, app)
      JOIN documents d ON d.name = wanted.name AND d.kind = wanted.kind AND d.app = wanted.app
      """,
      .texts(keys.map(\.name)),
      .texts(keys.map(\.kind.rawValue)),
      .texts(keys.map { $0.app?.rawValue ?? "" })
    ) { row throws(StorageError) in
      let app = row.text(8)
      let document = try PostgresReading.document(
        row,
        DocumentKind(rawValue: row.text(7)),
        app.isEmpty ? nil : BundleID(app)
      )
      self.documents.updateValue(document, forKey: document.key)
      self.placesWanted -= 1
    }
  }
}

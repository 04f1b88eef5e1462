internal import Foundation
internal import IAPEntitlements
internal import IAPModel
internal import PostgresAdapter
internal import ServerStorage

// Reads what a batch needs, a statement a table.
extension PostgresWork {
  func prefetch(_ footprint: WriteFootprint) throws(StorageError) {
    try prefetchFacts(footprint.facts)
    try prefetchSubjects(footprint.subjects)
    try prefetchCarriers(footprint.tokens)
    try prefetchPeople(footprint.tokens)
    try prefetchClaims(footprint.claims)
    try prefetchDocuments(footprint.documents)
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

  private func prefetchFacts(_ places: Set<WriteFootprint.Place>) throws(StorageError) {
    guard !places.isEmpty else { return }
    let scopes = try known(places.map(\.scope))
    for place in places { knownFacts[place] = false }
    let found = try database.rows(
      """
      SELECT f.scope, f.key FROM unnest($1) AS wanted (key) JOIN facts f ON f.key = wanted.key
      WHERE f.scope = ANY ($2)
      """,
      .texts(Array(Set(places.map(\.key.description)))),
      .integers(Array(scopes.keys))
    ) { (scope: $0.integer(0), key: FactKey(stored: $0.text(1))) }
    for (number, key) in found {
      guard let scope = scopes[number] else { continue }
      knownFacts[WriteFootprint.Place(scope: scope, key: key)] = true
    }
  }

  private func prefetchSubjects(_ wanted: Set<LedgerSubject>) throws(StorageError) {
    guard !wanted.isEmpty else { return }
    let scopes = try known(wanted.map(\.scope))
    let byScope = Dictionary(uniqueKeysWithValues: scopes.map { ($1, $0) })
    for subject in wanted {
      subjects[subject] = Subject()
      items[subject] = []
      entries[subject] = []
    }
    let asked = wanted.filter { byScope[$0.scope] != nil }
    let found = try database.rows(
      """
      SELECT s.scope, s.original, s.id, s.erased_ms IS NOT NULL, s.owner, s.owner_ground, s.owner_ms
      FROM unnest($1, $2) AS wanted (scope, original)
      JOIN subjects s ON s.scope = wanted.scope AND s.original = wanted.original
      """,
      .integers(asked.map { byScope[$0.scope] }),
      .texts(asked.map(\.original.rawValue))
    ) { row throws(StorageError) -> (LedgerSubject, Subject)? in
      guard let scope = scopes[row.integer(0)] else { return nil }
      let subject = LedgerSubject(scope: scope, original: OriginalTransactionID(row.text(1)))
      return (subject, try Self.subject(row, 2))
    }
    var numbers: [Int64: LedgerSubject] = [:]
    for case .some((let subject, let state)) in found {
      subjects[subject] = state
      if let number = state.number { numbers[number] = subject }
    }
    try prefetchContents(numbers)
  }

  private func prefetchContents(_ numbers: [Int64: LedgerSubject]) throws(StorageError) {
    guard !numbers.isEmpty else { return }
    let asked = PostgresValue.integers(Array(numbers.keys))
    let said = try database.rows(
      "SELECT subject, kind, body FROM items WHERE subject = ANY ($1)",
      asked
    ) { row throws(StorageError) in (row.integer(0), try PostgresReading.item(row, 1)) }
    for (number, item) in said {
      guard let subject = numbers[number] else { continue }
      items[subject, default: []].append(item)
    }
    let recorded = try database.rows(
      """
      SELECT unit, kind, ordinal, product, quantity, date_ms, recorded_ms, credit, subject
      FROM entries WHERE subject = ANY ($1)
      """,
      asked
    ) { row throws(StorageError) -> GrantRecord? in
      guard let subject = numbers[row.integer(8)] else { return nil }
      return try PostgresReading.entry(row, of: subject)
    }
    for case .some(let record) in recorded {
      entries[record.subject, default: []].append(record)
      entryKeys.insert(EntryKey(record))
    }
  }

  private func prefetchCarriers(_ tokens: Set<WriteFootprint.Token>) throws(StorageError) {
    guard !tokens.isEmpty else { return }
    for token in tokens { carriers[token] = [] }
    let found = try database.rows(
      """
      SELECT c.environment, s.original, t.app, t.token
      FROM unnest($1, $2) AS wanted (app, token)
      JOIN tokens t ON t.token = wanted.token AND t.app = wanted.app
      JOIN subjects s ON s.id = t.subject JOIN scopes c ON c.id = s.scope
      """,
      .texts(tokens.map(\.app.rawValue)),
      .texts(tokens.map(\.token.description))
    ) { row -> (WriteFootprint.Token, LedgerSubject)? in
      let app = BundleID(row.text(2))
      guard let token = AppAccountToken(row.text(3)) else { return nil }
      return (
        WriteFootprint.Token(app: app, token: token), PostgresReading.subject(row, app: app)
      )
    }
    for case .some((let token, let subject)) in found {
      carriers[token, default: []].insert(subject)
    }
  }

  private func prefetchPeople(_ tokens: Set<WriteFootprint.Token>) throws(StorageError) {
    guard !tokens.isEmpty else { return }
    let apps = PostgresValue.texts(tokens.map(\.app.rawValue))
    for token in tokens {
      orders.updateValue(nil, forKey: token)
      aliases.updateValue(nil, forKey: token)
    }
    let opened = try database.rows(
      """
      SELECT o.number, o.customer, o.product, o.quantity, o.context, o.created_ms, o.app
      FROM unnest($1, $2) AS wanted (app, number)
      JOIN orders o ON o.number = wanted.number AND o.app = wanted.app
      """,
      apps,
      .texts(tokens.map { OrderNumber($0.token.rawValue).description })
    ) { row throws(StorageError) in try PostgresReading.order(row, app: BundleID(row.text(6))) }
    for order in opened {
      let key = WriteFootprint.Token(app: order.app, token: order.number.accountToken)
      orders.updateValue(order, forKey: key)
    }
    let named = try database.rows(
      """
      SELECT a.app, a.token, a.customer FROM unnest($1, $2) AS wanted (app, token)
      JOIN aliases a ON a.token = wanted.token AND a.app = wanted.app
      """,
      apps,
      .texts(tokens.map(\.token.description))
    ) { (app: BundleID($0.text(0)), token: $0.text(1), customer: CustomerID($0.text(2))) }
    for (app, text, customer) in named {
      guard let token = AppAccountToken(text) else { continue }
      aliases.updateValue(customer, forKey: WriteFootprint.Token(app: app, token: token))
    }
  }

  private func prefetchClaims(_ wanted: Set<WriteFootprint.Claim>) throws(StorageError) {
    guard !wanted.isEmpty else { return }
    let scopes = try known(wanted.map(\.scope))
    for claim in wanted { claims.updateValue(nil, forKey: claim) }
    let found = try database.rows(
      """
      SELECT c.scope, c.unit, c.installation, c.date_ms, c.acknowledged_ms
      FROM unnest($1) AS wanted (unit) JOIN claims c ON c.unit = wanted.unit
      WHERE c.scope = ANY ($2)
      """,
      .texts(Array(Set(wanted.map(\.unit.rawValue)))),
      .integers(Array(scopes.keys))
    ) { (scope: $0.integer(0), unit: UnitID($0.text(1)), claim: PostgresReading.claim($0, 2)) }
    for (number, unit, claim) in found {
      guard let scope = scopes[number] else { continue }
      claims.updateValue(claim, forKey: WriteFootprint.Claim(scope: scope, unit: unit))
    }
  }

  private func prefetchDocuments(_ keys: Set<DocumentKey>) throws(StorageError) {
    guard !keys.isEmpty else { return }
    for key in keys { documents.updateValue(nil, forKey: key) }
    let found = try database.rows(
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
      return try PostgresReading.document(
        row,
        DocumentKind(rawValue: row.text(7)),
        app.isEmpty ? nil : BundleID(app)
      )
    }
    for document in found { documents.updateValue(document, forKey: document.key) }
    placesWanted = keys.count - found.count
  }
}

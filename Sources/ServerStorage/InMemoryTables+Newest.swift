import IAPModel

// Lists that people read from their end.
extension InMemoryTables {
  func documents(
    _ kind: DocumentKind,
    app: BundleID?,
    shelf: String?,
    before sequence: Int64,
    limit: Int
  ) -> [LedgerDocument] {
    let places = documentPlaces[DocumentShelf(kind: kind, app: app, name: shelf)] ?? []
    let older = places.prefix { $0.sequence < sequence }
    return older.suffix(max(limit, 0)).reversed().compactMap { documentRows[$0.key] }
  }

  func audit(before sequence: Int64, limit: Int) -> [AuditRecord] {
    let older = auditRows.prefix { $0.sequence < sequence }
    return older.suffix(max(limit, 0)).reversed()
  }
}

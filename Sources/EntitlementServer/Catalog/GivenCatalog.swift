package import IAPModel
package import ServerStorage

/// Which products the catalog that an app's developer gave last has.
package enum GivenCatalog {
  /// Looks it up.
  ///
  /// - Parameters:
  ///   - app: The app.
  ///   - reader: The ledger.
  /// - Returns: The products; nil when no catalog was given yet.
  /// - Throws: ``StorageError``.
  package static func products(
    of app: BundleID,
    _ reader: any LedgerReading
  ) throws(StorageError) -> Set<ProductID>? {
    guard let current = try reader.document(CatalogShelf.currentKey(app)),
      let content = current.body["content"]?.stringValue,
      let body = try reader.document(CatalogShelf.contentKey(app, content))?.body
    else { return nil }
    let names = (body["products"]?.arrayValue ?? []).compactMap {
      $0.objectValue?["id"]?.stringValue
    }
    return Set(names.map { ProductID($0) })
  }
}

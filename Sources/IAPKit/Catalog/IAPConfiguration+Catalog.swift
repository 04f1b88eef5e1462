extension IAPConfiguration {
  /// Makes a configuration whose products come from the app's server.
  ///
  /// - Parameters:
  ///   - server: The app's backend; it also judges purchases.
  ///   - fallback: The catalog that is shipped with the app.
  ///   - delivery: Hands over the goods.
  public init(
    remoteCatalogOf server: ServerAccess,
    fallback: IAPCatalog? = nil,
    delivery: DeliveryHandler? = nil
  ) {
    self.init(productIds: [], delivery: delivery, server: server)
    usesRemoteCatalog = true
    fallbackCatalog = fallback
  }

  /// The configuration as a catalog changes it: its list and order replace the app's own, its
  /// statements about a product those of the app about the same one.
  ///
  /// A catalog without products changes nothing: nobody has filled it yet.
  func applying(_ catalog: IAPCatalog?) -> IAPConfiguration {
    guard let catalog, !catalog.entries.isEmpty else { return self }
    var changed = self
    changed.productIds = catalog.productIds
    for entry in catalog.entries {
      if let type = entry.type { changed.productTypes[entry.id] = type }
      if let names = entry.entitlements { changed.entitlements[entry.id] = names }
      if let level = entry.level { changed.serviceLevels[entry.id] = level }
      if let duration = entry.duration { changed.accessPeriods[entry.id] = duration }
    }
    return changed
  }
}

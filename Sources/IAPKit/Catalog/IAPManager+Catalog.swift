public import Foundation
import IAPEntitlements

extension IAPManager {
  /// The catalog in use; nil when the configuration uses none, or none is known yet.
  public var catalog: IAPCatalog? { remoteCatalog.current }

  /// Each catalog that comes from the server from now on.
  public var catalogStream: AsyncStream<IAPCatalog> { remoteCatalog.changes.stream() }

  /// Asks the server for its catalog; it is also asked at the start and when the app comes to the
  /// front.
  ///
  /// - Returns: What became of it.
  public func refreshCatalog() async -> CatalogRefresh {
    let result = await remoteCatalog.refresh()
    if result.isUpdate { applyCatalog() }
    return result
  }

  /// Asks again, unless the server was asked a short while ago.
  func refreshCatalogIfDue() async {
    if await remoteCatalog.refreshIfDue()?.isUpdate == true { applyCatalog() }
  }

  /// The name to show for a product: the catalog's in the user's language, else the store's.
  ///
  /// - Parameters:
  ///   - product: The product.
  ///   - languages: Language tags, most wanted first.
  /// - Returns: A name.
  public func displayName(
    of product: IAPProduct,
    languages: [String] = Locale.preferredLanguages
  ) -> String {
    catalog?.displayName(of: product.id, languages: languages) ?? product.displayName
  }

  /// What the app sells now: the configuration as the catalog changes it.
  package var effectiveConfiguration: IAPConfiguration {
    configuration.applying(remoteCatalog.current)
  }

  /// Lets everything that depends on the catalog know the one in use.
  func applyCatalog() {
    let effective = effectiveConfiguration
    adapter.use(types: effective.productTypes)
    entitlements.use(catalog: EntitlementCatalog(effective))
  }
}

import AppStoreSimulator
import IAPModel
package import IAPSignatures

/// What all runs of a process have in common.
package struct SimulationKit: Sendable {
  /// What everything is signed and verified with.
  package let signing: any SigningPrimitives
  /// The name of that scheme.
  package let signatures: String
  /// The planted bug that is switched on, by its name; nil for none.
  package let bug: String?
  let catalog: StoreCatalog
  let makeCache: @Sendable () -> any ChainCache

  /// Makes a kit.
  ///
  /// - Parameters:
  ///   - signing: What everything is signed and verified with.
  ///   - signatures: The name of that scheme.
  ///   - bug: The planted bug that is switched on, by its name.
  ///   - makeCache: Makes what keeps the chains of certificates that were checked.
  /// - Throws: `SimulatorError` with `badCatalog`.
  package init(
    signing: any SigningPrimitives,
    signatures: String,
    bug: String?,
    makeCache: @escaping @Sendable () -> any ChainCache
  ) throws {
    self.signing = signing
    self.signatures = signatures
    self.bug = bug
    self.makeCache = makeCache
    catalog = try DemoCatalog.load()
  }

  /// What the app sells.
  static let products: [(id: ProductID, type: ProductType)] = [
    (DemoCatalog.coins, .consumable), (DemoCatalog.lifetime, .nonConsumable),
    (DemoCatalog.season, .nonRenewable), (DemoCatalog.monthly, .autoRenewable),
    (DemoCatalog.yearly, .autoRenewable),
  ]
  /// What one piece of the consumable is worth in the balance of the same name.
  static let coinsPerPiece: Int64 = 100
}

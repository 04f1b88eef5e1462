public import IAPModel

/// The products of one app, out of a `.storekit` file of any version from 1.0 to 5.0.
///
/// - **Source:** the files that Xcode writes; Apple publishes no schema.
public struct StoreCatalog: Hashable, Sendable {
  /// The version that the file names, for example `4.0`.
  public let version: String
  /// All products in the order of the file: one-time, non-renewing, then the groups.
  public private(set) var products: [CatalogProduct]
  /// What the file switches on.
  public let settings: CatalogSettings
  /// The whole file, with what is not known here.
  public let document: JSONObject
  private let positions: [ProductID: Int]

  /// The most products that a file may have.
  public static let productCountMax = 10_000

  init(
    version: String,
    products: [CatalogProduct],
    settings: CatalogSettings,
    document: JSONObject
  ) {
    self.version = version
    self.products = products
    self.settings = settings
    self.document = document
    positions = Dictionary(
      products.enumerated().map { ($1.id, $0) },
      uniquingKeysWith: { first, _ in first }
    )
  }

  /// A product by its identifier, in the exact spelling.
  public subscript(id: ProductID) -> CatalogProduct? { positions[id].map { products[$0] } }

  /// Changes a product; one that is not there stays away.
  mutating func change(_ id: ProductID, _ body: (inout CatalogProduct) -> Void) {
    guard let place = positions[id] else { return }
    body(&products[place])
  }

  /// The subscriptions of a group in the order of the file.
  public func subscriptions(in group: SubscriptionGroupID) -> [CatalogProduct] {
    products.filter { $0.subscription?.groupID == group }
  }
}

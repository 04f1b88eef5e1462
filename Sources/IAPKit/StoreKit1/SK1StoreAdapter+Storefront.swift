package import IAPModel
import StoreKit

extension SK1StoreAdapter {
  package func storefront() async -> IAPStorefront? {
    queue.storefront.map { IAPStorefront($0) }
  }

  package func storefrontUpdates() -> AsyncStream<IAPStorefront> { observer.storefronts.stream() }

  package func forgetProducts() { products.forget() }

  package func use(types: [String: ProductType]) { products.use(types: types) }
}

extension IAPStorefront {
  /// Flattens a StoreKit 1 storefront, which does not name a currency.
  init(_ storefront: SKStorefront) {
    self.init(id: storefront.identifier, countryCode: storefront.countryCode)
  }
}

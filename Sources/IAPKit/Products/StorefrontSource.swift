/// The App Store of a country or region, as the signed-in account uses it.
///
/// It decides what is sold and in which currency. By the App Store's rules the country may be used
/// to choose what is offered and how it is described; it is no way to find out who or where the
/// customer is, and may not be sent on for advertising or tracking.
public struct IAPStorefront: Hashable, Sendable, Identifiable {
  /// The store's own number of it.
  public let id: String
  /// The ISO 3166-1 alpha-3 code of the country or region.
  public let countryCode: String
  /// The ISO 4217 code of its prices; StoreKit 2 on iOS 17 and later.
  public let currency: String?

  /// Makes a storefront.
  public init(id: String, countryCode: String, currency: String? = nil) {
    self.id = id
    self.countryCode = countryCode
    self.currency = currency
  }
}

/// What the client needs of StoreKit to know the storefront.
package protocol StorefrontSource: Sendable {
  /// The storefront; nil while no account says it.
  func storefront() async -> IAPStorefront?
  /// Later changes; ends only with the process.
  func storefrontUpdates() -> AsyncStream<IAPStorefront>
}

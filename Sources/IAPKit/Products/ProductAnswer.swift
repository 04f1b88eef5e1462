/// What the store answered to a request for products.
public struct ProductAnswer: Hashable, Sendable {
  /// The products that were found, in the order they were asked for, each once.
  public let products: [IAPProduct]
  /// The ids that the store did not know, in the order they were asked for.
  public let missing: [String]
  /// Why ids may be missing; nil when none is, or when nobody looked into it.
  public internal(set) var report: MissingProductsReport?

  /// Makes an answer.
  public init(products: [IAPProduct], missing: [String]) {
    self.products = products
    self.missing = missing
  }
}

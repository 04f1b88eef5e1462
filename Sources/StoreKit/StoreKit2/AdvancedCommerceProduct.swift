/// A product whose price and description come from the app's server.
public struct AdvancedCommerceProduct: Identifiable, Sendable {
  public typealias ID = String
  public typealias ProductType = Product.ProductType
  public typealias PurchaseResult = Product.PurchaseResult

  public let id: AdvancedCommerceProduct.ID
  public let type: AdvancedCommerceProduct.ProductType

  private let host: any StoreHost

  public init(id: AdvancedCommerceProduct.ID) async throws {
    let host = StoreHostBinding.required()
    self.type = try await host.answering { try await host.advancedCommerceType(of: id) }
    self.id = id
    self.host = host
  }

  public var latestTransaction: VerificationResult<Transaction>? {
    get async { await Transaction.latest(for: id, host: host) }
  }

  public var allTransactions: Transaction.Transactions {
    Transaction.Transactions(host: host, listing: .all(productID: id))
  }

  public var currentEntitlements: Transaction.Transactions {
    Transaction.Transactions(host: host, listing: .currentEntitlements(productID: id))
  }

  /// Buys where no window is needed, as on a watch; the other purchases exist on Apple's platforms
  /// only.
  @MainActor public func purchase(
    compactJWS: String,
    options: Set<AdvancedCommerceProduct.PurchaseOption> = []
  ) async throws -> AdvancedCommerceProduct.PurchaseResult {
    await host.passWhileAlive()
    // No product of this kind exists here, see `init(id:)`.
    throw StoreKitError.unsupported
  }

  public struct PurchaseOption: Equatable, Hashable, Sendable, CustomDebugStringConvertible {
    let continuesInStorefront: @Sendable (Storefront) -> Bool

    public static func onStorefrontChange(
      shouldContinuePurchase: @escaping @Sendable (Storefront) -> Bool
    ) -> AdvancedCommerceProduct.PurchaseOption {
      Self(continuesInStorefront: shouldContinuePurchase)
    }

    // There is one kind of option, and functions cannot be compared.
    public static func == (
      lhs: AdvancedCommerceProduct.PurchaseOption,
      rhs: AdvancedCommerceProduct.PurchaseOption
    ) -> Bool { true }

    public func hash(into hasher: inout Hasher) { hasher.combine(0) }

    public var debugDescription: String { "onStorefrontChange" }
  }
}

extension AdvancedCommerceProduct: Equatable, Hashable, CustomDebugStringConvertible {
  public static func == (lhs: AdvancedCommerceProduct, rhs: AdvancedCommerceProduct) -> Bool {
    lhs.id == rhs.id && lhs.type == rhs.type
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(id)
    hasher.combine(type)
  }

  public var debugDescription: String {
    "AdvancedCommerceProduct(id: \(id), type: \(type.rawValue))"
  }
}

/// Why the App Store does not understand a signed request.
public struct InvalidRequestError: Error {
  public let code: Int64
  public let message: String

  package init(code: Int64, message: String) {
    self.code = code
    self.message = message
  }
}

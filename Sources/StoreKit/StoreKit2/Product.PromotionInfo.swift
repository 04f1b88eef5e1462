extension Product {
  /// How a promoted product is shown on the app's page in the App Store of this device.
  public struct PromotionInfo: Equatable {
    public let productID: Product.ID
    public var visibility: Product.PromotionInfo.Visibility

    private let host: any StoreHost

    public enum Visibility: Int, Equatable, Hashable {
      case appStoreConnectDefault = 0
      case visible = 1
      case hidden = 2
    }

    public static func == (lhs: Product.PromotionInfo, rhs: Product.PromotionInfo) -> Bool {
      lhs.productID == rhs.productID && lhs.visibility == rhs.visibility
    }
  }
}

extension Product.PromotionInfo {
  /// Empty while the order is not overridden on this device.
  public static var currentOrder: [Product.PromotionInfo] {
    get async throws {
      let host = StoreHostBinding.required()
      let promotions = try await host.answering { try await host.promotions() }
      return promotions.order.map { id in
        Self(
          productID: id,
          visibility: promotions.visibilities[id].flatMap(Visibility.init) ?? .default,
          host: host
        )
      }
    }
  }

  public static func updateProductOrder(byID order: some Collection<String>) async throws {
    let order = Array(order)
    try await change { $0.order = order }
  }

  public static func updateProductVisibility(
    _ visibility: Product.PromotionInfo.Visibility,
    for productID: Product.ID
  ) async throws {
    let override = visibility.override
    try await change { $0.visibilities[productID] = override }
  }

  public static func updateAll(
    _ promotions: some Collection<Product.PromotionInfo>
  ) async throws {
    var all = StorePromotions()
    for promotion in promotions {
      all.order.append(promotion.productID)
      all.visibilities[promotion.productID] = promotion.visibility.override
    }
    let promotions = all
    try await change { $0 = promotions }
  }

  public func update() async throws {
    let (id, override) = (productID, visibility.override)
    try await Self.change(host: host) { $0.visibilities[id] = override }
  }

  private static func change(
    host: any StoreHost = StoreHostBinding.required(),
    _ change: @escaping @Sendable (inout StorePromotions) -> Void
  ) async throws {
    try await host.answering { try await host.changePromotions(change) }
  }
}

extension Product.PromotionInfo.Visibility {
  fileprivate static var `default`: Self { .appStoreConnectDefault }

  /// What the device remembers; nil when there is nothing to override.
  var override: Int? { self == .appStoreConnectDefault ? nil : rawValue }
}

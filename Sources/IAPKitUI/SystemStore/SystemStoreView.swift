#if canImport(SwiftUI)
public import IAPKit
public import StoreKit
public import SwiftUI

/// The system's list of products, selling through a manager.
@available(iOS 17.0, macOS 14.0, tvOS 17.0, watchOS 10.0, visionOS 1.0, *)
public struct SystemStoreView<Icon: View, Placeholder: View>: View {
  private let productIds: [String]
  private let usesPromotionalIcon: Bool
  private let icon: (Product) -> Icon
  private let placeholder: Placeholder
  // Kept over redrawings: it knows the orders whose sheets are open.
  @State private var purchases: SystemPurchases
  private let onEnd: @MainActor (Product, PurchaseOutcome) -> Void

  /// Makes a list with icons of the app's own.
  ///
  /// - Parameters:
  ///   - purchases: The link to the manager, which the screen keeps.
  ///   - productIds: What to show.
  ///   - usesPromotionalIcon: Whether a picture from App Store Connect goes before the app's own.
  ///   - onEnd: Told how a purchase ended.
  ///   - icon: The icon of a product.
  ///   - placeholder: What stands in its place while the product loads.
  public init(
    purchases: SystemPurchases,
    productIds: [String],
    usesPromotionalIcon: Bool = false,
    onEnd: @escaping @MainActor (Product, PurchaseOutcome) -> Void = { _, _ in },
    @ViewBuilder icon: @escaping (Product) -> Icon,
    @ViewBuilder placeholder: () -> Placeholder
  ) {
    _purchases = State(initialValue: purchases)
    self.productIds = productIds
    self.usesPromotionalIcon = usesPromotionalIcon
    self.onEnd = onEnd
    self.icon = icon
    self.placeholder = placeholder()
  }

  /// The list, with the button that restores.
  public var body: some View {
    StoreView(ids: productIds, prefersPromotionalIcon: usesPromotionalIcon) { product in
      icon(product)
    } placeholderIcon: {
      placeholder
    }
    .storeButton(.visible, for: .restorePurchases)
    .systemPurchases(purchases, onEnd: onEnd)
  }
}

/// The system's view of one product, selling through a manager.
@available(iOS 17.0, macOS 14.0, tvOS 17.0, watchOS 10.0, visionOS 1.0, *)
public struct SystemProductView<Icon: View, Placeholder: View>: View {
  private let productId: String
  private let usesPromotionalIcon: Bool
  private let icon: Icon
  private let placeholder: Placeholder
  // Kept over redrawings: it knows the orders whose sheets are open.
  @State private var purchases: SystemPurchases
  private let onEnd: @MainActor (Product, PurchaseOutcome) -> Void

  /// Makes a view with an icon of the app's own.
  ///
  /// - Parameters:
  ///   - purchases: The link to the manager, which the screen keeps.
  ///   - productId: The product.
  ///   - usesPromotionalIcon: Whether a picture from App Store Connect goes before the app's own.
  ///   - onEnd: Told how a purchase ended.
  ///   - icon: The icon.
  ///   - placeholder: What stands in its place while the product loads.
  public init(
    purchases: SystemPurchases,
    productId: String,
    usesPromotionalIcon: Bool = false,
    onEnd: @escaping @MainActor (Product, PurchaseOutcome) -> Void = { _, _ in },
    @ViewBuilder icon: () -> Icon,
    @ViewBuilder placeholder: () -> Placeholder
  ) {
    _purchases = State(initialValue: purchases)
    self.productId = productId
    self.usesPromotionalIcon = usesPromotionalIcon
    self.onEnd = onEnd
    self.icon = icon()
    self.placeholder = placeholder()
  }

  /// The product with its button.
  public var body: some View {
    ProductView(id: productId, prefersPromotionalIcon: usesPromotionalIcon) {
      icon
    } placeholderIcon: {
      placeholder
    }
    .systemPurchases(purchases, onEnd: onEnd)
  }
}
#endif

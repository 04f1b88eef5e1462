#if canImport(SwiftUI)
public import IAPKit
public import StoreKit
public import SwiftUI

@available(iOS 17.0, macOS 14.0, tvOS 17.0, watchOS 10.0, visionOS 1.0, *)
extension View {
  /// Lets the store views of the system inside this view sell through a manager.
  ///
  /// For views that are put together from the system's own; ``SystemStoreView`` and its siblings
  /// have it already.
  ///
  /// - Parameters:
  ///   - purchases: The link to the manager, which the screen keeps.
  ///   - onEnd: Told how a purchase ended.
  /// - Returns: The view.
  public func systemPurchases(
    _ purchases: SystemPurchases,
    onEnd: @escaping @MainActor (Product, PurchaseOutcome) -> Void = { _, _ in }
  ) -> some View {
    inAppPurchaseOptions { product in await purchases.options(for: product) }
      .onInAppPurchaseCompletion { product, result in
        onEnd(product, await purchases.completed(product, result))
      }
  }

  /// Asks the system whether a product gives access, as an answer with three values.
  ///
  /// Loading and failing are unknown, not no. `entitlementTask(for:manager:action:)` also
  /// knows what the server says, and runs on every system.
  ///
  /// - Parameters:
  ///   - productId: The product.
  ///   - manager: The client.
  ///   - action: Gets each answer.
  /// - Returns: The view.
  public func systemEntitlementTask(
    for productId: String,
    manager: IAPManager,
    action: @escaping @MainActor (Access) -> Void
  ) -> some View {
    currentEntitlementTask(for: productId) { state in
      if case .success(let transaction) = state {
        action(manager.systemAccess(transaction))
      } else {
        action(.unknown)
      }
    }
  }
}
#endif

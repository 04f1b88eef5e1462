public import Foundation
public import IAPKit
import IAPModel
public import StoreKit

/// Sells in SwiftUI's own store views the way `IAPManager` sells: an order is written
/// before the sheet opens, and the goods go through the one funnel.
///
/// `SystemStoreView` and its siblings have one; make one yourself for a view of your own:
/// `inAppPurchaseOptions` asks ``options(for:)``, `onInAppPurchaseCompletion` tells
/// ``completed(_:_:)``.
@available(iOS 15.0, macOS 12.0, tvOS 15.0, watchOS 8.0, *)
@MainActor
public final class SystemPurchases {
  /// What an app says beside a purchase that a view of the system begins.
  ///
  /// The quantity is one, and offers are the view's.
  public struct Order: Hashable, Sendable {
    /// The app's own token for the user; nil lets the order's number travel.
    public var accountToken: UUID?
    /// The app's own number for the order.
    public var reference: String?
    /// Anything the app wants to find again when the goods are delivered.
    public var context: [String: String]
    /// Lets the sandbox act as if a parent had to approve.
    public var simulatesAskToBuy: Bool

    /// Makes an order; everything has a default.
    public init(
      accountToken: UUID? = nil,
      reference: String? = nil,
      context: [String: String] = [:],
      simulatesAskToBuy: Bool = false
    ) {
      self.accountToken = accountToken
      self.reference = reference
      self.context = context
      self.simulatesAskToBuy = simulatesAskToBuy
    }

    fileprivate var options: PurchaseOptions {
      PurchaseOptions(
        accountToken: accountToken,
        orderReference: reference,
        context: context,
        simulatesAskToBuy: simulatesAskToBuy
      )
    }
  }

  private struct Open {
    var number: OrderNumber?
    var options: PurchaseOptions
  }

  private let manager: IAPManager
  private let makeOrder: (String) -> Order
  private var open: [String: Open] = [:]

  /// Makes the link between views of the system and a manager.
  ///
  /// - Parameters:
  ///   - manager: The client.
  ///   - makeOrder: What the app says beside the purchase of a product, by its id.
  public init(
    manager: IAPManager,
    order makeOrder: @escaping (String) -> Order = { _ in Order() }
  ) {
    self.manager = manager
    self.makeOrder = makeOrder
  }

  /// Whether views of the system can sell: not while StoreKit 1 is forced.
  public var isAvailable: Bool { manager.sellsInSystemViews }

  /// Writes an order for a purchase that is about to begin.
  ///
  /// - Parameter product: The product whose button was tapped.
  /// - Returns: What the view passes on to the App Store.
  public func options(for product: Product) async -> Set<Product.PurchaseOption> {
    let options = makeOrder(product.id).options
    let (passed, number) = await manager.systemPurchaseOptions(for: product, options)
    open[product.id] = Open(number: number, options: options)
    return passed
  }

  /// Takes how the purchase ended.
  ///
  /// - Parameters:
  ///   - product: The product.
  ///   - result: What the view said.
  /// - Returns: What became of it, as from a purchase in the app's own views.
  @discardableResult
  public func completed(
    _ product: Product,
    _ result: Result<Product.PurchaseResult, any Error>
  ) async -> PurchaseOutcome {
    let order = open.removeValue(forKey: product.id)
    return await manager.systemPurchaseCompleted(
      product,
      result,
      of: order?.number,
      order?.options ?? makeOrder(product.id).options
    )
  }
}

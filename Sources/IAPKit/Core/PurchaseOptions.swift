public import Foundation

/// What an app may say about one purchase beside the product.
public struct PurchaseOptions: Hashable, Sendable {
  /// How many, 1 to 10; only consumables and non-renewing subscriptions can be bought more than
  /// once.
  public var quantity: Int
  /// The app's own token for the user.
  ///
  /// Nil lets the order's number travel with the purchase, which is what ties a late transaction to
  /// its order.
  public var accountToken: UUID?
  /// The app's own number for the order, any text; it is kept, and found again, beside ours.
  public var orderReference: String?
  /// Anything the app wants to find again when the goods are delivered; not sent to the store.
  public var context: [String: String]
  /// Lets the sandbox act as if a parent had to approve.
  public var simulatesAskToBuy: Bool

  /// Makes options; everything has a default.
  public init(
    quantity: Int = 1,
    accountToken: UUID? = nil,
    orderReference: String? = nil,
    context: [String: String] = [:],
    simulatesAskToBuy: Bool = false
  ) {
    self.quantity = quantity
    self.accountToken = accountToken
    self.orderReference = orderReference
    self.context = context
    self.simulatesAskToBuy = simulatesAskToBuy
  }
}

public import Foundation

/// What an app may say about one purchase beside the product.
///
/// What a generation of StoreKit, or a system, cannot do ends the purchase before the sheet with
/// ``IAPError/unsupported(reason:)``; nothing is left out silently.
public struct PurchaseOptions: Hashable, Sendable {
  /// The fewest that can be bought at once.
  public static let quantityMin = 1
  /// The most that can be bought at once.
  public static let quantityMax = OrderBook.quantityMax

  /// How many, ``quantityMin`` to ``quantityMax``; only consumables and non-renewing subscriptions
  /// can be bought more than once.
  public var quantity: Int
  /// The app's own token for the user.
  ///
  /// Nil lets the order's number travel with the purchase, which is what ties a late transaction to
  /// its order.
  public var accountToken: UUID?
  /// The app's own text for the user, in place of ``accountToken``.
  ///
  /// A UUID travels as it is; any other text is refused, or turned into a UUID that is always the
  /// same, as ``OrderPolicy/accountTexts`` says.
  public var accountText: String?
  /// The app's own number for the order, any text; it is kept, and found again, beside ours.
  public var orderReference: String?
  /// Anything the app wants to find again when the goods are delivered; not sent to the store.
  public var context: [String: String]
  /// Lets the sandbox act as if a parent had to approve.
  public var simulatesAskToBuy: Bool
  /// An offer to buy with.
  public var offer: PurchaseOffer?
  /// The server's word on the introductory offer, in place of Apple's rule: StoreKit 2.
  public var introductoryEligibility: IntroductoryEligibility?
  /// Options of StoreKit that are not known here, by key: StoreKit 2.
  public var custom: [String: CustomOption] = [:]
  /// Where the sheet is shown; where the system takes no place, it is a hint.
  public var anchor: StoreAnchor?
  /// By what the order begins.
  package var origin = Order.Origin.purchase

  /// Makes options; everything has a default.
  public init(
    quantity: Int = 1,
    accountToken: UUID? = nil,
    orderReference: String? = nil,
    context: [String: String] = [:],
    simulatesAskToBuy: Bool = false,
    offer: PurchaseOffer? = nil
  ) {
    self.quantity = quantity
    self.accountToken = accountToken
    self.orderReference = orderReference
    self.context = context
    self.simulatesAskToBuy = simulatesAskToBuy
    self.offer = offer
  }

  /// The UUID that a text for a user turns into: the same on every device and at the server.
  ///
  /// - Parameter text: The app's own text for the user.
  /// - Returns: The text itself when it is a UUID, else a UUID of version 5 made from it.
  public static func accountToken(for text: String) -> UUID {
    UUID(uuidString: text) ?? NameUUID.make(text, in: NameUUID.accounts)
  }
}

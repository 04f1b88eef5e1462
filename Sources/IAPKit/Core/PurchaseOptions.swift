public import Foundation

/// What an app may say about one purchase beside the product.
public struct PurchaseOptions: Hashable, Sendable {
  /// How many; only consumables and non-renewing subscriptions can be bought more than once.
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
  /// A promotional offer with the signature that the app's server made.
  public var promotionalOffer: SignedOffer?
  /// Lets the sandbox act as if a parent had to approve.
  public var simulatesAskToBuy: Bool

  /// The fewest that can be bought at once.
  public static let quantityMin = 1
  /// The most that can be bought at once.
  ///
  /// - **Source:** StoreKit, `Product.PurchaseOption.quantity(_:)`.
  public static let quantityMax = 10
  /// The longest ``orderReference``, in UTF-8 bytes.
  public static let orderReferenceBytesMax = 256
  /// The most members that ``context`` may have.
  public static let contextCountMax = 64
  /// The largest ``context``: names and values together, in UTF-8 bytes.
  public static let contextBytesMax = 16 * 1024

  /// Makes options; everything has a default.
  public init(
    quantity: Int = 1,
    accountToken: UUID? = nil,
    orderReference: String? = nil,
    context: [String: String] = [:],
    promotionalOffer: SignedOffer? = nil,
    simulatesAskToBuy: Bool = false
  ) {
    self.quantity = quantity
    self.accountToken = accountToken
    self.orderReference = orderReference
    self.context = context
    self.promotionalOffer = promotionalOffer
    self.simulatesAskToBuy = simulatesAskToBuy
  }

  /// A promotional offer with a detached signature.
  public struct SignedOffer: Hashable, Sendable {
    /// The offer's id.
    public let offerID: String
    /// The id of the key that signed.
    public let keyID: String
    /// The number that makes the signature good for one use.
    public let nonce: UUID
    /// The signature, DER.
    public let signature: Data
    /// When it was signed, in UNIX milliseconds.
    public let timestampMilliseconds: Int

    /// Makes a signed offer.
    public init(
      offerID: String,
      keyID: String,
      nonce: UUID,
      signature: Data,
      timestampMilliseconds: Int
    ) {
      self.offerID = offerID
      self.keyID = keyID
      self.nonce = nonce
      self.signature = signature
      self.timestampMilliseconds = timestampMilliseconds
    }
  }
}

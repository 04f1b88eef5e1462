public import Foundation
public import IAPModel

/// One in-app purchase as an app receipt lists it, in plain values.
///
/// A receipt has no signed date of its own for each line: the day on which the receipt was made
/// takes its place. What a receipt cannot say (price, account token, ownership, upgraded) stays
/// absent and is completed from signed transactions with the same identifier.
///
/// - **Source:** App Store Receipts, in-app attributes 1701 to 1721.
public struct ReceiptLine: Hashable, Sendable {
  /// Attribute 1703.
  public var transactionID: TransactionID
  /// Attribute 1705; receipts made by Xcode have none, and the transaction stands for itself.
  public var originalTransactionID: OriginalTransactionID?
  /// Attribute 1702.
  public var productID: ProductID
  /// Attribute 1701.
  public var quantity: Int?
  /// Attribute 1704.
  public var purchaseDate: Date
  /// Attribute 1706.
  public var originalPurchaseDate: Date?
  /// Attribute 1707: 0 non-consumable, 1 consumable, 2 non-renewing, 3 auto-renewable.
  public var kind: Int?
  /// Attribute 1708; absent for everything but subscriptions.
  public var expiresDate: Date?
  /// Attribute 1711; zero and absent mean none.
  public var webOrderLineItemID: WebOrderLineItemID?
  /// Attribute 1712.
  public var cancellationDate: Date?
  /// Attribute 1721.
  public var promotionalOfferID: OfferID?
  /// Attributes 1713 and 1719: whether the line is a trial or has an introductory price.
  public var isIntroductory: Bool

  /// Makes a line with what every line has; the rest is absent.
  ///
  /// - Parameters:
  ///   - transactionID: Attribute 1703.
  ///   - productID: Attribute 1702.
  ///   - purchaseDate: Attribute 1704.
  public init(transactionID: TransactionID, productID: ProductID, purchaseDate: Date) {
    self.transactionID = transactionID
    self.productID = productID
    self.purchaseDate = purchaseDate
    self.isIntroductory = false
  }

  /// The product's type, when the receipt says it or a subscription's date gives it away.
  public var type: ProductType? {
    switch kind {
    case 0?: .nonConsumable
    case 1?: .consumable
    case 2?: .nonRenewable
    case 3?: .autoRenewable
    default: expiresDate == nil ? nil : .autoRenewable
    }
  }

  /// The line as a fact.
  ///
  /// - Parameters:
  ///   - bundleID: The app that the receipt names.
  ///   - environment: Where the receipt was made.
  ///   - creationDate: The day on which the receipt was made, attribute 12.
  ///   - fallbackType: The product's type from elsewhere, for receipts that do not say it.
  /// - Returns: A fact whose signed date is `creationDate`.
  public func fact(
    bundleID: BundleID,
    environment: StoreEnvironment?,
    creationDate: Date,
    fallbackType: ProductType? = nil
  ) -> StoreFact {
    var payload = TransactionPayload(
      transactionID: transactionID,
      originalTransactionID: originalTransactionID
        ?? OriginalTransactionID(transactionID.rawValue),
      bundleID: bundleID,
      productID: productID,
      purchaseDate: purchaseDate
    )
    payload.change {
      $0.type = type ?? fallbackType
      $0.environment = environment
      $0.signedDate = creationDate
      $0.quantity = quantity
      $0.originalPurchaseDate = originalPurchaseDate
      $0.expiresDate = expiresDate
      $0.revocationDate = cancellationDate
      if let line = webOrderLineItemID, line.rawValue != "0", !line.rawValue.isEmpty {
        $0.webOrderLineItemID = line
      }
      if let promotionalOfferID {
        $0.offerType = .promotional
        $0.offerIdentifier = promotionalOfferID
      } else if isIntroductory {
        $0.offerType = .introductory
      }
    }
    return .receiptLine(payload)
  }
}

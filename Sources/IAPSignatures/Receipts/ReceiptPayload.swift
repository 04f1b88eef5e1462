public import Foundation
public import IAPModel

/// What an app receipt says, read but not verified.
///
/// A number that is 0 in the sandbox, and an empty text in place of a date, count as absent.
///
/// - **Units:** dates are instants, to the second.
/// - **Source:** Apple, "Receipt fields"; facts/jws-and-receipts.md, section 6.2.
public struct ReceiptPayload: Hashable, Sendable {
  /// Where the receipt was made, as Apple spells it: `Production`, `ProductionSandbox`, `Xcode`.
  public var receiptType: ReceiptType?
  /// The app's number; absent in the sandbox.
  public var appAppleID: AppAppleID?
  /// The app.
  public var bundleID: BundleID?
  /// The version of the app that is installed.
  public var applicationVersion: String?
  /// Bytes that go into the device hash.
  public var opaqueValue: [UInt8]?
  /// The hash that ties the receipt to a device.
  public var deviceHash: [UInt8]?
  /// The bundle identifier as it is encoded: it goes into the device hash.
  public var bundleIDElement: [UInt8]?
  /// When the receipt was made: it takes the place of a signing date.
  public var creationDate: Date?
  /// When the customer first obtained the app.
  public var originalPurchaseDate: Date?
  /// The version that the customer first obtained.
  public var originalApplicationVersion: String?
  /// When a volume purchase ends.
  public var expirationDate: Date?
  /// The app's age rating.
  public var ageRating: String?
  /// The number of the download.
  public var downloadID: Int64?
  /// The number of the app's version at Apple.
  public var versionExternalIdentifier: Int64?
  /// The purchases.
  public var items: [ReceiptItem]
  /// Attributes that are not known here, in their order.
  public var otherAttributes: [ReceiptAttribute]

  /// Makes a receipt in which everything is absent.
  public init() {
    items = []
    otherAttributes = []
  }

  /// Where the receipt was made, nil when it does not say so or what it says is not known.
  public var environment: StoreEnvironment? { receiptType?.environment }
}

/// Where a receipt was made, in the words of receipts.
public struct ReceiptType: OpenValue {
  /// Apple's spelling.
  public let rawValue: String
  /// Makes the value from Apple's spelling.
  public init(rawValue: String) { self.rawValue = rawValue }
  /// Real money.
  public static let production = Self(rawValue: "Production")
  /// A volume purchase.
  public static let productionVPP = Self(rawValue: "ProductionVPP")
  /// Test accounts, TestFlight and App Review.
  public static let sandbox = Self(rawValue: "ProductionSandbox")
  /// A volume purchase with a test account.
  public static let sandboxVPP = Self(rawValue: "ProductionVPPSandbox")
  /// StoreKit testing in Xcode.
  public static let xcode = Self(rawValue: "Xcode")

  /// The environment in the words of signed transactions; an unknown word stays what it is.
  public var environment: StoreEnvironment {
    switch self {
    case .production, .productionVPP: .production
    case .sandbox, .sandboxVPP: .sandbox
    case .xcode: .xcode
    default: StoreEnvironment(rawValue: "receipt type \(rawValue)")
    }
  }
}

/// One purchase in a receipt.
///
/// - **Source:** Apple, "In-app purchase receipt fields".
public struct ReceiptItem: Hashable, Sendable {
  /// How many were bought.
  public var quantity: Int?
  /// The product.
  public var productID: ProductID
  /// The transaction; a restored copy has a new one.
  public var transactionID: TransactionID
  /// The first transaction; Xcode leaves it out.
  public var originalTransactionID: OriginalTransactionID?
  /// When the customer was charged, or the copy was made.
  public var purchaseDate: Date?
  /// When the original transaction was made.
  public var originalPurchaseDate: Date?
  /// The product's type, nil when the receipt does not say.
  public var type: ProductType?
  /// When the period of a subscription ends.
  public var expiresDate: Date?
  /// The item's number at Apple; absent in the sandbox.
  public var itemID: Int64?
  /// The billing event of a subscription.
  public var webOrderLineItemID: WebOrderLineItemID?
  /// When the App Store took the purchase back.
  public var cancellationDate: Date?
  /// Whether the period is a free trial.
  public var isTrialPeriod: Bool?
  /// Whether the period is at an introductory price.
  public var isInIntroOfferPeriod: Bool?
  /// The promotional offer that was used.
  public var promotionalOfferID: OfferID?
  /// Attributes that are not known here, in their order.
  public var otherAttributes: [ReceiptAttribute]

  /// Makes an item with what every purchase has; the rest is absent.
  ///
  /// - Parameters:
  ///   - productID: The product.
  ///   - transactionID: The transaction.
  public init(productID: ProductID, transactionID: TransactionID) {
    self.productID = productID
    self.transactionID = transactionID
    otherAttributes = []
  }

  /// The purchase as a transaction, so that both generations of StoreKit give the same facts.
  ///
  /// What a receipt does not say is absent. The receipt's creation date takes the place of a
  /// signing date; a type that the receipt does not say follows from an expiry date alone.
  ///
  /// - Parameter receipt: The receipt that the purchase stands in.
  /// - Returns: The transaction, nil when the receipt names no app or the purchase has no date.
  public func transaction(in receipt: ReceiptPayload) -> TransactionPayload? {
    guard let bundleID = receipt.bundleID, let purchaseDate else { return nil }
    var payload = TransactionPayload(
      transactionID: transactionID,
      originalTransactionID: originalTransactionID
        ?? OriginalTransactionID(transactionID.rawValue),
      bundleID: bundleID,
      productID: productID,
      purchaseDate: purchaseDate
    )
    payload.change {
      $0.webOrderLineItemID = webOrderLineItemID
      $0.originalPurchaseDate = originalPurchaseDate
      $0.expiresDate = expiresDate
      $0.quantity = quantity
      $0.type = type ?? (expiresDate == nil ? nil : .autoRenewable)
      $0.signedDate = receipt.creationDate
      $0.revocationDate = cancellationDate
      $0.environment = receipt.environment
      if isTrialPeriod == true || isInIntroOfferPeriod == true { $0.offerType = .introductory }
      if isTrialPeriod == true { $0.offerDiscountType = .freeTrial }
      if let promotionalOfferID {
        $0.offerType = .promotional
        $0.offerIdentifier = promotionalOfferID
      }
    }
    return payload
  }
}

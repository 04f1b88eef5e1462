public import Foundation
public import IAPModel
import IAPSignatures

/// What this device's app receipt says, once its signature was found right.
///
/// There is no value of this type for a receipt that is not genuine.
///
/// - **Units:** dates are instants, to the second.
/// - **Source:** Apple, "Receipt fields"; facts/jws-and-receipts.md, section 6.2.
public struct AppReceipt: Hashable, Sendable {
  /// One purchase in the receipt.
  public struct Purchase: Hashable, Sendable, Identifiable {
    /// The transaction; a restored copy has a new one.
    public let id: TransactionID
    /// The first transaction; absent in receipts that Xcode makes.
    public let originalTransactionID: OriginalTransactionID?
    /// The product.
    public let productID: ProductID
    /// The product's type, when the receipt says it.
    public let type: ProductType?
    /// How many were bought.
    public let quantity: Int?
    /// When the customer was charged, or the copy was made.
    public let purchaseDate: Date?
    /// When the original transaction was made.
    public let originalPurchaseDate: Date?
    /// When the period of a subscription ends.
    public let expiresDate: Date?
    /// When the App Store took the purchase back.
    public let cancellationDate: Date?
    /// The billing event of a subscription.
    public let webOrderLineItemID: WebOrderLineItemID?
    /// Whether the period is a free trial.
    public let isTrialPeriod: Bool?
    /// Whether the period is at an introductory price.
    public let isInIntroOfferPeriod: Bool?
    /// The promotional offer that was used.
    public let promotionalOfferID: OfferID?
  }

  /// Where it was made.
  public let environment: StoreEnvironment?
  /// The app.
  public let bundleID: BundleID?
  /// The version of the app that is installed.
  public let appVersion: String?
  /// The version that the customer first obtained; in the sandbox always 1.0.
  public let originalAppVersion: String?
  /// When it was made.
  public let creationDate: Date?
  /// When the customer first obtained the app.
  public let originalPurchaseDate: Date?
  /// When a volume purchase of the app ends.
  public let expirationDate: Date?
  /// The purchases: everything that lasts, and consumables until they are finished.
  public let purchases: [Purchase]

  init(_ payload: ReceiptPayload) {
    environment = payload.environment
    bundleID = payload.bundleID
    appVersion = payload.applicationVersion
    originalAppVersion = payload.originalApplicationVersion
    creationDate = payload.creationDate
    originalPurchaseDate = payload.originalPurchaseDate
    expirationDate = payload.expirationDate
    purchases = payload.items.map { item in
      Purchase(
        id: item.transactionID,
        originalTransactionID: item.originalTransactionID,
        productID: item.productID,
        type: item.type,
        quantity: item.quantity,
        purchaseDate: item.purchaseDate,
        originalPurchaseDate: item.originalPurchaseDate,
        expiresDate: item.expiresDate,
        cancellationDate: item.cancellationDate,
        webOrderLineItemID: item.webOrderLineItemID,
        isTrialPeriod: item.isTrialPeriod,
        isInIntroOfferPeriod: item.isInIntroOfferPeriod,
        promotionalOfferID: item.promotionalOfferID
      )
    }
  }
}

extension IAPManager {
  /// The app receipt as it lies on this device, checked: signature, app, version and device.
  ///
  /// - Returns: The receipt; nil when there is none, as before the first purchase in the sandbox.
  /// - Throws: ``IAPError/verificationFailed(underlying:)`` when it is not genuine or could not be
  ///   looked at, ``IAPError/staleReceipt`` when it is older than the app.
  public func appReceipt() throws(IAPError) -> AppReceipt? {
    try genuineReceipt(readReceipt()).map { AppReceipt($0) }
  }

  /// The app receipt after the store was asked for a new one; the store may ask for a password.
  ///
  /// The store is asked at most every `DeliveryFunnel.receiptRequestSecondsMin` seconds.
  ///
  /// - Returns: The receipt; nil when there is none even now.
  /// - Throws: What ``appReceipt()`` throws.
  public func refreshedAppReceipt() async throws(IAPError) -> AppReceipt? {
    await funnel.requestReceipt()
    return try appReceipt()
  }

  func genuineReceipt(_ bytes: [UInt8]?) throws(IAPError) -> ReceiptPayload? {
    guard let bytes, !bytes.isEmpty else { return nil }
    guard let verdict = try world.trust?.verdict(on: bytes) else { return nil }
    if let receipt = verdict.accepted?.payload { return receipt }
    let rules = verdict.failures.map(\.rule.rawValue).joined(separator: " ")
    world.log(LogLine(.warning, "the app receipt is not genuine: \(rules)"))
    throw .verificationFailed(underlying: SignatureNotVerified())
  }
}

extension DeliveryFunnel {
  /// Has the store bring the receipt up to date, unless it was asked a moment ago.
  func requestReceipt() async {
    guard mayRequestReceipt() else { return }
    if adapter.generation == .storekit1 {
      _ = await adapter.refreshedReceipt()
    } else {
      await SK1ReceiptRefresh().run()
    }
  }
}

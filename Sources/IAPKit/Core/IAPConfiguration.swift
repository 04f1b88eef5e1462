public import Foundation
public import IAPModel

/// How an app sells.
///
/// Everything but the products has a default.
public struct IAPConfiguration: Sendable {
  /// The ids of the products.
  public var productIds: [String]
  /// Asks whether a purchase is real; without one the device's own verdict accepts.
  public var validator: (any ReceiptValidator)?
  /// The app's backend, when it has one.
  public var server: ServerAccess?
  /// Whether ``server`` judges purchases while there is no ``validator``.
  public var checksPurchasesAtServer: Bool
  /// Whether the list of products, their order, their entitlements and their names come from
  /// ``server``; the last good list is used while it does not answer.
  public var usesRemoteCatalog: Bool
  /// The list that is shipped with the app, used until the server has answered once.
  public var fallbackCatalog: IAPCatalog?
  /// A hint that purchases here cost no money; signed data decides.
  public var isSandbox: Bool
  /// Whether the build seems to run from Xcode; only explains why products are missing.
  package var isLocalBuild: Bool
  /// Hands over the goods; without one, accepted purchases wait for
  /// ``TransactionStore/markConsumed(_:)`` or are taken from the listener.
  public var delivery: DeliveryHandler?
  /// Whether delivery waits for ``IAPManager/openDelivery()``: until the user signed in, for
  /// example.
  public var holdsDelivery: Bool
  /// The types of the products, for what StoreKit 1 does not say.
  public var productTypes: [String: ProductType]
  /// Which entitlements a product opens; a product that is not named opens one of its own id.
  public var entitlements: [String: [String]]
  /// The products' levels of service in their subscription groups; 1 is the highest, and of what a
  /// customer has in one group only the highest counts.
  public var serviceLevels: [String: Int]
  /// How long one purchase of a non-renewing subscription gives access; without a period it never
  /// ends.
  public var accessPeriods: [String: SubscriptionPeriod]
  /// Whether products that were loaded before are used again, where a call does not say.
  public var productCache: ProductCachePolicy
  /// How access is judged while the server is silent.
  public var access: AccessPolicy
  /// The app's account of the user who is signed in, sent to the server with each check.
  public var account: String?
  /// Signs promotional offers; nil for the app's server.
  public var offerSigner: (any OfferSigner)?
  /// What becomes of a purchase that began in the App Store; asked off the main thread.
  public var promotedPurchases: @Sendable (PromotedPurchase) -> PromotedAnswer
  /// Whether messages of the App Store wait for ``IAPManager/showStoreMessages(in:)``.
  ///
  /// Otherwise the system shows them when they come.
  public var holdsStoreMessages: Bool
  /// Told what happens to purchases, in order and off the main thread.
  public var analytics: (@Sendable (AnalyticsEvent) -> Void)?
  /// Whether StoreKit 1 brings promoted purchases beside StoreKit 2; nil lets the system decide.
  package var usesQueueForPromoted: Bool?
  /// How orders are opened, joined and closed.
  public var orders: OrderPolicy
  /// A receipt for where the platform has none, as in the simulator; debug builds only.
  ///
  /// It is judged like any other: nothing is accepted for its sake.
  public var standInReceipt: Data?
  /// When something that failed is tried again.
  public var retry: RetryPolicy
  /// When an order is set aside for a person to look at.
  public var quarantine: QuarantinePolicy
  /// How long finished purchases are kept on the device.
  public var retention: RetentionPolicy
  /// Keeps orders and transactions; nil for the journal in ``storeDirectory``.
  public var storage: (any RecordStorage)?
  /// Uses StoreKit 1 where StoreKit 2 could be used too.
  public var forceStoreKit1: Bool
  /// The folder for the client's files; nil for one in Application Support.
  public var storeDirectory: URL?
  /// The least that is logged.
  public var logLevel: LogLevel
  /// Receives the log; nil for the system's.
  public var logHandler: (@Sendable (LogLine) -> Void)?

  /// Makes a configuration.
  ///
  /// - Parameters:
  ///   - productIds: The ids of the products.
  ///   - validator: Asks whether a purchase is real; nil lets the device's own verdict accept.
  ///   - isSandbox: A hint; nil derives it from the way in which the app was installed.
  ///   - delivery: Hands over the goods.
  ///   - forceStoreKit1: Uses StoreKit 1 where StoreKit 2 could be used too.
  ///   - server: The app's backend, which also judges purchases while there is no validator.
  public init(
    productIds: [String],
    validator: (any ReceiptValidator)? = nil,
    isSandbox: Bool? = nil,
    delivery: DeliveryHandler? = nil,
    forceStoreKit1: Bool = false,
    server: ServerAccess? = nil
  ) {
    self.productIds = productIds
    self.validator = validator
    let build = BuildTraits.live
    self.isSandbox = isSandbox ?? build.isSandboxHint
    isLocalBuild = build.isLocal
    self.delivery = delivery
    self.forceStoreKit1 = forceStoreKit1
    self.server = server
    checksPurchasesAtServer = true
    usesRemoteCatalog = false
    holdsDelivery = false
    promotedPurchases = { _ in .accept }
    holdsStoreMessages = false
    productTypes = [:]
    entitlements = [:]
    serviceLevels = [:]
    accessPeriods = [:]
    productCache = .maxAge(3600)
    access = AccessPolicy()
    orders = OrderPolicy()
    retry = RetryPolicy()
    quarantine = QuarantinePolicy()
    retention = RetentionPolicy()
    logLevel = .info
  }

  /// Receives the lines that are heavy enough.
  var log: @Sendable (LogLine) -> Void {
    let (level, handler) = (logLevel, logHandler)
    return { line in
      guard line.level >= level else { return }
      if let handler { handler(line) } else { LiveWorld.log(line) }
    }
  }
}

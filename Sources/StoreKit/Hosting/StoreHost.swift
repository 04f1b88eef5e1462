package import Foundation

/// What stands behind this module: values in, values out.
///
/// The module declares Apple's API and forwards every call to the host that is bound to the calling
/// task. The host decides everything: which products exist, what a purchase answers, what is
/// unfinished, and whether the app process that asks is still alive.
package protocol StoreHost: AnyObject, Sendable {
  /// Returns while the app process lives and never again once it was killed.
  func passWhileAlive() async

  /// Runs a callback on the main actor, inside the binding, after those that were asked for
  /// earlier; never once the process was killed.
  func callBack(_ callback: @escaping @MainActor @Sendable () -> Void)

  // MARK: StoreKit 2

  /// The products that exist among the identifiers, in no promised order.
  func products(for identifiers: [String]) async throws -> [Product]

  /// Buys, as far as the person at the sheet lets it.
  func purchase(_ request: PurchaseRequest) async throws -> Product.PurchaseResult

  /// Whether nobody has used an introductory offer of the group yet.
  func isEligibleForIntroOffer(in group: String) async -> Bool

  /// A finite listing.
  func transactions(_ listing: TransactionListing) async -> [VerificationResult<Transaction>]

  /// The newest transaction of a product.
  func latestTransaction(of product: String) async -> VerificationResult<Transaction>?

  /// What happens to transactions from now on; never ends.
  func transactionUpdates() -> AsyncStream<VerificationResult<Transaction>>

  /// Tells the store that the app has delivered what was bought.
  func finish(transactionID: UInt64) async

  /// The statuses of a subscription group; empty when the account never subscribed.
  func statuses(in group: String) async throws -> [Product.SubscriptionInfo.Status]

  /// The groups in which the account has or had a subscription.
  func subscribedGroupIDs() async -> [String]

  /// The status of the subscription that a transaction belongs to.
  func status(transactionID: UInt64) async throws -> Product.SubscriptionInfo.Status?

  /// What happens to subscription statuses from now on; never ends.
  func statusUpdates() -> AsyncStream<Product.SubscriptionInfo.Status>

  /// Whether the person may buy here.
  var canMakePayments: Bool { get }

  /// The identifier that ties signed data to this device.
  var deviceVerificationID: UUID? { get }

  /// Asks the store for everything again, after the person signed in.
  func sync() async throws

  /// The signed description of the download of the app.
  func appTransaction(refreshing: Bool) async throws -> VerificationResult<AppTransaction>

  /// The storefront of the account that is signed in.
  var storefront: Storefront? { get }

  /// Later changes of the storefront; never ends.
  func storefrontUpdates() -> AsyncStream<Storefront>

  /// Purchases that were started outside the app; never ends.
  func purchaseIntents() -> AsyncStream<PurchaseIntent>

  /// What the App Store wants to tell the customer; never ends.
  func messages() -> AsyncStream<Message>

  /// Shows a message that the app has taken.
  func display(_ message: Message)

  /// Shows where money is asked back.
  func requestRefund(transactionID: UInt64) async throws -> Transaction.RefundRequestStatus

  /// Shows the subscriptions of the account, or of one group, until the person closes them.
  func showSubscriptions(in group: String?) async throws

  /// Shows where offer codes are entered until the person closes it.
  func showOfferCodeEntry() async throws

  /// How the app has changed its promoted products on this device.
  func promotions() async throws -> StorePromotions

  /// Changes how promoted products are shown on this device, and remembers it.
  func changePromotions(
    _ change: @escaping @Sendable (inout StorePromotions) -> Void
  ) async throws

  /// The type of a product of the Advanced Commerce API; throws when the app has none.
  func advancedCommerceType(of product: String) async throws -> Product.ProductType

  /// The app's age rating on this device; nil when it is not known.
  var ageRatingCode: Int? { get }

  // MARK: StoreKit 1

  /// The one payment queue of the app process.
  var paymentQueue: SKPaymentQueue { get }

  /// Buys through the queue.
  func add(_ payment: PaymentValue)

  /// Tells the store that the app has delivered what the transaction is about.
  func finish(_ transaction: SKPaymentTransaction)

  /// Puts a restored copy of everything that can be restored into the queue.
  func restoreCompletedTransactions(applicationUsername: String?)

  /// The queue has an observer now and had none before.
  func paymentQueueIsObserved()

  /// Asks the store for a new receipt.
  func refreshReceipt() async throws

  /// The person is shown where offer codes are entered.
  func presentCodeRedemptionSheet()

  /// The person is asked about a price increase that waits for consent.
  func showPriceConsentIfNeeded()

  /// The app found its receipt invalid and ends.
  func terminateForInvalidReceipt()
}

/// A finite listing of transactions.
package enum TransactionListing: Hashable, Sendable {
  case all(productID: String?)
  case currentEntitlements(productID: String?)
  case unfinished
}

/// A value of `Product.PurchaseOption.custom(key:value:)`.
package enum CustomValue: Hashable, Sendable {
  case string(String)
  case number(Double)
  case bool(Bool)
  case data(Data)
}

/// What `Product.purchase(options:)` asks the host for.
package struct PurchaseRequest: Sendable {
  /// A promotional offer with the older signature.
  package struct SignedOffer: Hashable, Sendable {
    package var id: String
    package var keyID: String
    package var nonce: UUID
    package var signature: Data
    package var timestamp: Int
  }

  package var product: Product
  package var quantity = 1
  package var appAccountToken: UUID?
  package var simulatesAskToBuy = false
  package var promotionalOffer: SignedOffer?
  package var winBackOffer: Product.SubscriptionOffer?
  package var billingPlanType: Product.SubscriptionInfo.BillingPlanType?
  /// Options by key; the store reads some, and ignores the others.
  package var custom: [String: CustomValue] = [:]
  package var continuesInStorefront: (@Sendable (Storefront) -> Bool)?
}

package import Foundation
package import IAPModel

/// What delivery needs of StoreKit.
///
/// `StoreKit1/` and `StoreKit2/` conform. An adapter maps types and decides nothing. Loading
/// products is not its task: the funnel never needs them.
package protocol StoreAdapter: Sendable {
  var generation: StoreGeneration { get }
  /// Whether this device and account may pay.
  func canMakePayments() -> Bool
  /// Why a sheet with these options cannot be opened; nil when it can.
  func objection(to options: SheetOptions) -> IAPError?
  /// Opens the payment sheet and waits for its end.
  func purchase(_ request: StorePurchaseRequest) async -> StorePurchaseResult
  /// Shows where offer codes are entered; StoreKit 2 returns when the sheet is closed.
  func redeemCode(in anchor: StoreAnchor?) async throws(IAPError)
  /// Shows the account's subscriptions, and returns when the sheet is closed.
  func manageSubscriptions(
    _ group: SubscriptionGroupID?,
    in anchor: StoreAnchor?
  ) async throws(IAPError)
  /// Shows the sheet for asking money back.
  func requestRefund(
    of transaction: TransactionID,
    in anchor: StoreAnchor?
  ) async throws(IAPError) -> RefundOutcome
  /// Takes the App Store's messages from the system; nil where there are none.
  func messages() -> AsyncStream<HeldMessage>?
  /// Whether a subscription's introductory offer would be applied.
  func introductoryEligibility(of product: ProductID, at now: Date) async -> OfferEligibility
  /// The win-back offers that the customer may have, the best one first.
  func winBackOffers(of product: ProductID) async throws(IAPError) -> [OfferID]
  /// Everything that StoreKit waits to be finished, verified or not.
  ///
  /// StoreKit 1 names what its queue has announced so far; the rest arrives through the sink.
  func unfinished() async -> [StoreTransaction]
  /// Tells StoreKit that a transaction is done with.
  func finish(_ reference: StoreReference) async -> StoreFinishAnswer
  /// Asks the store for what the account owns; the copies are returned, not sent to the sink.
  func restore() async throws(IAPError) -> [StoreTransaction]
  /// What the account owns now, as far as the device knows.
  func currentEntitlements() async -> [StoreTransaction]
  /// The app receipt as it lies on the device; nil when there is none. StoreKit 2 adapters may
  /// answer nil.
  func receipt() -> [UInt8]?
  /// The app receipt after the store was asked for a new one; nil when there is none.
  func refreshedReceipt() async -> [UInt8]?
  /// Begins to send what arrives by itself. The sink returns at once and keeps the order.
  func start(_ sink: @escaping @Sendable (StoreSignal) -> Void)
  /// Ends sending.
  func stop()
}

extension StoreAdapter {
  package func objection(to options: SheetOptions) -> IAPError? { nil }
}

/// What a payment sheet is opened for.
package struct StorePurchaseRequest: Hashable, Sendable {
  package var productID: ProductID
  /// 1 to 10.
  package var quantity: Int
  /// `appAccountToken` in StoreKit 2, `applicationUsername` in StoreKit 1.
  package var accountToken: AppAccountToken
  package var sheet: SheetOptions

  package init(
    productID: ProductID,
    quantity: Int = 1,
    accountToken: AppAccountToken,
    sheet: SheetOptions = SheetOptions()
  ) {
    self.productID = productID
    self.quantity = quantity
    self.accountToken = accountToken
    self.sheet = sheet
  }
}

/// How a payment sheet ended.
package enum StorePurchaseResult: Sendable {
  /// Paid, verified or not.
  case transaction(StoreTransaction)
  /// Waits for somebody else. A StoreKit 1 `deferred` transaction is never finished.
  case pending
  /// A plan change that takes effect at the next renewal; the transaction is the one held now.
  case scheduled(StoreTransaction?)
  /// Not paid. Cancelling is `error == .userCancelled`. A reference must be finished (StoreKit 1).
  case failed(IAPError, reference: StoreReference?)
}

/// What arrives from StoreKit without being asked for.
package enum StoreSignal: Sendable {
  /// A transaction that was paid (or restored), verified or not.
  case transaction(StoreTransaction)
  /// A StoreKit 1 transaction ended without a payment and waits to be finished.
  case failed(StoreFailure)
  /// A StoreKit 1 transaction waits for somebody else.
  case deferred(StoreDeferral)
  /// No news: everything that was sent before this was received.
  case mark(@Sendable () -> Void)
  /// A purchase that began in the App Store, and waits for the app.
  case promoted(PromotedPurchase)
}

/// A StoreKit 1 transaction in state `failed`.
package struct StoreFailure: Sendable {
  package var reference: StoreReference
  package var productID: ProductID
  package var quantity: Int
  package var accountToken: AppAccountToken?
  package var error: IAPError

  package init(
    reference: StoreReference,
    productID: ProductID,
    quantity: Int,
    accountToken: AppAccountToken?,
    error: IAPError
  ) {
    self.reference = reference
    self.productID = productID
    self.quantity = quantity
    self.accountToken = accountToken
    self.error = error
  }
}

/// A StoreKit 1 transaction in state `deferred`.
package struct StoreDeferral: Hashable, Sendable {
  package var productID: ProductID
  package var quantity: Int
  package var accountToken: AppAccountToken?

  package init(productID: ProductID, quantity: Int, accountToken: AppAccountToken?) {
    self.productID = productID
    self.quantity = quantity
    self.accountToken = accountToken
  }
}

/// What became of a request to finish.
package enum StoreFinishAnswer: Hashable, Sendable {
  /// StoreKit knows, now or since before.
  case finished
  /// StoreKit has not announced such a transaction in this process (StoreKit 1): when it does,
  /// it is finished then.
  case notAnnounced
}

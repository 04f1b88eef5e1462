public import Foundation

/// What StoreKit does differently from one system version to the next.
///
/// The defaults are what Apple documents. The rest was measured on real systems by others, and an
/// app has to live with it.
///
/// - **Units:** seconds of the store's clock.
public struct DeviceOptions: Hashable, Sendable {
  /// After how long a completed purchase is announced by `Transaction.updates` too; nil for never.
  ///
  /// Measured for subscriptions on macOS 26.6: about 0.5 seconds.
  public var purchaseEchoDelay: TimeInterval?
  /// How long `Transaction.currentEntitlements` misses what was bought, renewed or approved.
  ///
  /// Measured: up to 1 second. Refunds do not lag.
  public var entitlementLag: TimeInterval = 0
  /// How long a subscription's status says expired after a renewal.
  ///
  /// Measured: up to 0.7 seconds.
  public var renewalStatusLag: TimeInterval = 0
  /// Whether refunds and revocations that happened while the app was not running are announced by
  /// `Transaction.updates` at the next launch.
  public var announcesMissedRevocations = true
  /// Whether what is unfinished is announced newest first at a launch, as measured.
  ///
  /// Otherwise it is announced oldest first.
  public var announcesUnfinishedNewestFirst = true
  /// Whether `Transaction.all` and `latest(for:)` show finished consumables: the app's
  /// `SKIncludeConsumableInAppPurchaseHistory` in its `Info.plist`.
  public var includesConsumableHistory = false
  /// Whether a process keeps the first answer about the eligibility for an introductory offer.
  public var keepsFirstOfferEligibility = false
  /// Whether subscriptions in billing retry are among the current entitlements, as in a simulator
  /// of iOS 27.0.
  public var listsBillingRetry = false
  /// Whether every purchase of a non-renewing subscription is a current entitlement; otherwise the
  /// newest of each product.
  public var listsEveryNonRenewing = false
  /// Whether finished transactions are announced again at each launch, by both generations of
  /// StoreKit, as was seen in the sandbox.
  public var announcesFinishedAgain = false
  /// Whether an entry of StoreKit 1's queue fails when a parent declines, as in Xcode's tests.
  ///
  /// Otherwise it leaves the queue without a word, as in production.
  public var failsDeclinedPayments = false
  /// Whether StoreKit 2 says pending of a purchase that was interrupted, as some systems do when a
  /// bank asks back; otherwise it says that the person cancelled.
  public var interruptedPurchaseIsPending = false
  /// Whether a payment sheet is still open after the device was locked and unlocked; otherwise it
  /// is closed without paying.
  public var keepsSheetWhenLocked = false
  /// How long a message waits for the app to take it, before the system shows it itself.
  public var messageDelay: TimeInterval = 1
  /// What `AppStore.ageRatingCode` says; nil while the system does not know the rating.
  public var ageRatingCode: Int?

  /// What Apple documents.
  public init() {}

  /// The delays that were measured on macOS 26.6.
  public static var macOS26: DeviceOptions {
    var options = DeviceOptions()
    options.purchaseEchoDelay = 0.5
    options.entitlementLag = 1
    options.renewalStatusLag = 0.7
    options.keepsFirstOfferEligibility = true
    options.listsEveryNonRenewing = true
    return options
  }
}

public import Foundation
public import IAPModel

/// Something that happened in the store.
///
/// The state is a fold over these and nothing else.
public indirect enum LedgerEvent: Hashable, Sendable {
  /// An app came to the store.
  case appAdded(AppRecord)
  /// An account was made.
  case accountAdded(AccountRecord)
  /// A device was set up.
  case deviceAdded(DeviceRecord)
  /// An account moved to another country.
  case storefrontChanged(AccountID, Storefront)
  /// A parent is asked about an account's purchases, or no longer.
  case askToBuyChanged(AccountID, Bool)
  /// An account is allowed to buy, or no longer.
  case mayBuyChanged(AccountID, Bool)
  /// Charges of an account go through, or no longer.
  case paymentChanged(AccountID, works: Bool)
  /// A transaction was made.
  case sold(StoreTransactionRecord)
  /// A transaction was superseded by a higher level.
  case upgraded(TransactionID)
  /// A subscription began.
  case subscriptionBegan(SubscriptionRecord)
  /// Something happened to a subscription.
  case subscription(OriginalTransactionID, SubscriptionEvent)
  /// The app finished a transaction.
  case finished(TransactionID)
  /// The store took a transaction back.
  case refunded(TransactionID, Revocation)
  /// The store gave a transaction back.
  case refundReversed(TransactionID)
  /// A customer asked for money back.
  case refundRequested(TransactionID, ConsumptionRequestReason)
  /// The store did not pay back.
  case refundDeclined(TransactionID)
  /// Codes for offers were given out.
  case codesMade([OfferCodeRecord])
  /// A customer redeemed a code.
  case codeRedeemed(BundleID, OfferCode, AccountID)
  /// Transactions of a test were deleted.
  case deleted([TransactionID])
  /// A nonce of an offer's signature was used up.
  case offerNonceSpent(UUID)
  /// A family was made or changed.
  case familyChanged(FamilyRecord)
  /// A product's price changed, in thousandths.
  case priceChanged(BundleID, ProductID, Int64)
  /// A product was removed from sale, or is sold again.
  case availabilityChanged(BundleID, ProductID, isForSale: Bool)
  /// A test let the present period end.
  case periodCut(OriginalTransactionID, Date)
  /// The developer set up the grace period, or took it away.
  case graceChanged(GraceSettings?)
  /// A parent was asked.
  case asked(PendingPurchase)
  /// A question was answered, or nobody did in time.
  case answered(PendingID, PendingPurchase.Answer)
  /// StoreKit 1 restored copies on a device.
  case restored(DeviceID, [StoreTransactionRecord])
  /// A device's receipt was brought up to date.
  case receiptRefreshed(DeviceID)
  /// A notification was made.
  case notificationMade(NotificationRecord)
  /// A notification was sent.
  case notificationSent(NotificationUUID, NotificationAttempt, next: Date?)
  /// A developer's server made the store do something.
  case server(DeveloperEvent)
}

extension LedgerEvent {
  /// Whether anything that the store signs can hold what happened.
  ///
  /// What a server says about the use of a purchase is kept and signed nowhere. It comes whenever
  /// that server gets to it, so it takes no instant: what is signed does not hang on how fast a
  /// server is.
  var isSigned: Bool {
    switch self {
    case .server(.consumptionSent): false
    default: true
    }
  }
}

/// One line of the ledger.
public struct LedgerEntry: Hashable, Sendable {
  /// The place in the ledger, from zero.
  public let sequence: Int
  /// What the clock said.
  public let date: Date
  /// When a change in this line is said to have been signed: at least one millisecond behind the
  /// line before; that of the line before when nothing signed holds what happened.
  public let stamp: Date
  /// What happened.
  public let event: LedgerEvent
}

public import Foundation
public import IAPModel

/// One transaction as the store keeps it.
public struct StoreTransactionRecord: Hashable, Sendable {
  /// The transaction.
  public let transactionID: TransactionID
  /// The first transaction of the product or subscription.
  public let originalTransactionID: OriginalTransactionID
  /// The billing event; only subscriptions have one.
  public let webOrderLineItemID: WebOrderLineItemID?
  /// The customer.
  public let account: AccountID
  /// The app.
  public let bundleID: BundleID
  /// The product.
  public let productID: ProductID
  /// The product's kind.
  public let type: ProductType
  /// The group of a subscription.
  public let groupID: SubscriptionGroupID?
  /// When it was charged, or the start of the renewed period; may lie in the future.
  public let purchaseDate: Date
  /// When the original was bought.
  public let originalPurchaseDate: Date
  /// When the period ends; only auto-renewable subscriptions have one.
  public var expiresDate: Date?
  /// How many.
  public let quantity: Int
  /// The token that came with the purchase.
  public internal(set) var appAccountToken: AppAccountToken?
  /// The user name that came with a StoreKit 1 purchase, as it came.
  public let applicationUsername: String?
  /// Whether the customer bought or the store renewed.
  public let reason: TransactionReason
  /// Whether the customer bought it or shares it.
  public let ownership: OwnershipType
  /// The offer that was used.
  public let offer: AppliedOffer?
  /// The storefront of the purchase.
  public let storefront: Storefront
  /// The amount charged in thousandths of the storefront's currency, for all of them.
  public let priceMilliunits: Int64
  /// The device that bought; nil for renewals.
  public let device: DeviceID?
  /// The question to the parent that this answers.
  public let pending: PendingID?
  /// When it was taken back.
  public var revocationDate: Date?
  /// Why it was taken back.
  public var revocationReason: RevocationReason?
  /// How it was taken back.
  public var revocationType: RevocationType?
  /// How much was paid back of a part, in thousandths of a percent.
  public var revocationPercentage: Int?
  /// What came of asking for the money back; nil while nobody asked.
  public internal(set) var refundRequest: RefundRequestRecord?
  /// Whether a higher level took its place.
  public var isUpgraded = false
  /// Whether the app has finished it, on any device of the account.
  public var isFinished = false
  /// When the record last changed: what signed data says it was signed at.
  ///
  /// Strictly increasing over all changes of a store, so it may run a few milliseconds ahead of the
  /// clock. For a restored copy it is when it was restored.
  public var modifiedDate: Date
  /// The transaction that this StoreKit 1 copy restores.
  public let restoredFrom: TransactionID?
  /// The purchaser's transaction that this family member's copy belongs to.
  public internal(set) var sharedFrom: TransactionID?

  /// Whether this is a copy that StoreKit 1 restored on one device.
  public var isRestoredCopy: Bool { restoredFrom != nil }
}

/// A transaction that is taken back.
public struct Revocation: Hashable, Sendable {
  /// Why.
  public var reason: RevocationReason
  /// How.
  public var type: RevocationType
  /// How much is paid back, in thousandths of a percent; nil for all of it.
  public var percentage: Int?

  /// Describes it.
  ///
  /// - Parameters:
  ///   - reason: Why.
  ///   - type: How.
  ///   - percentage: How much is paid back, in thousandths of a percent; nil for all of it.
  public init(reason: RevocationReason, type: RevocationType = .refundFull, percentage: Int? = nil)
  {
    self.reason = reason
    self.type = type
    self.percentage = percentage
  }
}

/// A customer asked for money back.
public struct RefundRequestRecord: Hashable, Sendable {
  /// What became of it.
  public enum Answer: String, Hashable, Sendable {
    /// Not decided.
    case waiting
    /// Paid back.
    case granted
    /// Not paid back.
    case declined
  }

  /// Why, in Apple's words.
  public let reason: ConsumptionRequestReason
  /// When it was asked.
  public let date: Date
  /// What became of it.
  public internal(set) var answer: Answer
}

/// Why a customer asks for money back.
///
/// - **Source:** App Store Server Notifications, `consumptionRequestReason`.
public enum ConsumptionRequestReason: String, Hashable, Sendable, CaseIterable {
  /// Bought by mistake.
  case unintendedPurchase = "UNINTENDED_PURCHASE"
  /// It did not arrive or does not work.
  case fulfillmentIssue = "FULFILLMENT_ISSUE"
  /// It is not what was expected.
  case unsatisfied = "UNSATISFIED_WITH_PURCHASE"
  /// The law.
  case legal = "LEGAL"
  /// Something else.
  case other = "OTHER"
}

/// An offer as it stands on a transaction.
public struct AppliedOffer: Hashable, Sendable {
  /// The kind.
  public let type: OfferType
  /// The identifier; absent for introductory offers.
  public let id: OfferID?
  /// How it is paid.
  public let discountType: OfferDiscountType
  /// The length of the whole offer; one-time products have none.
  public let period: SubscriptionPeriod?

  /// What the catalog has it under.
  public var reference: OfferReference { OfferReference(type: type, id: id) }
}

/// A purchase that waits for somebody.
public struct PendingPurchase: Hashable, Sendable {
  /// Who it waits for.
  public enum Cause: String, Hashable, Sendable {
    /// A parent, to approve.
    case askToBuy
    /// The customer, to agree to terms or mend the payment.
    case interruption
  }

  /// What became of it.
  public enum Answer: String, Hashable, Sendable {
    /// Nobody answered yet.
    case waiting
    /// Approved or settled: it was bought.
    case approved
    /// Declined.
    case declined
    /// Nobody answered in time.
    case lapsed
  }

  /// The question.
  public let id: PendingID
  /// Who it waits for.
  public let cause: Cause
  /// What the customer wants to buy.
  public let request: PurchaseRequest
  /// The customer.
  public let account: AccountID
  /// When it was asked.
  public let askedDate: Date
  /// What became of it.
  public internal(set) var answer: Answer
}

extension StoreTransactionRecord {
  /// Whether it is a period of the group that was sold with an introductory offer.
  ///
  /// Not inlined: inside the closures that ask for it, the optimiser of Swift 6.3.1 ends with an
  /// error in release builds.
  @inline(never)
  package func usedIntroductoryOffer(in group: SubscriptionGroupID) -> Bool {
    groupID == group && offer?.type == .introductory
  }
}

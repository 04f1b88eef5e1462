public import Foundation
public import IAPModel

/// An answer that says nothing more than that the request was taken.
public struct EmptyAnswer: Hashable, Sendable {}

/// An answer that comes in pages.
public protocol ServerAPIPage: Sendable {
  /// What the next page is asked for with; nil on a last page that has none.
  var mark: PageMark? { get }
  /// Whether there is a next page now.
  var hasMore: Bool { get }
}

/// Where a list goes on: opaque, given by the App Store.
public struct PageMark: Identifier {
  /// The spelling.
  public let rawValue: String
  /// Makes the mark from its spelling.
  public init(_ rawValue: String) { self.rawValue = rawValue }
}

/// A page of a customer's transactions or refunds.
public struct TransactionPage: Hashable, Sendable, ServerAPIPage {
  /// Compact JWS, unverified, in the order asked for.
  public let signedTransactions: [String]
  /// What the next page is asked for with; also the last page's can be kept and asked with later.
  public let mark: PageMark?
  /// Whether there is a next page now.
  public let hasMore: Bool
  /// The app; nil where the App Store leaves it out.
  public let bundleID: BundleID?
  /// Where it is from; nil where the App Store leaves it out.
  public let environment: StoreEnvironment?
}

/// The states of a customer's subscriptions.
public struct SubscriptionStatuses: Hashable, Sendable {
  /// One subscription of a group.
  public struct Item: Hashable, Sendable {
    /// The group.
    public let groupID: SubscriptionGroupID
    /// The subscription.
    public let originalTransactionID: OriginalTransactionID
    /// Its state.
    public let status: SubscriptionStatus
    /// Compact JWS of its latest transaction, unverified.
    public let signedTransaction: String
    /// Compact JWS of its renewal, unverified.
    public let signedRenewalInfo: String
  }

  /// The app.
  public let bundleID: BundleID?
  /// Where it is from.
  public let environment: StoreEnvironment?
  /// All subscriptions, group by group.
  public let items: [Item]
}

/// What belongs to the order id on a customer's invoice.
public struct OrderLookup: Hashable, Sendable {
  /// Whether the App Store knows such an order of this app.
  public let isValid: Bool
  /// Compact JWS, unverified.
  public let signedTransactions: [String]
}

/// What became of one extension.
public struct ExtensionAnswer: Hashable, Sendable {
  /// The subscription.
  public let originalTransactionID: OriginalTransactionID
  /// Whether the date moved.
  public let isDone: Bool
  /// The new end of the period.
  public let effectiveDate: Date?
}

/// How far a mass extension is.
public struct MassExtensionStatus: Hashable, Sendable {
  /// Whether everybody was looked at.
  public let isComplete: Bool
  /// When it ended.
  public let completeDate: Date?
  /// How many dates moved.
  public let succeededCount: Int64?
  /// How many did not.
  public let failedCount: Int64?
}

/// One attempt of the App Store to deliver a notification.
public struct SendAttempt: Hashable, Sendable {
  /// When.
  public let date: Date
  /// What came of it, for example `SUCCESS` or `TIMED_OUT`.
  public let result: String
}

/// A notification as the App Store sent it.
public struct SentNotification: Hashable, Sendable {
  /// Compact JWS, unverified.
  public let signedPayload: String
  /// The attempts so far, at most six.
  public let attempts: [SendAttempt]
}

/// A page of the notifications that the App Store sent.
public struct NotificationPage: Hashable, Sendable, ServerAPIPage {
  /// The notifications.
  public let notifications: [SentNotification]
  /// What the next page is asked for with.
  public let mark: PageMark?
  /// Whether there is a next page.
  public let hasMore: Bool
}

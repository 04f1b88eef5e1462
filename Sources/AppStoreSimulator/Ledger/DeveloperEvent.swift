public import Foundation
public import IAPModel

/// Something that a developer's server made the store do through the App Store Server API.
public enum DeveloperEvent: Hashable, Sendable {
  /// A subscription was given days.
  case renewalExtended(RenewalExtension)
  /// A transaction was tied to an account of the app.
  case appAccountTokenSet(TransactionID, AppAccountToken)
  /// The server said how much of a purchase was used.
  case consumptionSent(ConsumptionRecord)
  /// All subscribers of a product shall be given days.
  case massExtensionAsked(MassExtension)
  /// An app's retention messages changed.
  case retention(BundleID, RetentionEvent)
  /// All of them were asked after.
  case massExtensionDone(RequestIdentifier, succeeded: Int, failed: Int)
}

/// What a developer calls an extension, to ask after it later.
public struct RequestIdentifier: Identifier {
  /// The spelling.
  public let rawValue: String
  /// Makes the identifier from its spelling.
  public init(_ rawValue: String) { self.rawValue = rawValue }

  /// The longest that is accepted, in characters.
  ///
  /// - **Source:** App Store Server API, `requestIdentifier`.
  static let lengthMax = 128
}

/// Days that a subscription was given.
///
/// - **Source:** App Store Server API, "Extend a Subscription Renewal Date".
public struct RenewalExtension: Hashable, Sendable {
  /// The subscription.
  public let originalTransactionID: OriginalTransactionID
  /// The period that became longer.
  public let transactionID: TransactionID
  /// What the developer calls it.
  public let request: RequestIdentifier
  /// How many days were asked for, from 1 to 90.
  public let days: Int
  /// Why: 0 undeclared, 1 satisfaction, 2 other, 3 an outage.
  public let reason: Int
  /// When the period ends now.
  public let effectiveDate: Date
  /// When it was done.
  public let date: Date
}

/// Days for all subscribers of a product.
///
/// - **Source:** App Store Server API, "Extend Subscription Renewal Dates for All Active
///   Subscribers".
public struct MassExtension: Hashable, Sendable {
  /// What the developer calls it.
  public let request: RequestIdentifier
  /// The app.
  public let bundleID: BundleID
  /// The product.
  public let productID: ProductID
  /// How many days, from 1 to 90.
  public let days: Int
  /// Why.
  public let reason: Int
  /// The countries whose subscribers get them; nil for all.
  public let countries: [String]?
  /// When it was asked for.
  public let askedDate: Date
  /// When it was done; nil before.
  public internal(set) var completeDate: Date?
  /// How many subscriptions got the days.
  public internal(set) var succeededCount = 0
  /// How many could not be given them.
  public internal(set) var failedCount = 0
}

/// What a server said about the use of a purchase.
///
/// - **Source:** App Store Server API, "Send Consumption Information".
public struct ConsumptionRecord: Hashable, Sendable {
  /// The purchase.
  public let transactionID: TransactionID
  /// The interface's version, 1 or 2.
  public let version: Int
  /// What was sent, as it came.
  public let content: JSONObject
  /// When it was sent.
  public let date: Date
  /// Whether it answers a request that is not older than 12 hours; others are ignored.
  public let isInTime: Bool

  /// How long a request for information is open, in seconds.
  static let answerPeriod: TimeInterval = 12 * 3600
}

/// What the store remembers of such events.
struct ServerLedger: Hashable, Sendable {
  private(set) var extensions: [RenewalExtension] = []
  private(set) var consumptions: [ConsumptionRecord] = []
  private(set) var massExtensions: [MassExtension] = []
  private(set) var shelves: [BundleID: RetentionShelf] = [:]

  mutating func apply(_ event: DeveloperEvent, at date: Date) {
    switch event {
    case .renewalExtended(let record): extensions.append(record)
    case .appAccountTokenSet: break
    case .consumptionSent(let record): consumptions.append(record)
    case .massExtensionAsked(let record): massExtensions.append(record)
    case .retention(let app, let change): shelves[app, default: RetentionShelf()].apply(change)
    case .massExtensionDone(let request, let succeeded, let failed):
      guard let place = massExtensions.firstIndex(where: { $0.request == request }) else { return }
      massExtensions[place].completeDate = date
      massExtensions[place].succeededCount = succeeded
      massExtensions[place].failedCount = failed
    }
  }
}

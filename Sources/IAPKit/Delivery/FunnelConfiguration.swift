public import Foundation
package import IAPModel

/// How the delivery funnel behaves.
package struct FunnelConfiguration: Sendable {
  /// A hint for the validator; signed data decides.
  package var isSandbox: Bool
  package var retry: RetryPolicy
  package var quarantine: QuarantinePolicy
  package var orders: OrderPolicy
  /// Whether delivery waits for ``DeliveryFunnel/openDelivery()``: the app's login, for example.
  package var holdsDelivery: Bool
  package var retention: RetentionPolicy
  /// Who uses the app.
  package var account: SignedInAccount
  /// Puts a quarantined order into a review queue in place of the validator; throwing means "again
  /// later".
  package var reportQuarantine: (@Sendable (QuarantineReport) async throws -> Void)?

  package init(
    isSandbox: Bool = false,
    retry: RetryPolicy = RetryPolicy(),
    quarantine: QuarantinePolicy = QuarantinePolicy(),
    orders: OrderPolicy = OrderPolicy(),
    holdsDelivery: Bool = false,
    retention: RetentionPolicy = RetentionPolicy(),
    account: SignedInAccount = SignedInAccount(),
    reportQuarantine: (@Sendable (QuarantineReport) async throws -> Void)? = nil
  ) {
    self.isSandbox = isSandbox
    self.retry = retry
    self.quarantine = quarantine
    self.orders = orders
    self.holdsDelivery = holdsDelivery
    self.retention = retention
    self.account = account
    self.reportQuarantine = reportQuarantine
  }
}

extension FunnelConfiguration {
  /// What an app's configuration says.
  init(_ configuration: IAPConfiguration, account: SignedInAccount) {
    self.init(
      isSandbox: configuration.isSandbox,
      retry: configuration.retry,
      quarantine: configuration.quarantine,
      orders: configuration.orders,
      holdsDelivery: configuration.holdsDelivery,
      retention: configuration.retention,
      account: account
    )
  }
}

/// When something that failed is tried again.
public struct RetryPolicy: Hashable, Sendable {
  /// Seconds before the second attempt.
  public var firstDelay: TimeInterval
  /// The longest wait in seconds, before jitter.
  public var longestDelay: TimeInterval
  /// By what a wait grows after each attempt.
  public var factor: Double
  /// How much of a wait is left to chance, from 0 to 1.
  public var jitter: Double

  /// Makes a policy; by default the wait doubles from 2 seconds to an hour, less up to a half.
  public init(
    firstDelay: TimeInterval = 2,
    longestDelay: TimeInterval = 3600,
    factor: Double = 2,
    jitter: Double = 0.5
  ) {
    self.firstDelay = firstDelay
    self.longestDelay = longestDelay
    self.factor = factor
    self.jitter = jitter
  }

  /// The wait after so many attempts.
  ///
  /// - Parameters:
  ///   - attempts: How often it was tried, at least once.
  ///   - random: A number from 0 up to, not including, 1.
  /// - Returns: Seconds, never more than ``longestDelay``.
  package func delay(afterAttempts attempts: Int, random: Double) -> TimeInterval {
    let grown = firstDelay * pow(factor, Double(min(max(attempts, 1), 64) - 1))
    return min(longestDelay, grown) * (1 - jitter * random)
  }
}

/// When an order is set aside for a person to look at.
public struct QuarantinePolicy: Hashable, Sendable {
  /// How many explicit refusals are borne; one more sets the order aside.
  public var rejectionsBorne: Int
  /// Whether every failed check counts, not explicit refusals only.
  public var countsEveryFailure: Bool
  /// After how many launches without an answer an order is shown as set aside.
  public var unansweredLaunches: Int
  /// After how many seconds without an answer an order is shown as set aside.
  ///
  /// Both must be reached.
  public var unansweredSeconds: TimeInterval
  /// After how many seconds without an answer of the app's handler its order is shown, and the
  /// caller of the purchase told that it is being processed.
  ///
  /// The handler is waited for all the same.
  public var handlerSeconds: TimeInterval

  /// Makes a policy.
  public init(
    rejectionsBorne: Int = 3,
    countsEveryFailure: Bool = false,
    unansweredLaunches: Int = 3,
    unansweredSeconds: TimeInterval = 72 * 3600,
    handlerSeconds: TimeInterval = 60
  ) {
    self.rejectionsBorne = rejectionsBorne
    self.countsEveryFailure = countsEveryFailure
    self.unansweredLaunches = unansweredLaunches
    self.unansweredSeconds = unansweredSeconds
    self.handlerSeconds = handlerSeconds
  }
}

/// How orders are opened, joined and closed.
public struct OrderPolicy: Hashable, Sendable {
  /// How many purchases may be in flight.
  public enum Concurrency: Hashable, Sendable {
    /// One of each product.
    case onePerProduct
    /// One at all.
    case oneAtAll
  }

  /// What a second tap does while the purchase is in flight.
  public enum SecondTap: Hashable, Sendable {
    /// It fails with ``IAPError/purchaseInProgress``.
    case refuse
    /// It gets the outcome of the first.
    case join
  }

  /// What becomes of a text for a user that is no UUID, and so cannot travel with a payment.
  public enum AccountTexts: Hashable, Sendable {
    /// The purchase fails with ``IAPError/invalidOrder(reason:)``.
    case refused
    /// A UUID made from it travels: ``PurchaseOptions/accountToken(for:)``.
    case derived
  }

  /// How many purchases may be in flight.
  public var concurrency: Concurrency
  /// What a second tap does.
  public var secondTap: SecondTap
  /// Seconds after which an open order of an earlier process no longer counts as in flight.
  public var inFlightSeconds: TimeInterval
  /// Seconds during which a closed order is reopened by a transaction that belongs to it.
  public var reopenSeconds: TimeInterval
  /// The user's UUID, when it shall travel with payments in place of the order's number.
  public var userToken: UUID?
  /// What becomes of a text for a user that is no UUID.
  public var accountTexts = AccountTexts.refused

  /// Makes a policy.
  public init(
    concurrency: Concurrency = .onePerProduct,
    secondTap: SecondTap = .refuse,
    inFlightSeconds: TimeInterval = 120,
    reopenSeconds: TimeInterval = 30 * 86_400,
    userToken: UUID? = nil
  ) {
    self.concurrency = concurrency
    self.secondTap = secondTap
    self.inFlightSeconds = inFlightSeconds
    self.reopenSeconds = reopenSeconds
    self.userToken = userToken
  }
}

/// What a purchase is opened for, before it is an order.
package struct OrderDraft: Hashable, Sendable {
  package var productID: ProductID
  package var quantity: Int
  /// The app's own number of the order: a UUID, or any other text.
  package var number: String?
  package var account: CustomerID?
  /// A token in place of the order's number for this purchase only: a UUID, or a text that the
  /// policy refuses or derives one from.
  package var accountToken: String?
  package var context: [String: String]
  package var origin = Order.Origin.purchase

  package init(
    productID: ProductID,
    quantity: Int = 1,
    number: String? = nil,
    account: CustomerID? = nil,
    accountToken: String? = nil,
    context: [String: String] = [:]
  ) {
    self.productID = productID
    self.quantity = quantity
    self.number = number
    self.account = account
    self.accountToken = accountToken
    self.context = context
  }
}

/// Why waiting transactions are tried again at once.
package enum RetryTrigger: String, Hashable, Sendable, CaseIterable {
  case launch, foreground, networkBack, accountChanged
}

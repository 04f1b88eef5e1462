public import Foundation
public import IAPModel

/// The app's own record of one intent to buy, written before the payment sheet opens.
public struct Order: Hashable, Sendable, Codable, Identifiable {
  /// How far an order is.
  public enum State: String, Hashable, Sendable, Codable, CaseIterable {
    /// The sheet was opened and its end is not known.
    case opened
    /// Waits for somebody else (a parent, the bank).
    case pending
    /// A plan change that takes effect at the next renewal.
    case scheduled
    /// Paid; not handed over yet.
    case paid
    /// Paid and handed over.
    case delivered
    /// The customer closed the sheet. A later transaction may reopen it.
    case cancelled
    /// The sheet ended with an error. A later transaction may reopen it.
    case failed
    /// Paid and set aside for a person to look at.
    case quarantined
    /// Paid, and the app's handler refused to hand it over.
    case refused
  }

  /// How an order began.
  public enum Origin: String, Hashable, Sendable, Codable, CaseIterable {
    /// In the app.
    case purchase
    /// In the App Store, as a promoted purchase.
    case promoted
    /// With the sheet for offer codes.
    case offerCode
  }

  /// The number: a UUID.
  public let number: OrderNumber
  /// The app's own number, when it gave one that is no UUID.
  public let merchantNumber: String?
  /// The product; empty until a redeemed code says it.
  public package(set) var productId: ProductID
  /// How many, 1 to 10.
  public let quantity: Int
  /// The account that made the order.
  public let account: CustomerID?
  /// What travels with the payment: the number, or the user's UUID by configuration.
  public let accountToken: AppAccountToken
  /// What the app wants to know again at delivery.
  public let context: [String: String]
  /// When it was opened.
  public let createdAt: Date
  /// How far it is.
  public package(set) var state: State
  /// When the state changed last.
  public package(set) var updatedAt: Date
  /// Until when an open sheet counts as open.
  public package(set) var inFlightUntil: Date
  /// Nil in journals from before there were others than purchases.
  let begunAs: Origin?
  /// The transaction that paid for it.
  public package(set) var transactionId: TransactionID?
  /// The code of the error that ended it.
  public package(set) var failure: String?

  /// How it began.
  public var origin: Origin { begunAs ?? .purchase }
  /// The number as text, for `Identifiable`.
  public var id: String { number.description }
  /// The number as the app knows it: its own one when it gave one.
  public var displayNumber: String { merchantNumber ?? number.description }
}

public import Foundation
import HTTPValues
public import IAPModel

/// Which of a customer's transactions are asked for; nothing named means all of them.
///
/// The same filter has to be sent with every page.
public struct HistoryFilter: Hashable, Sendable {
  /// By when a transaction was changed last.
  public enum Order: String, Hashable, Sendable {
    /// The oldest change first: the order in which a kept mark makes sense.
    case ascending = "ASCENDING"
    /// The newest change first.
    case descending = "DESCENDING"
  }

  /// Bought at or after this.
  public var start: Date?
  /// Bought before this.
  public var end: Date?
  /// Of these products.
  public var productIDs: [ProductID]
  /// Of these types, as this endpoint spells them, for example `AUTO_RENEWABLE`.
  public var productTypes: [String]
  /// Of these groups.
  public var groupIDs: [SubscriptionGroupID]
  /// Bought by the customer, or shared with them.
  public var ownership: OwnershipType?
  /// Only what was taken back, or only what was not.
  public var isRevoked: Bool?
  /// The order of the pages.
  public var order: Order

  /// Makes a filter.
  ///
  /// - Parameters:
  ///   - start: Bought at or after this.
  ///   - end: Bought before this.
  ///   - productIDs: Of these products.
  ///   - productTypes: Of these types.
  ///   - groupIDs: Of these groups.
  ///   - ownership: Bought or shared.
  ///   - isRevoked: Only what was taken back, or only what was not.
  ///   - order: The order of the pages.
  public init(
    start: Date? = nil,
    end: Date? = nil,
    productIDs: [ProductID] = [],
    productTypes: [String] = [],
    groupIDs: [SubscriptionGroupID] = [],
    ownership: OwnershipType? = nil,
    isRevoked: Bool? = nil,
    order: Order = .ascending
  ) {
    self.start = start
    self.end = end
    self.productIDs = productIDs
    self.productTypes = productTypes
    self.groupIDs = groupIDs
    self.ownership = ownership
    self.isRevoked = isRevoked
    self.order = order
  }

  var query: [(name: String, value: String)] {
    var items: [(name: String, value: String)] = []
    if let start { items.append(("startDate", String(start.milliseconds))) }
    if let end { items.append(("endDate", String(end.milliseconds))) }
    items += productIDs.map { ("productId", $0.rawValue) }
    items += productTypes.map { ("productType", $0) }
    items += groupIDs.map { ("subscriptionGroupIdentifier", $0.rawValue) }
    if let ownership { items.append(("inAppOwnershipType", ownership.rawValue)) }
    if let isRevoked { items.append(("revoked", isRevoked ? "true" : "false")) }
    items.append(("sort", order.rawValue))
    return items
  }
}

extension ServerAPIRequest where Answer == TransactionPage {
  /// A page of all that a customer bought in the app.
  ///
  /// A transaction comes again when it was changed: take the newest.
  ///
  /// - Parameters:
  ///   - id: Any of the customer's transaction ids, or their app transaction id.
  ///   - filter: Which transactions.
  ///   - mark: What the page before gave; nil for the first.
  /// - Returns: The request.
  public static func history(
    of id: TransactionID,
    _ filter: HistoryFilter = HistoryFilter(),
    from mark: PageMark? = nil
  ) -> Self {
    let revision = mark.map { [(name: "revision", value: $0.rawValue)] } ?? []
    return Self(
      .transactionHistory,
      .get,
      ["inApps", "v2", "history", id.rawValue],
      query: filter.query + revision
    ) { object throws(PayloadError) in try TransactionPage(object) }
  }

  /// A page of all that was paid back to a customer, the oldest first.
  ///
  /// - Parameters:
  ///   - id: Any of the customer's transaction ids.
  ///   - mark: What the page before gave; nil for the first.
  /// - Returns: The request.
  public static func refunds(of id: TransactionID, from mark: PageMark? = nil) -> Self {
    Self(
      .refundHistory,
      .get,
      ["inApps", "v2", "refund", "lookup", id.rawValue],
      query: mark.map { [(name: "revision", value: $0.rawValue)] } ?? []
    ) { object throws(PayloadError) in try TransactionPage(object) }
  }
}

extension ServerAPIRequest where Answer == String {
  /// One transaction, as a compact JWS.
  ///
  /// - Parameter id: The transaction; a restored copy's id works too.
  /// - Returns: The request.
  public static func transaction(_ id: TransactionID) -> Self {
    Self(.transactionInfo, .get, ["inApps", "v1", "transactions", id.rawValue]) {
      object throws(PayloadError) in
      var reader = MemberReader(object)
      return try reader.requiredText("signedTransactionInfo")
    }
  }

  /// What a customer is to the app, as a compact JWS.
  ///
  /// - Parameter id: Any of the customer's transaction ids.
  /// - Returns: The request.
  public static func appTransaction(of id: TransactionID) -> Self {
    let path = ["inApps", "v1", "transactions", "appTransactions", id.rawValue]
    return Self(.appTransactionInfo, .get, path) { object throws(PayloadError) in
      var reader = MemberReader(object)
      return try reader.requiredText("signedAppTransactionInfo")
    }
  }
}

extension ServerAPIRequest where Answer == SubscriptionStatuses {
  /// The states of a customer's subscriptions.
  ///
  /// - Parameters:
  ///   - id: Any of the customer's transaction ids.
  ///   - statuses: Only these; none for all.
  /// - Returns: The request.
  public static func subscriptionStatuses(
    of id: TransactionID,
    only statuses: [SubscriptionStatus] = []
  ) -> Self {
    Self(
      .subscriptionStatuses,
      .get,
      ["inApps", "v1", "subscriptions", id.rawValue],
      query: statuses.map { ("status", String($0.rawValue)) }
    ) { object throws(PayloadError) in try SubscriptionStatuses(object) }
  }
}

/// The id of an order as the customer reads it on Apple's invoice.
public struct AppStoreOrderID: Identifier {
  /// The spelling.
  public let rawValue: String
  /// Makes the identifier from its spelling.
  public init(_ rawValue: String) { self.rawValue = rawValue }
}

extension ServerAPIRequest where Answer == OrderLookup {
  /// What belongs to the order id on a customer's invoice; only in production.
  ///
  /// - Parameter orderID: The id as the customer reads it.
  /// - Returns: The request.
  public static func order(_ orderID: AppStoreOrderID) -> Self {
    Self(.orderLookup, .get, ["inApps", "v1", "lookup", orderID.rawValue]) {
      object throws(PayloadError) in try OrderLookup(object)
    }
  }
}

extension ServerAPIRequest where Answer == EmptyAnswer {
  /// Sets the token that a purchase belongs to, for it and its later renewals.
  ///
  /// - Parameters:
  ///   - token: The account or order.
  ///   - id: The original transaction.
  /// - Returns: The request.
  public static func setAppAccountToken(
    _ token: AppAccountToken,
    of id: OriginalTransactionID
  ) -> Self {
    Self(
      .appAccountToken,
      .put,
      ["inApps", "v1", "transactions", id.rawValue, "appAccountToken"],
      body: .json(["appAccountToken": .string(token.description)])
    ) { _ in EmptyAnswer() }
  }

  /// Finishes a transaction in the customer's place.
  ///
  /// - Parameter id: The transaction.
  /// - Returns: The request.
  public static func finish(_ id: TransactionID) -> Self {
    Self(.finishTransaction, .post, ["inApps", "v1", "transactions", id.rawValue, "finish"]) { _ in
      EmptyAnswer()
    }
  }
}

public import Foundation
public import IAPModel

/// Which product opens what.
///
/// A product without a rule opens an entitlement of its own name, so that an app without a catalog
/// has one entitlement for each product.
public struct EntitlementCatalog: Hashable, Sendable {
  /// What one product opens.
  public struct Rule: Hashable, Sendable {
    /// The entitlements that the product opens.
    public var entitlements: [EntitlementID]
    /// The level of service in its group, 1 being the highest; nil counts as the lowest.
    public var level: Int?
    /// How long one non-renewing purchase gives access; nil means without end.
    public var accessPeriod: SubscriptionPeriod?

    /// Makes a rule.
    ///
    /// - Parameters:
    ///   - entitlements: The entitlements that the product opens.
    ///   - level: The level of service in its group; 1 is the highest.
    ///   - accessPeriod: How long one non-renewing purchase gives access.
    public init(
      _ entitlements: [EntitlementID],
      level: Int? = nil,
      accessPeriod: SubscriptionPeriod? = nil
    ) {
      self.entitlements = entitlements
      self.level = level
      self.accessPeriod = accessPeriod
    }
  }

  /// The rules.
  public var rules: [ProductID: Rule]
  /// Whether, in one subscription group, only the highest level that a customer has counts; for
  /// customers who both buy and share.
  public var onlyHighestLevelCounts: Bool

  /// Makes a catalog.
  ///
  /// - Parameters:
  ///   - rules: The rules.
  ///   - onlyHighestLevelCounts: Whether only the highest level of a group counts.
  public init(rules: [ProductID: Rule] = [:], onlyHighestLevelCounts: Bool = false) {
    self.rules = rules
    self.onlyHighestLevelCounts = onlyHighestLevelCounts
  }

  /// What a product opens.
  public func rule(for product: ProductID) -> Rule {
    rules[product] ?? Rule([EntitlementID(product.rawValue)])
  }
}

/// A word that says where access comes from.
public struct EntitlementSource: Hashable, Sendable, RawRepresentable, CustomStringConvertible {
  /// The word.
  public let rawValue: String
  /// Makes a source from its word.
  public init(rawValue: String) { self.rawValue = rawValue }
  /// The word.
  public var description: String { rawValue }
  /// An auto-renewable subscription.
  public static let subscription = Self(rawValue: "subscription")
  /// A product that is kept for ever.
  public static let nonConsumable = Self(rawValue: "nonConsumable")
  /// A subscription for a time that the app defines.
  public static let nonRenewable = Self(rawValue: "nonRenewable")
}

/// A word that says why there is access, or why there is none any more.
public struct EntitlementReason: Hashable, Sendable, RawRepresentable, CustomStringConvertible {
  /// The word.
  public let rawValue: String
  /// Makes a reason from its word.
  public init(rawValue: String) { self.rawValue = rawValue }
  /// The word.
  public var description: String { rawValue }
  /// The subscription is paid.
  public static let subscribed = Self(rawValue: "subscribed")
  /// The charge failed, and the grace period keeps access.
  public static let inGracePeriod = Self(rawValue: "inGracePeriod")
  /// The product is owned.
  public static let owned = Self(rawValue: "owned")
  /// The time that the app defines is running, or the app defines none.
  public static let withinPeriod = Self(rawValue: "withinPeriod")
  /// The time is over.
  public static let expired = Self(rawValue: "expired")
  /// The charge failed and there is no grace.
  public static let inBillingRetry = Self(rawValue: "inBillingRetry")
  /// The App Store took the purchase back.
  public static let revoked = Self(rawValue: "revoked")
  /// A higher level of the same group counts instead.
  public static let higherLevelHeld = Self(rawValue: "higherLevelHeld")
}

/// Access to a feature through one product.
public struct Entitlement: Hashable, Sendable {
  /// The feature.
  public let id: EntitlementID
  /// The product that opens it.
  public let productID: ProductID
  /// The transaction that decides.
  public let transactionID: TransactionID
  /// The purchase or subscription.
  public let originalTransactionID: OriginalTransactionID
  /// The end of access, exclusive; nil without end.
  public let until: Date?
  /// Where access comes from.
  public let source: EntitlementSource
  /// Why there is access.
  public let reason: EntitlementReason
  /// Whether the customer bought it or shares it; nil when the facts do not say.
  public let ownership: OwnershipType?
}

/// Access that once was and is no more.
public struct LapsedEntitlement: Hashable, Sendable {
  /// The feature.
  public let id: EntitlementID
  /// The product that opened it.
  public let productID: ProductID
  /// The purchase or subscription.
  public let originalTransactionID: OriginalTransactionID
  /// Why it is no more.
  public let reason: EntitlementReason
  /// Since when.
  public let since: Date
}

/// What a customer may use at one instant.
public struct AccessReport: Hashable, Sendable {
  /// Access that there is: the best one for each entitlement and product, in order of their names.
  public let entitlements: [Entitlement]
  /// Access that there was, for entitlements and products that give none now.
  public let lapsed: [LapsedEntitlement]

  /// The access to one feature that lasts longest; nil when there is none.
  public func access(to id: EntitlementID) -> Entitlement? {
    entitlements.filter { $0.id == id }.max { $0.endsEarlier(than: $1) }
  }

  /// The products that give access.
  public var productIDs: Set<ProductID> { Set(entitlements.map(\.productID)) }

  /// The next instant at which something ends and the report has to be made again.
  public var nextChange: Date? { entitlements.compactMap(\.until).min() }
}

extension Entitlement {
  /// Whether this access ends before the other's; without end is last, ties go by transaction.
  func endsEarlier(than other: Entitlement) -> Bool {
    let (mine, theirs) = (until ?? .distantFuture, other.until ?? .distantFuture)
    if mine != theirs { return mine < theirs }
    return (productID, transactionID) < (other.productID, other.transactionID)
  }
}

extension AccessReport {
  /// No access and none that ever was.
  public static let none = AccessReport(entitlements: [], lapsed: [])
}

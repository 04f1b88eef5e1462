public import Foundation

/// A text that names one thing, as a type of its own.
///
/// The spelling is kept exactly as it came; two identifiers are equal when their texts are.
/// An identifier is not a secret, but customer and account identifiers are personal: log the
/// ``redacted`` form.
public protocol Identifier: RawRepresentable, Hashable, Comparable, Sendable, Codable,
  CustomStringConvertible, ExpressibleByStringLiteral
where RawValue == String {
  /// Makes the identifier from its spelling.
  init(_ rawValue: String)
}

extension Identifier {
  /// Makes the identifier from its spelling; never fails.
  public init(rawValue: String) { self.init(rawValue) }

  /// Makes the identifier from a literal.
  public init(stringLiteral value: String) { self.init(value) }

  /// The spelling.
  public var description: String { rawValue }

  /// Orders identifiers by their spelling.
  public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

  /// Reads the spelling as a single text value.
  public init(from decoder: any Decoder) throws {
    self.init(try decoder.singleValueContainer().decode(String.self))
  }

  /// Writes the spelling as a single text value.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(rawValue)
  }

  /// The last four characters behind an ellipsis: enough for support, too little to look up.
  public var redacted: String { "…" + rawValue.suffix(4) }
}

/// The identifier of a product as it is set up in App Store Connect.
public struct ProductID: Identifier {
  /// The spelling.
  public let rawValue: String
  /// Makes the identifier from its spelling.
  public init(_ rawValue: String) { self.rawValue = rawValue }
}

/// The App Store's identifier of one transaction: new for each purchase, renewal and restored copy.
public struct TransactionID: Identifier {
  /// The spelling: decimal digits, kept as text because it may exceed 2^53.
  public let rawValue: String
  /// Makes the identifier from its spelling.
  public init(_ rawValue: String) { self.rawValue = rawValue }
}

/// The identifier of the first transaction of a product, or of a subscription group.
public struct OriginalTransactionID: Identifier {
  /// The spelling: decimal digits.
  public let rawValue: String
  /// Makes the identifier from its spelling.
  public init(_ rawValue: String) { self.rawValue = rawValue }
}

/// The identifier of one billing event of an auto-renewable subscription, the same on all devices.
public struct WebOrderLineItemID: Identifier {
  /// The spelling: decimal digits.
  public let rawValue: String
  /// Makes the identifier from its spelling.
  public init(_ rawValue: String) { self.rawValue = rawValue }
}

/// The bundle identifier of an app.
public struct BundleID: Identifier {
  /// The spelling.
  public let rawValue: String
  /// Makes the identifier from its spelling.
  public init(_ rawValue: String) { self.rawValue = rawValue }
}

/// The identifier of a group of auto-renewable subscriptions.
public struct SubscriptionGroupID: Identifier {
  /// The spelling.
  public let rawValue: String
  /// Makes the identifier from its spelling.
  public init(_ rawValue: String) { self.rawValue = rawValue }
}

/// The identifier of a promotional, win-back or code offer.
public struct OfferID: Identifier {
  /// The spelling.
  public let rawValue: String
  /// Makes the identifier from its spelling.
  public init(_ rawValue: String) { self.rawValue = rawValue }
}

/// The identifier of one App Store Server Notification, the same at every attempt to send it.
public struct NotificationUUID: Identifier {
  /// The spelling: a UUID, kept as it came.
  public let rawValue: String
  /// Makes the identifier from its spelling.
  public init(_ rawValue: String) { self.rawValue = rawValue }
}

/// The identifier of one Apple Account's download of one app.
public struct AppTransactionID: Identifier {
  /// The spelling.
  public let rawValue: String
  /// Makes the identifier from its spelling.
  public init(_ rawValue: String) { self.rawValue = rawValue }
}

/// The App Store's number of a storefront: a country or region in which it sells.
public struct StorefrontID: Identifier {
  /// The spelling: decimal digits.
  public let rawValue: String
  /// Makes the identifier from its spelling.
  public init(_ rawValue: String) { self.rawValue = rawValue }
}

/// The identifier of a customer at the server: the app's own name for a user, or one we made.
public struct CustomerID: Identifier {
  /// The spelling.
  public let rawValue: String
  /// Makes the identifier from its spelling.
  public init(_ rawValue: String) { self.rawValue = rawValue }
}

/// The identifier of an entitlement: access to a feature, named by the app.
public struct EntitlementID: Identifier {
  /// The spelling.
  public let rawValue: String
  /// Makes the identifier from its spelling.
  public init(_ rawValue: String) { self.rawValue = rawValue }
}

/// The identifier of one installation of the app on one device.
public struct InstallationID: Identifier {
  /// The spelling.
  public let rawValue: String
  /// Makes the identifier from its spelling.
  public init(_ rawValue: String) { self.rawValue = rawValue }
}

/// The name of what was paid for: goods are granted once for each unit (design, invariant 3).
public struct UnitID: Identifier {
  /// The spelling, for example `tx:2000000012345678`.
  public let rawValue: String
  /// Makes the identifier from its spelling.
  public init(_ rawValue: String) { self.rawValue = rawValue }
}

/// The number that the App Store gives to an app.
public struct AppAppleID: RawRepresentable, Hashable, Comparable, Sendable, Codable,
  CustomStringConvertible
{
  /// The number.
  public let rawValue: Int64
  /// Makes the identifier from its number.
  public init(rawValue: Int64) { self.rawValue = rawValue }
  /// Makes the identifier from its number.
  public init(_ rawValue: Int64) { self.rawValue = rawValue }
  /// The decimal digits.
  public var description: String { String(rawValue) }
  /// Orders by number.
  public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// A UUID that travels with a purchase and ties it to the app's own order or user.
///
/// Apple writes it in lower case; ``description`` does too.
public struct AppAccountToken: RawRepresentable, Hashable, Sendable, Codable,
  CustomStringConvertible
{
  /// The UUID.
  public let rawValue: UUID
  /// Makes the token from a UUID.
  public init(rawValue: UUID) { self.rawValue = rawValue }
  /// Makes the token from a UUID.
  public init(_ rawValue: UUID) { self.rawValue = rawValue }
  /// Makes the token from its 36-character text, in either case; nil when it is no UUID.
  public init?(_ text: String) {
    guard let uuid = UUID(uuidString: text) else { return nil }
    self.rawValue = uuid
  }
  /// The 36 characters in lower case.
  public var description: String { rawValue.uuidString.lowercased() }
}

/// The number of an order: the app's own record of one intent to buy.
///
/// It is a UUID, so that it can travel as the account token of the purchase.
public struct OrderNumber: RawRepresentable, Hashable, Comparable, Sendable, Codable,
  CustomStringConvertible
{
  /// The UUID.
  public let rawValue: UUID
  /// Makes the number from a UUID.
  public init(rawValue: UUID) { self.rawValue = rawValue }
  /// Makes the number from a UUID.
  public init(_ rawValue: UUID) { self.rawValue = rawValue }
  /// Makes the number from its 36-character text, in either case; nil when it is no UUID.
  public init?(_ text: String) {
    guard let uuid = UUID(uuidString: text) else { return nil }
    self.rawValue = uuid
  }
  /// The 36 characters in lower case.
  public var description: String { rawValue.uuidString.lowercased() }
  /// The token that carries this number through the store.
  public var accountToken: AppAccountToken { AppAccountToken(rawValue) }
  /// Orders by the text form.
  public static func < (left: Self, right: Self) -> Bool { left.description < right.description }
}

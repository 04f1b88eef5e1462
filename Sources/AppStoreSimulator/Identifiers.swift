public import IAPModel

/// The identifier of one Apple Account in the simulated store.
public struct AccountID: Identifier {
  /// The spelling.
  public let rawValue: String
  /// Makes the identifier from its spelling.
  public init(_ rawValue: String) { self.rawValue = rawValue }
}

/// The identifier of one device: a telephone with one app installed, signed in to one account.
///
/// A second app on the same telephone is a second device of the same account.
public struct DeviceID: Identifier {
  /// The spelling.
  public let rawValue: String
  /// Makes the identifier from its spelling.
  public init(_ rawValue: String) { self.rawValue = rawValue }
}

/// The identifier of a purchase that waits for a parent's answer.
public struct PendingID: Identifier {
  /// The spelling.
  public let rawValue: String
  /// Makes the identifier from its spelling.
  public init(_ rawValue: String) { self.rawValue = rawValue }
}

/// The identifier of a family.
public struct FamilyID: Identifier {
  /// The spelling.
  public let rawValue: String
  /// Makes the identifier from its spelling.
  public init(_ rawValue: String) { self.rawValue = rawValue }
}

/// What a customer types in to redeem an offer; in tests the offer's reference name.
public struct OfferCode: Identifier {
  /// The spelling.
  public let rawValue: String
  /// Makes the code from its spelling.
  public init(_ rawValue: String) { self.rawValue = rawValue }
}

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

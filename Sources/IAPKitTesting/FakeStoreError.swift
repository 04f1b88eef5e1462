/// Why a fake store cannot do what a test asks for: the test's own mistake.
public struct FakeStoreError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The stable name of a mistake.
  public struct Code: RawRepresentable, Hashable, Sendable {
    /// The stable name.
    public let rawValue: String
    /// Makes a code from its name.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// The store sells no such product.
    public static let unknownProduct = Self(rawValue: "unknownProduct")
    /// The product has no offer of this id.
    public static let unknownOffer = Self(rawValue: "unknownOffer")
    /// There is no such transaction.
    public static let unknownTransaction = Self(rawValue: "unknownTransaction")
    /// Nobody has to be asked about the product.
    public static let nothingPending = Self(rawValue: "nothingPending")
    /// The customer has no such subscription.
    public static let notSubscribed = Self(rawValue: "notSubscribed")
    /// No charge of the subscription has failed.
    public static let nothingOverdue = Self(rawValue: "nothingOverdue")
    /// No app was launched.
    public static let notLaunched = Self(rawValue: "notLaunched")
    /// No payment sheet is open.
    public static let noSheet = Self(rawValue: "noSheet")
  }

  /// What is wrong.
  public let code: Code
  /// What it is about: a product, an offer or a transaction.
  public let subject: String

  /// Makes an error.
  ///
  /// - Parameters:
  ///   - code: What is wrong.
  ///   - subject: What it is about.
  public init(code: Code, subject: String) {
    self.code = code
    self.subject = subject
  }

  /// The code and what it is about.
  public var description: String { "FakeStoreError.\(code.rawValue)(\(subject))" }
}

import HTTPValues
public import IAPModel

/// The name that the developer gives a request for an extension.
public struct RenewalExtensionID: Identifier {
  /// The spelling.
  public let rawValue: String
  /// Makes the identifier from its spelling.
  public init(_ rawValue: String) { self.rawValue = rawValue }
}

/// A later end of a subscription's running period.
///
/// - **Source:** App Store Server API, "Extend a Subscription Renewal Date".
public struct RenewalExtension: Hashable, Sendable {
  /// Why it is given.
  public enum Reason: Int, Hashable, Sendable, CaseIterable {
    /// Not said.
    case undeclared = 0
    /// To please the customer.
    case customerSatisfaction = 1
    /// Another reason.
    case other = 2
    /// A failure of the service.
    case serviceIssue = 3
  }

  /// The fewest and the most days.
  public static let daysAllowed = 1...90
  /// The longest identifier, in characters.
  public static let requestIdentifierLengthMax = 128

  /// How many days later.
  public let days: Int
  /// Why.
  public let reason: Reason
  /// What the request is found again by.
  public let requestIdentifier: RenewalExtensionID

  /// Describes an extension.
  ///
  /// - Parameters:
  ///   - days: How many days later, 1 to 90.
  ///   - reason: Why.
  ///   - requestIdentifier: What the request is found again by, at most 128 characters.
  /// - Throws: ``AppStoreServerError/Code/requestInvalid`` for what the App Store would refuse.
  public init(
    days: Int,
    reason: Reason,
    requestIdentifier: RenewalExtensionID
  ) throws(AppStoreServerError) {
    guard Self.daysAllowed.contains(days) else {
      throw AppStoreServerError(.requestInvalid, "\(days) days are not 1 to 90")
    }
    guard (1...Self.requestIdentifierLengthMax).contains(requestIdentifier.rawValue.count) else {
      throw AppStoreServerError(.requestInvalid, "an identifier has 1 to 128 characters")
    }
    self.days = days
    self.reason = reason
    self.requestIdentifier = requestIdentifier
  }

  var members: [JSONMember] {
    [
      JSONMember("extendByDays", .integer(Int64(days))),
      JSONMember("extendReasonCode", .integer(Int64(reason.rawValue))),
      JSONMember("requestIdentifier", .string(requestIdentifier.rawValue)),
    ]
  }
}

extension ServerAPIRequest where Answer == ExtensionAnswer {
  /// Moves the end of one subscription's period.
  ///
  /// It is not known whether a second request with the same identifier moves it again, so one
  /// whose answer was lost is not repeated.
  ///
  /// - Parameters:
  ///   - id: The subscription.
  ///   - renewal: By how much and why.
  /// - Returns: The request.
  public static func extend(
    _ id: OriginalTransactionID,
    by renewal: RenewalExtension
  ) -> Self {
    Self(
      .extendRenewalDate,
      .put,
      ["inApps", "v1", "subscriptions", "extend", id.rawValue],
      body: .json(JSONObject(renewal.members)),
      isRepeatable: false
    ) { object throws(PayloadError) in try ExtensionAnswer(object) }
  }
}

extension ServerAPIRequest where Answer == EmptyAnswer {
  /// Begins to move the periods of all active subscribers; a second request does nothing.
  ///
  /// - Parameters:
  ///   - productID: The subscription product.
  ///   - renewal: By how much and why.
  ///   - storefronts: Country codes of three letters; none for all storefronts.
  /// - Returns: The request.
  public static func extendAll(
    of productID: ProductID,
    by renewal: RenewalExtension,
    in storefronts: [String] = []
  ) -> Self {
    var members = renewal.members + [JSONMember("productId", .string(productID.rawValue))]
    if !storefronts.isEmpty {
      members.append(
        JSONMember("storefrontCountryCodes", .array(storefronts.map { .string($0) }))
      )
    }
    return Self(
      .massExtension,
      .post,
      ["inApps", "v1", "subscriptions", "extend", "mass"],
      body: .json(JSONObject(members))
    ) { _ in EmptyAnswer() }
  }
}

extension ServerAPIRequest where Answer == MassExtensionStatus {
  /// How far a mass extension is.
  ///
  /// - Parameters:
  ///   - productID: The subscription product.
  ///   - requestIdentifier: The request's identifier.
  /// - Returns: The request.
  public static func massExtension(
    of productID: ProductID,
    requestIdentifier: RenewalExtensionID
  ) -> Self {
    let path = ["inApps", "v1", "subscriptions", "extend", "mass"]
    return Self(
      .massExtensionStatus,
      .get,
      path + [productID.rawValue, requestIdentifier.rawValue]
    ) {
      object throws(PayloadError) in try MassExtensionStatus(object)
    }
  }
}

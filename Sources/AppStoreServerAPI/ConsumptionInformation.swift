import HTTPValues
public import IAPModel

/// What the developer says about a purchase for which a refund was asked.
///
/// It is sent within twelve hours of the App Store's question, and only for customers who agreed.
///
/// - **Source:** App Store Server API, "Send Consumption Information", version 2.
public struct ConsumptionInformation: Hashable, Sendable {
  /// What reached the customer.
  public struct DeliveryStatus: OpenValue {
    /// Apple's spelling.
    public let rawValue: String
    /// Makes the value from Apple's spelling.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// All of it.
    public static let delivered = Self(rawValue: "DELIVERED")
    /// Nothing useful, by its quality.
    public static let qualityIssue = Self(rawValue: "UNDELIVERED_QUALITY_ISSUE")
    /// Something else.
    public static let wrongItem = Self(rawValue: "UNDELIVERED_WRONG_ITEM")
    /// Nothing, for a failure of the server.
    public static let serverOutage = Self(rawValue: "UNDELIVERED_SERVER_OUTAGE")
    /// Nothing, for another reason.
    public static let other = Self(rawValue: "UNDELIVERED_OTHER")
  }

  /// What the developer would like.
  public struct RefundPreference: OpenValue {
    /// Apple's spelling.
    public let rawValue: String
    /// Makes the value from Apple's spelling.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// No refund.
    public static let decline = Self(rawValue: "DECLINE")
    /// All of it back.
    public static let grantFull = Self(rawValue: "GRANT_FULL")
    /// The unused part back.
    public static let grantProrated = Self(rawValue: "GRANT_PRORATED")
  }

  /// The whole, in thousandths of a percent.
  public static let percentageMax = 100_000

  /// What reached the customer.
  public var delivery: DeliveryStatus
  /// Whether the customer could try it before.
  public var wasSampleProvided: Bool
  /// How much was used, in thousandths of a percent, 0 to 100,000; never for subscriptions.
  public var percentage: Int?
  /// What the developer would like.
  public var preference: RefundPreference?

  /// Says it.
  ///
  /// - Parameters:
  ///   - delivery: What reached the customer.
  ///   - wasSampleProvided: Whether the customer could try it before.
  ///   - percentage: How much was used, in thousandths of a percent.
  ///   - preference: What the developer would like.
  public init(
    delivery: DeliveryStatus,
    wasSampleProvided: Bool,
    percentage: Int? = nil,
    preference: RefundPreference? = nil
  ) {
    self.delivery = delivery
    self.wasSampleProvided = wasSampleProvided
    self.percentage = percentage
    self.preference = preference
  }

  /// What the App Store would refuse; nil when it would not.
  var mistake: String? {
    if let percentage, !(0...Self.percentageMax).contains(percentage) {
      return "the percentage is not 0 to \(Self.percentageMax)"
    }
    if let percentage, percentage != 0, delivery != .delivered {
      return "what was not delivered was not used"
    }
    if preference == .grantProrated {
      guard let percentage, percentage > 0, percentage < Self.percentageMax else {
        return "a part can be paid back only when a part was used"
      }
    }
    return nil
  }

  var body: JSONObject {
    var members = [
      JSONMember("customerConsented", true),
      JSONMember("deliveryStatus", .string(delivery.rawValue)),
      JSONMember("sampleContentProvided", .bool(wasSampleProvided)),
    ]
    if let percentage {
      members.append(JSONMember("consumptionPercentage", .integer(Int64(percentage))))
    }
    if let preference {
      members.append(JSONMember("refundPreference", .string(preference.rawValue)))
    }
    return JSONObject(members)
  }
}

extension ServerAPIRequest where Answer == EmptyAnswer {
  /// Tells the App Store about a purchase for which a refund was asked.
  ///
  /// - Parameters:
  ///   - id: The transaction.
  ///   - information: What the developer says; the customer has agreed that it is said.
  /// - Returns: The request.
  /// - Throws: ``AppStoreServerError/Code/requestInvalid`` for what the App Store would refuse.
  public static func consumption(
    of id: TransactionID,
    _ information: ConsumptionInformation
  ) throws(AppStoreServerError) -> Self {
    if let mistake = information.mistake { throw AppStoreServerError(.requestInvalid, mistake) }
    return Self(
      .consumption,
      .put,
      ["inApps", "v2", "transactions", "consumption", id.rawValue],
      body: .json(information.body)
    ) { _ in EmptyAnswer() }
  }
}

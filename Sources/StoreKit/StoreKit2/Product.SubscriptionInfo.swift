extension Product {
  public struct SubscriptionInfo: Sendable {
    public let introductoryOffer: Product.SubscriptionOffer?
    public let promotionalOffers: [Product.SubscriptionOffer]
    public let winBackOffers: [Product.SubscriptionOffer]
    public let subscriptionGroupID: String
    public let subscriptionPeriod: Product.SubscriptionPeriod
    public let groupLevel: Int
    public let groupDisplayName: String
    /// Empty for a subscription that is sold without billing plans.
    public let pricingTerms: [Product.SubscriptionInfo.PricingTerms]

    package let host: any StoreHost

    package init(
      introductoryOffer: Product.SubscriptionOffer?,
      promotionalOffers: [Product.SubscriptionOffer],
      winBackOffers: [Product.SubscriptionOffer],
      subscriptionGroupID: String,
      subscriptionPeriod: Product.SubscriptionPeriod,
      groupLevel: Int,
      groupDisplayName: String,
      pricingTerms: [PricingTerms] = [],
      host: any StoreHost
    ) {
      self.introductoryOffer = introductoryOffer
      self.promotionalOffers = promotionalOffers
      self.winBackOffers = winBackOffers
      self.subscriptionGroupID = subscriptionGroupID
      self.subscriptionPeriod = subscriptionPeriod
      self.groupLevel = groupLevel
      self.groupDisplayName = groupDisplayName
      self.pricingTerms = pricingTerms
      self.host = host
    }
  }
}

extension Product.SubscriptionInfo: Equatable, Hashable {
  public static func == (lhs: Product.SubscriptionInfo, rhs: Product.SubscriptionInfo) -> Bool {
    lhs.facts == rhs.facts
  }

  public func hash(into hasher: inout Hasher) { hasher.combine(facts) }

  private var facts: Facts {
    Facts(
      introductoryOffer: introductoryOffer,
      promotionalOffers: promotionalOffers,
      winBackOffers: winBackOffers,
      subscriptionGroupID: subscriptionGroupID,
      subscriptionPeriod: subscriptionPeriod,
      groupLevel: groupLevel,
      groupDisplayName: groupDisplayName,
      pricingTerms: pricingTerms
    )
  }

  // Everything but the host.
  private struct Facts: Hashable {
    let introductoryOffer: Product.SubscriptionOffer?
    let promotionalOffers: [Product.SubscriptionOffer]
    let winBackOffers: [Product.SubscriptionOffer]
    let subscriptionGroupID: String
    let subscriptionPeriod: Product.SubscriptionPeriod
    let groupLevel: Int
    let groupDisplayName: String
    let pricingTerms: [Product.SubscriptionInfo.PricingTerms]
  }
}

extension Product.SubscriptionInfo {
  public var isEligibleForIntroOffer: Bool {
    get async { await Self.isEligibleForIntroOffer(for: subscriptionGroupID, host: host) }
  }

  public static func isEligibleForIntroOffer(for groupID: String) async -> Bool {
    await isEligibleForIntroOffer(for: groupID, host: StoreHostBinding.required())
  }

  private static func isEligibleForIntroOffer(
    for groupID: String,
    host: any StoreHost
  ) async -> Bool {
    let answer = await host.isEligibleForIntroOffer(in: groupID)
    await host.passWhileAlive()
    return answer
  }

  public var status: [Product.SubscriptionInfo.Status] {
    get async throws { try await Self.status(for: subscriptionGroupID, host: host) }
  }

  public static func status(
    for groupID: String
  ) async throws -> [Product.SubscriptionInfo.Status] {
    try await status(for: groupID, host: StoreHostBinding.required())
  }

  static func status(
    for groupID: String,
    host: any StoreHost
  ) async throws -> [Product.SubscriptionInfo.Status] {
    try await host.answering { try await host.statuses(in: groupID) }
  }

  public static func status(transactionID: UInt64) async throws -> SubscriptionStatus? {
    let host = StoreHostBinding.required()
    return try await host.answering { try await host.status(transactionID: transactionID) }
  }
}

extension Product.SubscriptionInfo {
  public struct RenewalState: RawRepresentable, Equatable, Hashable, Sendable {
    public let rawValue: Int
    public init(rawValue: Int) { self.rawValue = rawValue }

    public static let subscribed = Product.SubscriptionInfo.RenewalState(rawValue: 1)
    public static let expired = Product.SubscriptionInfo.RenewalState(rawValue: 2)
    public static let inBillingRetryPeriod = Product.SubscriptionInfo.RenewalState(rawValue: 3)
    public static let inGracePeriod = Product.SubscriptionInfo.RenewalState(rawValue: 4)
    public static let revoked = Product.SubscriptionInfo.RenewalState(rawValue: 5)
  }
}

public typealias SubscriptionInfo = Product.SubscriptionInfo
public typealias SubscriptionPeriod = Product.SubscriptionPeriod
public typealias SubscriptionRenewalInfo = Product.SubscriptionInfo.RenewalInfo
public typealias SubscriptionRenewalState = Product.SubscriptionInfo.RenewalState
public typealias SubscriptionStatus = Product.SubscriptionInfo.Status

import IAPModel

/// Whether subscribers have to agree to a higher price.
///
/// - **Source:** the lifecycle facts, section 6.
enum PriceIncreaseRule {
  /// An increase by more than so much of the old price may need consent, in percent.
  static let percentMax: Int64 = 50
  /// And by more than so much a period, in thousandths of the main unit.
  static let periodIncreaseMax: Int64 = 5_000
  /// And by more than so much a year for yearly subscriptions.
  static let yearIncreaseMax: Int64 = 50_000

  static func needsConsent(
    from old: Int64,
    to new: Int64,
    period: SubscriptionPeriod,
    hadIncreaseWithinYear: Bool
  ) -> Bool {
    let increase = new - old
    guard increase > 0 else { return false }
    guard !hadIncreaseWithinYear else { return true }
    let isYearly = period.unit == .year
    return increase * 100 > old * percentMax
      && increase > (isYearly ? yearIncreaseMax : periodIncreaseMax)
  }
}

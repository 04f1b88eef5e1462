import Foundation
import IAPModel

/// What Apple says about a subscription beside its transactions.
///
/// - **Source:** the signed-data facts, section 3.
enum SubscriptionStatusRule {
  static func status(_ phase: SubscriptionPhase) -> SubscriptionStatus {
    switch phase {
    case .active: .active
    case .grace: .gracePeriod
    case .retry: .billingRetry
    case .expired: .expired
    case .revoked: .revoked
    }
  }

  static func renewalInfo(
    _ record: SubscriptionRecord,
    renewalProduct: CatalogProduct?,
    running: OfferReference? = nil,
    storefront: Storefront,
    environment: StoreEnvironment,
    appTransactionID: AppTransactionID,
    keepsGraceDate: Bool = false
  ) -> RenewalInfoPayload {
    var info = RenewalInfoPayload(
      originalTransactionID: record.originalTransactionID,
      productID: record.period.productID
    )
    info.autoRenewProductID = record.renewalProductID
    info.willAutoRenew = record.willAutoRenew
    info.environment = environment
    info.renewalDate = record.period.end
    info.recentSubscriptionStartDate = record.recentStartDate
    switch record.phase {
    case .active, .revoked: break
    case .grace(let until):
      info.isInBillingRetryPeriod = true
      info.expirationIntent = .billingError
      info.gracePeriodExpiresDate = until
    case .retry:
      if keepsGraceDate { info.gracePeriodExpiresDate = record.graceEndDate }
      info.isInBillingRetryPeriod = true
      info.expirationIntent = .billingError
    case .expired(let intent):
      info.isInBillingRetryPeriod = false
      info.expirationIntent = intent
    }
    if let priceIncrease = record.priceIncrease {
      info.priceIncreaseStatus = priceIncrease.isAgreed ? .agreed : .pending
    }
    info.currency = storefront.currency
    if record.willAutoRenew, let renewalProduct, let plan = renewalProduct.subscription {
      let next = OfferRule.renewal(of: renewalProduct, plan, after: record, running: running)
      info.renewalPriceMilliunits = next.priceMilliunits
      info.offerType = next.offer?.type
      info.offerIdentifier = next.offer?.id
      info.offerDiscountType = next.offer?.discountType
      info.offerPeriod = next.offer?.period?.iso8601
    }
    info.appAccountToken = record.appAccountToken
    info.appTransactionID = appTransactionID
    return info
  }
}

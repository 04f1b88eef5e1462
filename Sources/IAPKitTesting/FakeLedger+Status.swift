import Foundation
import IAPKit
import IAPModel

// What the store says about subscriptions beside their transactions.
extension FakeLedger {
  /// The state of every subscription.
  func statuses(at now: Date) -> [StoreSubscriptionStatus] {
    lines.values.sorted { $0.group < $1.group }.compactMap { line in
      guard let period = try? transaction(line.latest) else { return nil }
      return StoreSubscriptionStatus(
        status: line.status(period, at: now),
        transaction: period.from(.updates),
        renewal: renewalInfo(line, at: now)
      )
    }
  }

  private func renewalInfo(_ line: Line, at now: Date) -> RenewalInfoPayload {
    var info = RenewalInfoPayload(originalTransactionID: line.originalID, productID: line.productID)
    info.autoRenewProductID = line.nextProductID
    info.willAutoRenew = line.renews
    info.signedDate = line.changedAt
    info.environment = .xcode
    info.renewalDate = line.expires
    info.expirationIntent =
      line.ended ?? (line.isInRetry ? .billingError : line.renews ? nil : .cancelled)
    if line.isInRetry { info.isInBillingRetryPeriod = true }
    info.gracePeriodExpiresDate = line.graceUntil
    info.priceIncreaseStatus = line.increase?.status
    info.renewalPriceMilliunits = (line.increase?.price).map(\.milliunits)
    if let offer = line.offer?.terms {
      info.offerType = offer.type
      info.offerIdentifier = offer.id.map { OfferID($0) }
      info.offerDiscountType = offer.paymentMode
    }
    let offers = winBackOffers(of: line.productID, at: now)
    info.eligibleWinBackOfferIDs = offers.isEmpty ? nil : offers
    return info
  }

  /// Whether a subscription's introductory offer would be applied.
  func introductoryEligibility(of id: ProductID) -> OfferEligibility {
    guard let product = try? product(id), product.introductoryOffer != nil else {
      return .notEligible
    }
    return lines[product.groupName] == nil ? .eligible : .notEligible
  }

  /// What somebody gets who had the subscription and has it no more.
  func winBackOffers(of id: ProductID, at now: Date) -> [OfferID] {
    guard let product = try? product(id), let line = lines[product.groupName],
      line.expires <= now, !line.isInRetry
    else { return [] }
    return product.winBackOffers.compactMap(\.id).map { OfferID($0) }
  }
}

extension FakeLedger.Line {
  /// When the store does something about it next.
  var nextMoment: Date? {
    if isInRetry { return graceUntil }
    return renews ? expires : nil
  }

  fileprivate func status(
    _ period: StoreTransaction,
    at now: Date
  ) -> IAPModel.SubscriptionStatus {
    if period.revocationDate != nil { return .revoked }
    if isInRetry { return graceUntil == nil ? .billingRetry : .gracePeriod }
    return expires > now ? .active : .expired
  }
}

import AppStoreSimulator
import Foundation
import IAPModel
import StoreKit

extension StoreKit.Transaction {
  /// What StoreKit makes of a signed transaction.
  init(
    _ payload: TransactionPayload,
    signed text: String,
    storefront: StoreKit.Storefront,
    host: any StoreHost
  ) {
    self.init(
      jwsRepresentation: text,
      host: host,
      id: .number(payload.transactionID.rawValue),
      originalID: .number(payload.originalTransactionID.rawValue),
      productID: payload.productID.rawValue,
      productType: .init(rawValue: payload.type?.rawValue ?? ""),
      appBundleID: payload.bundleID.rawValue,
      purchaseDate: payload.purchaseDate,
      originalPurchaseDate: payload.originalPurchaseDate ?? payload.purchaseDate,
      environment: .init(rawValue: payload.environment?.rawValue ?? ""),
      storefront: storefront,
      deviceVerification: payload.otherMembers.deviceVerification,
      deviceVerificationNonce: payload.otherMembers.deviceVerificationNonce,
      signedDate: payload.signedDate ?? payload.purchaseDate,
      appTransactionID: payload.appTransactionID?.rawValue ?? ""
    )
    webOrderLineItemID = payload.webOrderLineItemID?.rawValue
    subscriptionGroupID = payload.subscriptionGroupID?.rawValue
    expirationDate = payload.expiresDate
    purchasedQuantity = payload.quantity ?? 1
    isUpgraded = payload.isUpgraded
    revocationDate = payload.revocationDate
    revocationReason = payload.revocationReason.map { .init(rawValue: $0.rawValue) }
    revocationType = payload.revocationType.map { .init(rawValue: $0.rawValue) }
    revocationPercentage = payload.revocationPercentage.map { Decimal($0) / 1000 }
    appAccountToken = payload.appAccountToken.map(\.rawValue)
    reason = .init(rawValue: payload.transactionReason?.rawValue ?? Reason.purchase.rawValue)
    ownershipType = .init(
      rawValue: payload.ownershipType?.rawValue ?? OwnershipType.purchased.rawValue
    )
    price = payload.priceMilliunits.map { Decimal($0) / 1000 }
    currencyCode = payload.currency
    offer = .init(
      type: payload.offerType,
      id: payload.offerIdentifier,
      discountType: payload.offerDiscountType,
      period: payload.offerPeriod
    )
    takeRareMembers(of: payload)
  }
}

extension Product.SubscriptionInfo.RenewalInfo {
  /// What StoreKit makes of signed renewal info.
  init(_ payload: RenewalInfoPayload, signed text: String) {
    let signedDate = payload.signedDate ?? Date(timeIntervalSince1970: 0)
    self.init(
      jwsRepresentation: text,
      originalTransactionID: .number(payload.originalTransactionID.rawValue),
      currentProductID: payload.productID.rawValue,
      willAutoRenew: payload.willAutoRenew ?? false,
      environment: .init(rawValue: payload.environment?.rawValue ?? ""),
      recentSubscriptionStartDate: payload.recentSubscriptionStartDate ?? signedDate,
      deviceVerification: payload.otherMembers.deviceVerification,
      deviceVerificationNonce: payload.otherMembers.deviceVerificationNonce,
      signedDate: signedDate,
      appTransactionID: payload.appTransactionID?.rawValue ?? ""
    )
    autoRenewPreference = payload.autoRenewProductID?.rawValue
    expirationReason = payload.expirationIntent.map { .init(rawValue: $0.rawValue) }
    switch payload.priceIncreaseStatus {
    case .pending?: priceIncreaseStatus = .pending
    case .agreed?: priceIncreaseStatus = .agreed
    default: priceIncreaseStatus = .noIncreasePending
    }
    isInBillingRetry = payload.isInBillingRetryPeriod ?? false
    gracePeriodExpirationDate = payload.gracePeriodExpiresDate
    renewalDate = payload.renewalDate
    renewalPrice = payload.renewalPriceMilliunits.map { Decimal($0) / 1000 }
    currencyCode = payload.currency
    eligibleWinBackOfferIDs = (payload.eligibleWinBackOfferIDs ?? []).map(\.rawValue)
    appAccountToken = payload.appAccountToken.map(\.rawValue)
    offer = .init(
      type: payload.offerType,
      id: payload.offerIdentifier,
      discountType: payload.offerDiscountType,
      period: payload.offerPeriod
    )
    takeRareMembers(of: payload)
  }
}

extension AppTransaction {
  /// What StoreKit makes of a signed app transaction.
  init(_ payload: AppTransactionPayload, signed text: String) {
    let signedDate = payload.receiptCreationDate ?? Date(timeIntervalSince1970: 0)
    self.init(
      jwsRepresentation: text,
      appTransactionID: payload.appTransactionID?.rawValue ?? "",
      appVersion: payload.applicationVersion ?? "",
      bundleID: payload.bundleID.rawValue,
      environment: .init(rawValue: payload.environment.rawValue),
      originalAppVersion: payload.originalApplicationVersion ?? "",
      originalPurchaseDate: payload.originalPurchaseDate ?? signedDate,
      originalPlatform: .init(rawValue: payload.originalPlatform ?? ""),
      deviceVerification: payload.deviceVerification.flatMap { Data(base64Encoded: $0) } ?? Data(),
      deviceVerificationNonce: .spelled(payload.deviceVerificationNonce),
      signedDate: signedDate
    )
    appID = payload.appAppleID.flatMap { UInt64("\($0)") }
    preorderDate = payload.preorderDate
    appVersionID = payload.otherMembers.value("versionExternalIdentifier")?.integerValue
      .flatMap(UInt64.init(exactly:))
  }
}

extension StoreKit.Transaction.Offer {
  fileprivate init?(
    type: OfferType?,
    id: OfferID?,
    discountType: OfferDiscountType?,
    period: String?
  ) {
    guard let type else { return nil }
    self.init(
      id: id?.rawValue,
      type: .init(rawValue: type.rawValue),
      paymentMode: discountType.map { .init(rawValue: $0.rawValue) },
      period: period.flatMap { IAPModel.SubscriptionPeriod(iso8601: $0) }.map { .init($0) }
    )
  }
}

extension UInt64 {
  /// The number that a store identifier spells; the store makes no others.
  static func number(_ identifier: String) -> UInt64 {
    guard let number = UInt64(identifier) else {
      preconditionFailure("the store made an identifier that is no number")
    }
    return number
  }
}

extension [JSONMember] {
  /// The proof that ties signed data to a device; Apple documents it for StoreKit only.
  fileprivate var deviceVerification: Data {
    value("deviceVerification")?.stringValue
      .flatMap { Data(base64Encoded: $0) } ?? Data()
  }

  fileprivate var deviceVerificationNonce: UUID {
    .spelled(value("deviceVerificationNonce")?.stringValue)
  }
}

extension UUID {
  /// The UUID that the store spelled; it makes no others.
  fileprivate static func spelled(_ text: String?) -> UUID {
    guard let uuid = text.flatMap({ UUID(uuidString: $0) }) else {
      preconditionFailure("the store signed for a device without a nonce")
    }
    return uuid
  }
}

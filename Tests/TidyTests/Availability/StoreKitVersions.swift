/// The names of StoreKit that are newer than the client's floor, with the version of iOS that
/// brought each, as Apple documents it. A name that is not listed is as old as what is around it.
let storeKitVersions: [String: SystemVersions] = Dictionary(
  uniqueKeysWithValues: storeKitNames.split(separator: "\n").compactMap { line in
    let words = line.split(separator: " ")
    guard words.count == 2, let iOS = SystemVersions.Version(words[0]) else { return nil }
    return (String(words[1]), SystemVersions(iOS: iOS, macOS: macOS(with: iOS)))
  }
)

/// The macOS of the same season.
private func macOS(with iOS: SystemVersions.Version) -> SystemVersions.Version {
  switch (iOS.major, iOS.minor) {
  case (26..., _): iOS
  case (15, 4...), (16, 4...): SystemVersions.Version(iOS.major - 3, iOS.minor - 1)
  default: SystemVersions.Version(iOS.major - 3, iOS.minor)
  }
}

private let storeKitNames = """
  14.5 SKError.Code.overlayPresentedInBackgroundScene
  14.5 SKError.overlayPresentedInBackgroundScene
  15.0 AppStore
  15.0 DateComponents.init(subscriptionPeriod:)
  15.0 Product
  15.0 StoreKitError
  15.0 Storefront
  15.0 Transaction
  15.0 VerificationResult
  15.4 ExternalPurchase
  15.4 ExternalPurchaseLink
  15.4 StoreKitError.notEntitled
  16.0 AppStore.Environment
  16.0 AppStore.presentOfferCodeRedeemSheet(in:)
  16.0 AppStore.requestReview(in:)
  16.0 AppTransaction
  16.0 ExternalLinkAccount
  16.0 Message
  16.0 Product.SubscriptionInfo.RenewalInfo.currency
  16.0 Product.SubscriptionInfo.RenewalInfo.environment
  16.0 Product.SubscriptionPeriod.Unit.FormatStyle
  16.0 Product.SubscriptionPeriod.Unit.formatted(_:)
  16.0 Product.subscriptionPeriodUnitFormatStyle
  16.0 Transaction.currency
  16.0 Transaction.environment
  16.4 Message.Reason.billingIssue
  16.4 PaymentMethodBinding
  16.4 Product.PromotionInfo
  16.4 Product.SubscriptionInfo.groupDisplayName
  16.4 Product.SubscriptionInfo.groupLevel
  16.4 Product.SubscriptionPeriod.everySixMonths
  16.4 Product.SubscriptionPeriod.everyThreeDays
  16.4 Product.SubscriptionPeriod.everyThreeMonths
  16.4 Product.SubscriptionPeriod.everyTwoMonths
  16.4 Product.SubscriptionPeriod.everyTwoWeeks
  16.4 Product.SubscriptionPeriod.monthly
  16.4 Product.SubscriptionPeriod.weekly
  16.4 Product.SubscriptionPeriod.yearly
  16.4 PurchaseIntent
  17.0 AppStore.showManageSubscriptions(in:subscriptionGroupID:)
  17.0 Product.SubscriptionInfo.Status.all
  17.0 Product.SubscriptionPeriod.Unit.<(_:_:)
  17.0 Product.purchase(confirmIn:options:)
  17.0 Storefront.currency
  17.0 Transaction.Reason
  17.0 Transaction.reason
  17.0 Transaction.storefront
  17.2 Transaction.Offer
  17.2 Transaction.offer
  17.4 ExternalPurchase.NoticeResult.continuedWithExternalPurchaseToken(token:)
  17.4 ExternalPurchase.canPresent
  17.4 Product.PurchaseOption.promotionalOffer(offerID:signature:)
  17.4 Product.SubscriptionOffer.Signature
  17.5 ExternalPurchaseLink.eligibleURLs
  17.5 ExternalPurchaseLink.open(url:)
  18.0 Message.Reason.winBackOffer
  18.0 Product.PurchaseOption.winBackOffer(_:)
  18.0 Product.SubscriptionInfo.RenewalInfo.eligibleWinBackOfferIDs
  18.0 Product.SubscriptionInfo.RenewalInfo.offer
  18.0 Product.SubscriptionInfo.winBackOffers
  18.0 Product.SubscriptionOffer.OfferType.winBack
  18.0 PurchaseIntent.offer
  18.1 ExternalPurchaseCustomLink
  18.4 AdvancedCommerceProduct
  18.4 AppStore.Platform
  18.4 AppTransaction.originalPlatform
  18.4 InvalidRequestError
  18.4 Product.SubscriptionInfo.RenewalInfo.AdvancedCommerceInfo
  18.4 Product.SubscriptionInfo.RenewalInfo.advancedCommerceInfo
  18.4 Product.SubscriptionInfo.status(transactionID:)
  18.4 Product.currentEntitlements
  18.4 StoreKitError.unsupported
  18.4 SubscriptionInfo
  18.4 SubscriptionPeriod
  18.4 SubscriptionRenewalInfo
  18.4 SubscriptionRenewalState
  18.4 SubscriptionStatus
  18.4 Transaction.AdvancedCommerceInfo
  18.4 Transaction.Offer.period
  18.4 Transaction.advancedCommerceInfo
  18.4 Transaction.all(for:)
  18.4 Transaction.currentEntitlements(for:)
  26.0 AppStore.presentMerchandising(_:from:)
  26.0 AppStoreMerchandisingKind
  26.0 StoreDownloaderExtension
  26.2 AppStore.ageRatingCode
  26.2 Product.SubscriptionInfo.RenewalInfo.AdvancedCommerceInfo.Item.PriceIncreaseInfo
  26.2 Product.SubscriptionInfo.RenewalInfo.AdvancedCommerceInfo.Item.priceIncreaseInfo
  26.4 Product.PurchaseOption.billingPlanType(_:)
  26.4 Product.SubscriptionInfo.BillingPeriod
  26.4 Product.SubscriptionInfo.BillingPlanType
  26.4 Product.SubscriptionInfo.CommitmentInfo
  26.4 Product.SubscriptionInfo.PricingTerms
  26.4 Product.SubscriptionInfo.RenewalInfo.CommitmentInfo
  26.4 Product.SubscriptionInfo.RenewalInfo.commitmentInfo
  26.4 Product.SubscriptionInfo.RenewalInfo.renewalBillingPlanType
  26.4 Product.SubscriptionInfo.pricingTerms
  26.4 Transaction.CommitmentInfo
  26.4 Transaction.RevocationType
  26.4 Transaction.billingPlanType
  26.4 Transaction.commitmentInfo
  26.4 Transaction.revocationType
  26.5 Product.PurchaseError.paymentMethodBindingConfigurationRequired
  """

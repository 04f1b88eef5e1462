import Foundation
import IAPModel
import StoreKit

@available(iOS 15.0, macOS 12.0, tvOS 15.0, watchOS 8.0, *)
extension StoreTransaction {
  /// Flattens what StoreKit 2 says about one transaction, verified or not.
  init(_ result: VerificationResult<Transaction>, source: TransactionSource) {
    let transaction = result.unsafePayloadValue
    let verification: TransactionVerification
    switch result {
    case .verified: verification = .verified
    case .unverified(_, let error): verification = .unverified(reason: "\(error)")
    }
    self.init(
      transactionID: TransactionID(String(transaction.id)),
      originalTransactionID: OriginalTransactionID(String(transaction.originalID)),
      productID: ProductID(transaction.productID),
      purchaseDate: transaction.purchaseDate,
      proof: .jws(result.jwsRepresentation),
      verification: verification,
      source: source,
      generation: .storekit2
    )
    webOrderLineItemID = transaction.webOrderLineItemID.map { WebOrderLineItemID($0) }
    type = ProductType(transaction.productType)
    subscriptionGroupID = transaction.subscriptionGroupID.map { SubscriptionGroupID($0) }
    expiresDate = transaction.expirationDate
    signedDate = transaction.signedDate
    revocationDate = transaction.revocationDate
    revocationReason = transaction.revocationReason
      .map { IAPModel.RevocationReason(rawValue: $0.rawValue) }
    quantity = transaction.purchasedQuantity
    appAccountToken = transaction.appAccountToken.map { AppAccountToken($0) }
    environment = StoreEnvironment(rawValue: transaction.environmentText)
    ownership = IAPModel.OwnershipType(rawValue: transaction.ownershipType.rawValue)
    isUpgraded = transaction.isUpgraded
    price = transaction.money
    (offerType, offerID) = transaction.offerNames
    unit = payload.unit
  }
}

@available(iOS 15.0, macOS 12.0, tvOS 15.0, watchOS 8.0, *)
extension Transaction {
  fileprivate var environmentText: String {
    #if os(visionOS)
    environment.rawValue
    #else
    if #available(iOS 16.0, macOS 13.0, tvOS 16.0, watchOS 9.0, *) {
      environment.rawValue
    } else {
      environmentStringRepresentation
    }
    #endif
  }

  private var currencyText: String? {
    #if os(visionOS)
    currency?.identifier
    #else
    if #available(iOS 16.0, macOS 13.0, tvOS 16.0, watchOS 9.0, *) {
      currency?.identifier
    } else {
      currencyCode
    }
    #endif
  }

  /// What was charged, when the store says both amount and currency.
  fileprivate var money: Money? {
    guard let price, let currency = currencyText else { return nil }
    let milliunits = NSDecimalNumber(decimal: price * 1000).int64Value
    return Money(milliunits: milliunits, currency: currency)
  }

  fileprivate var offerNames: (IAPModel.OfferType?, OfferID?) {
    if #available(iOS 17.2, macOS 14.2, tvOS 17.2, watchOS 10.2, visionOS 1.1, *) {
      (
        offer.map { IAPModel.OfferType(rawValue: $0.type.rawValue) },
        offer?.id.map { OfferID($0) }
      )
    } else {
      (
        offerType.map { IAPModel.OfferType(rawValue: $0.rawValue) },
        offerID.map { OfferID($0) }
      )
    }
  }
}

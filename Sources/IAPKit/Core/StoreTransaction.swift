package import Foundation
package import IAPModel

/// The App Store's record of one purchase, the same for both generations of StoreKit and for every
/// way in which it can arrive.
///
/// Adapters make it; they decide nothing. A missing value is nil, never invented.
package struct StoreTransaction: Hashable, Sendable, Codable {
  package var transactionID: TransactionID
  /// The first transaction; for a StoreKit 1 copy the purchase that it stands for.
  package var originalTransactionID: OriginalTransactionID
  package var webOrderLineItemID: WebOrderLineItemID?
  package var productID: ProductID
  /// Nil when StoreKit 1 and the configuration do not say.
  package var type: ProductType?
  package var subscriptionGroupID: SubscriptionGroupID?
  package var purchaseDate: Date
  package var expiresDate: Date?
  package var signedDate: Date?
  package var revocationDate: Date?
  package var revocationReason: RevocationReason?
  package var quantity: Int
  package var appAccountToken: AppAccountToken?
  /// What came back as `applicationUsername` and is no UUID.
  package var applicationUsername: String?
  package var environment: StoreEnvironment?
  package var ownership: OwnershipType?
  package var isUpgraded: Bool
  package var price: Money?
  package var offerType: OfferType?
  package var offerID: OfferID?
  /// What was paid for, when the adapter can tell (design, invariant 3).
  package var unit: UnitID?
  package var proof: TransactionProof
  package var verification: TransactionVerification
  package var source: TransactionSource
  package var generation: StoreGeneration
  package var storeState: StoreTransactionState
  /// How the adapter finds StoreKit's own object again.
  package var reference: StoreReference

  /// Makes a transaction with what every one has; the rest is absent.
  package init(
    transactionID: TransactionID,
    originalTransactionID: OriginalTransactionID,
    productID: ProductID,
    purchaseDate: Date,
    proof: TransactionProof,
    verification: TransactionVerification,
    source: TransactionSource,
    generation: StoreGeneration,
    storeState: StoreTransactionState = .purchased
  ) {
    self.transactionID = transactionID
    self.originalTransactionID = originalTransactionID
    self.productID = productID
    self.purchaseDate = purchaseDate
    self.quantity = 1
    self.isUpgraded = false
    self.proof = proof
    self.verification = verification
    self.source = source
    self.generation = generation
    self.storeState = storeState
    self.reference = StoreReference(transactionID.rawValue)
  }
}

/// What can be shown to a server: the signed transaction, or the app's receipt.
package enum TransactionProof: Hashable, Sendable, Codable {
  /// A signed transaction (StoreKit 2), exactly as StoreKit gave it.
  case jws(String)
  /// The app receipt (StoreKit 1); nil when there was none to read.
  case receipt([UInt8]?)

  /// Whether there is nothing to show.
  package var isMissing: Bool {
    switch self {
    case .jws(let text): text.isEmpty
    case .receipt(let bytes): bytes?.isEmpty ?? true
    }
  }
}

/// What the device itself says about the signature.
package enum TransactionVerification: Hashable, Sendable, Codable {
  /// StoreKit 2 verified it.
  case verified
  /// StoreKit 2 could not verify it; the reason is for diagnostics.
  case unverified(reason: String)
  /// StoreKit 1 does not sign transactions; the receipt is what can be checked.
  case unchecked
}

/// The way by which a transaction arrived.
public enum TransactionSource: String, Hashable, Sendable, Codable, CaseIterable {
  /// As the result of a purchase call.
  case purchase
  /// From the stream of updates, or StoreKit 1's queue.
  case updates
  /// From what StoreKit has not been told to finish.
  case unfinished
  /// From a restore.
  case restore
  /// From a purchase that began in the App Store.
  case promoted
  /// From an offer code that was redeemed in the app.
  case offerCode
  /// From the journal.
  case replay
}

/// What StoreKit 1's queue says about a transaction; StoreKit 2 has only `purchased`.
package enum StoreTransactionState: String, Hashable, Sendable, Codable, CaseIterable {
  case purchasing, purchased, failed, restored, deferred
}

/// The adapter's own name of an object of StoreKit: the transaction id where there is one.
package struct StoreReference: Hashable, Sendable, Codable {
  package let rawValue: String
  package init(_ rawValue: String) { self.rawValue = rawValue }
}

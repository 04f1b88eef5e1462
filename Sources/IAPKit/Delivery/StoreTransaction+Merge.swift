import Foundation
import IAPModel
import IAPSignatures

extension StoreTransaction {
  /// What is known after another copy of the same transaction arrived.
  ///
  /// The later signature counts. What is not signed (StoreKit 1), or was signed before a revocation
  /// that somebody else told of, never takes it back.
  func merged(with other: StoreTransaction, needsProof: Bool) -> StoreTransaction {
    if let mine = signedDate, let theirs = other.signedDate, theirs < mine { return self }
    var merged = other
    merged.source = source
    // StoreKit 1 names the product that was asked for when it answers with a transaction of before.
    if other.signedDate == nil { merged.productID = productID }
    merged.type = other.type ?? type
    merged.unit = other.unit ?? unit
    merged.webOrderLineItemID = other.webOrderLineItemID ?? webOrderLineItemID
    merged.subscriptionGroupID = other.subscriptionGroupID ?? subscriptionGroupID
    merged.expiresDate = other.expiresDate ?? expiresDate
    merged.appAccountToken = other.appAccountToken ?? appAccountToken
    merged.environment = other.environment ?? environment
    merged.price = other.price ?? price
    if other.revocationDate == nil, !other.isSigned(after: revocationDate) {
      merged.revocationDate = revocationDate
      merged.revocationReason = revocationReason
    }
    if other.proof.isMissing { merged.proof = proof }
    // A receipt that was accepted is let go of; a signed transaction goes with what it says.
    if !needsProof, case .receipt = other.proof { merged.proof = proof }
    return merged
  }

  private func isSigned(after revocationDate: Date?) -> Bool {
    guard let signedDate else { return false }
    return revocationDate.map { signedDate >= $0 } ?? true
  }

  /// Whether two copies say the same, apart from when and how they were signed.
  func isEquivalent(to other: StoreTransaction) -> Bool {
    guard proof.isMissing == other.proof.isMissing else { return false }
    var copy = other
    copy.signedDate = signedDate
    copy.proof = proof
    return self == copy
  }
}

extension StoreTransaction {
  /// Whether the product that was paid for is known.
  ///
  /// False for a subscription of StoreKit 1 that its receipt does not show (yet). A receipt that
  /// cannot be read tells nothing, now or later.
  var isPaidProductKnown: Bool {
    guard namesWhatWasAskedFor else { return true }
    guard case .receipt(let bytes?) = proof, !bytes.isEmpty else { return false }
    guard let receipt = ReceiptPayload(unverified: bytes) else { return true }
    return item(in: receipt) != nil
  }

  /// Takes the product that the receipt names.
  ///
  /// StoreKit 1 answers a change of plan for later with the transaction of the plan that runs,
  /// under the name and with the token of what was asked for; the receipt knows what was paid.
  ///
  /// - Returns: Whether the name is settled; false when the receipt does not show a subscription's
  ///   transaction.
  mutating func takePaidProduct() -> Bool {
    guard namesWhatWasAskedFor else { return true }
    guard case .receipt(let bytes?) = proof, let receipt = ReceiptPayload(unverified: bytes),
      let item = item(in: receipt)
    else { return false }
    if item.transactionID != transactionID {
      // Its period is known here under another identifier: what was paid for has that name.
      webOrderLineItemID = item.webOrderLineItemID
      originalTransactionID = item.originalTransactionID ?? originalTransactionID
    }
    guard item.productID != productID else { return true }
    productID = item.productID
    originalTransactionID = item.originalTransactionID ?? originalTransactionID
    (appAccountToken, applicationUsername) = (nil, nil)
    return true
  }

  /// When what a restored copy stands for was bought; nil when its receipt does not say.
  var restoredPurchaseDate: Date? {
    guard generation == .storekit1, storeState == .restored, case .receipt(let bytes?) = proof
    else { return nil }
    return ReceiptPayload(unverified: bytes)?.items
      .first { $0.originalTransactionID == originalTransactionID }?.originalPurchaseDate
  }

  private var namesWhatWasAskedFor: Bool {
    generation == .storekit1 && storeState == .purchased && type == .autoRenewable
  }

  /// The line of the transaction, or that of a copy of the same period.
  ///
  /// Once a period was restored on the device, its receipt shows it under the copy's identifier
  /// alone. No two periods of an account begin in the same second.
  private func item(in receipt: ReceiptPayload) -> ReceiptItem? {
    if let own = receipt.items.first(where: { $0.transactionID == transactionID }) { return own }
    return receipt.items.first { item in
      guard item.webOrderLineItemID != nil, let begin = item.purchaseDate else { return false }
      return abs(begin.timeIntervalSince(purchaseDate)) < 1
    }
  }
}

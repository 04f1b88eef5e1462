/// How far a transaction came before it had to wait, or to its end.
package enum DeliveryProgress: Equatable, Sendable {
  /// The goods were handed over now: to the handler, the listener, or the caller.
  case delivered(IAPTransactionResult)
  /// The goods had been handed over before.
  case alreadyDelivered(IAPTransactionResult)
  /// Paid; the server's answer or the app's is awaited, and asked for again.
  case processing(IAPTransactionResult)
  /// The server refused; it is asked again.
  case rejected(IAPTransactionResult)
  /// Set aside for a person to look at.
  case quarantined(IAPTransactionResult)
  /// The app's handler refused; set aside.
  case refused(IAPTransactionResult)
  /// The signature does not hold; kept and checked again.
  case held(IAPTransactionResult)
  /// The disk failed before anything was done; the transaction stays with StoreKit.
  case storageFailed(IAPError)
}

extension PurchaseOutcome {
  package init(_ progress: DeliveryProgress) {
    switch progress {
    case .delivered(let result): self = .delivered(result)
    case .alreadyDelivered(let result): self = .alreadyOwned(result)
    case .processing(let result): self = .processing(result)
    case .rejected, .quarantined, .refused: self = .failed(.receiptValidationFailed)
    case .held: self = .failed(.verificationFailed(underlying: SignatureNotVerified()))
    case .storageFailed(let error): self = .failed(error)
    }
  }
}

/// The signature of a transaction does not hold on this device.
package struct SignatureNotVerified: Error, Hashable {
  package init() {}
}

/// What a restore brought.
package struct RestoreReport: Sendable {
  /// One for each copy that the store returned.
  package var progress: [DeliveryProgress]
  /// Why the store returned nothing.
  package var error: IAPError?

  package init(progress: [DeliveryProgress] = [], error: IAPError? = nil) {
    self.progress = progress
    self.error = error
  }
}

/// Where the purchase of a product stands.
public enum PurchaseState: Hashable, Sendable {
  /// Nobody is buying it.
  case idle
  /// The payment sheet is open, or about to be.
  case inProgress
  /// Waiting for a parent or the bank.
  case pending
  /// Paid; the server is being asked.
  case verifying
  /// Paid and saved, not confirmed yet.
  case processing
  /// Handed over.
  case complete
  /// The user changed their mind.
  case cancelled
  /// It did not work, for the reason with this code.
  case failed(IAPError.Code)
  /// The store's signature or the server's verdict was against it.
  case failedVerification
  /// What happened is not known; the store will tell later.
  case unknown

  /// Whether a button that buys the product should work.
  public var canBuy: Bool {
    switch self {
    case .inProgress, .verifying: false
    case .idle, .pending, .processing, .complete, .cancelled, .failed, .failedVerification,
      .unknown:
      true
    }
  }

  /// Where a purchase stands that ended this way.
  ///
  /// - Parameter outcome: How the purchase ended.
  package init(_ outcome: PurchaseOutcome) {
    switch outcome {
    case .delivered, .alreadyOwned, .scheduled: self = .complete
    case .processing: self = .processing
    case .pending: self = .pending
    case .cancelled: self = .cancelled
    case .failed(.receiptValidationFailed), .failed(.verificationFailed):
      self = .failedVerification
    case .failed(.unknown): self = .unknown
    case .failed(let error): self = .failed(error.code)
    }
  }
}

/// A change of the state of one product's purchase.
public struct PurchaseStateChange: Hashable, Sendable {
  /// The product.
  public let productId: String
  /// Its state now.
  public let state: PurchaseState
}

extension PurchaseOutcome {
  /// The transaction, where there is one.
  public var result: IAPTransactionResult? {
    switch self {
    case .delivered(let result), .processing(let result), .alreadyOwned(let result): result
    case .scheduled(let result): result
    case .pending, .cancelled, .failed: nil
    }
  }

  /// The outcome in the throwing form: the transaction, or the error that says why there is none.
  ///
  /// A purchase that is paid but not confirmed throws ``IAPError/pending``, so that no caller
  /// unlocks before the confirmation; the goods come by themselves.
  ///
  /// - Returns: The transaction.
  /// - Throws: ``IAPError``.
  public func get() throws(IAPError) -> IAPTransactionResult {
    switch self {
    case .delivered(let result), .alreadyOwned(let result): return result
    case .scheduled(let result):
      guard let result else { throw .pending }
      return result
    case .processing, .pending: throw .pending
    case .cancelled: throw .userCancelled
    case .failed(let error): throw error
    }
  }
}

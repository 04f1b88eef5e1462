/// Whether StoreKit may be told that a transaction is done with.
///
/// The one place that decides it (design, invariant 1). Pure: the same facts, the same answer.
///
/// | the store says | and | decision |
/// |---|---|---|
/// | purchasing, deferred | anything | keep |
/// | failed | outcome saved | finish |
/// | failed | outcome not saved | keep |
/// | purchased, restored | not saved | keep |
/// | purchased, restored | signature does not hold | keep |
/// | purchased, restored | held, received, accepted | keep |
/// | purchased, restored | delivered, finished | finish |
/// | purchased, restored | quarantined after refusals, with its proof | finish |
/// | purchased, restored | quarantined after refusals, without a proof | keep |
/// | purchased, restored | quarantined without an answer | keep |
/// | purchased, restored | refused by the app | finish |
package enum FinishPolicy {
  /// What is known of a transaction.
  package struct Facts: Hashable, Sendable {
    package var storeState: StoreTransactionState
    /// Whether the outcome, or the record, is durable.
    package var isSaved: Bool
    /// Whether the device says that the signature does not hold.
    package var isUnverified: Bool
    /// Whether there is a signed transaction or a receipt to show.
    package var hasProof: Bool
    /// How far it is; nil while there is no record.
    package var state: RecordState?
    package var quarantine: QuarantineReason?

    package init(
      storeState: StoreTransactionState,
      isSaved: Bool,
      isUnverified: Bool = false,
      hasProof: Bool = true,
      state: RecordState? = nil,
      quarantine: QuarantineReason? = nil
    ) {
      self.storeState = storeState
      self.isSaved = isSaved
      self.isUnverified = isUnverified
      self.hasProof = hasProof
      self.state = state
      self.quarantine = quarantine
    }

    /// The facts of a record that is durable.
    package init(_ record: TransactionRecord) {
      self.init(
        storeState: record.transaction.storeState,
        isSaved: true,
        isUnverified: record.transaction.verification.isUnverified,
        hasProof: !record.transaction.proof.isMissing,
        state: record.state,
        quarantine: record.quarantine
      )
    }
  }

  package enum Decision: Hashable, Sendable {
    case finish
    case keep
  }

  package static func decide(_ facts: Facts) -> Decision {
    switch facts.storeState {
    case .purchasing, .deferred: .keep
    case .failed: facts.isSaved ? .finish : .keep
    case .purchased, .restored: decidePaid(facts)
    }
  }

  private static func decidePaid(_ facts: Facts) -> Decision {
    guard facts.isSaved, !facts.isUnverified, let state = facts.state else { return .keep }
    switch state {
    case .held, .received, .accepted: return .keep
    // The proof was shown before the record came this far; it need not be there any more.
    case .delivered, .finished, .refused: return .finish
    case .quarantined:
      switch facts.quarantine {
      case .rejected?, .failedChecks?: return facts.hasProof ? .finish : .keep
      case .unanswered?, nil: return .keep
      }
    }
  }
}

extension TransactionVerification {
  /// Whether the device says that the signature does not hold.
  package var isUnverified: Bool {
    switch self {
    case .unverified: true
    case .verified, .unchecked: false
    }
  }
}

import IAPKit
import Testing

@Suite struct FinishPolicyTests {
  private typealias Facts = FinishPolicy.Facts

  /// The states in which a paid transaction may be finished, whatever else is known.
  private static let done: Set<RecordState> = [.delivered, .finished, .refused]

  private static let quarantines: [QuarantineReason?] = [
    nil, .rejected, .unanswered, .failedChecks,
  ]

  /// Every combination of what can be known: 5 x 2 x 2 x 2 x 8 x 4.
  private static var every: [Facts] {
    var all: [Facts] = []
    for storeState in StoreTransactionState.allCases {
      for flags in 0..<8 {
        for state in RecordState.allCases.map(Optional.some) + [nil] {
          for quarantine in quarantines {
            all.append(
              Facts(
                storeState: storeState,
                isSaved: flags & 1 != 0,
                isUnverified: flags & 2 != 0,
                hasProof: flags & 4 != 0,
                state: state,
                quarantine: quarantine
              )
            )
          }
        }
      }
    }
    return all
  }

  @Test func everyCellIsDecidedAsTheTableSays() {
    #expect(Self.every.count == 5 * 8 * 8 * 4)
    var finishing = 0
    for facts in Self.every {
      let decision = FinishPolicy.decide(facts)
      #expect(decision == Self.expected(facts), "\(facts)")
      if decision == .finish { finishing += 1 }
    }
    // failed and saved: 4 x 8 x 4. Paid (2 states), saved and verified, with or without a proof:
    // done 3 x 4 x 2, set aside after refusals with its proof 2.
    #expect(finishing == 4 * 8 * 4 + 2 * (3 * 4 * 2 + 2))
  }

  /// The table once more, as a list of what finishes; all the rest is kept.
  private static func expected(_ facts: Facts) -> FinishPolicy.Decision {
    let isPaid = facts.storeState == .purchased || facts.storeState == .restored
    let refusals: [QuarantineReason?] = [.rejected, .failedChecks]
    let finishes = [
      facts.storeState == .failed && facts.isSaved,
      isPaid && facts.isSaved && !facts.isUnverified && facts.state.map(done.contains) == true,
      isPaid && facts.isSaved && !facts.isUnverified && facts.hasProof
        && facts.state == .quarantined && refusals.contains(facts.quarantine),
    ]
    return finishes.contains(true) ? .finish : .keep
  }

  @Test(arguments: [StoreTransactionState.purchasing, .deferred])
  func purchasingAndDeferredAreNeverFinished(_ state: StoreTransactionState) {
    for facts in Self.every where facts.storeState == state {
      #expect(FinishPolicy.decide(facts) == .keep, "\(facts)")
    }
  }

  @Test func failedIsAlwaysFinishedOnceItsOutcomeIsSaved() {
    for facts in Self.every where facts.storeState == .failed {
      #expect(FinishPolicy.decide(facts) == (facts.isSaved ? .finish : .keep), "\(facts)")
    }
  }

  @Test func missingReceiptNeverFinishesWhatWasNotJudged() {
    let undecided: Set<RecordState?> = [nil, .held, .received, .accepted, .quarantined]
    for facts in Self.every
    where facts.storeState != .failed && !facts.hasProof && undecided.contains(facts.state) {
      #expect(FinishPolicy.decide(facts) == .keep, "\(facts)")
    }
  }

  @Test func factsOfARecordAreReadFromIt() {
    var transaction = StoreTransaction.legacy("1", receipt: nil)
    transaction.storeState = .restored
    var record = TransactionRecord(
      transaction: transaction,
      state: .quarantined,
      savedAt: transaction.purchaseDate,
      launch: 1
    )
    record.quarantine = .rejected
    #expect(
      Facts(record)
        == Facts(
          storeState: .restored,
          isSaved: true,
          hasProof: false,
          state: .quarantined,
          quarantine: .rejected
        )
    )
    record.transaction.verification = .unverified(reason: "")
    #expect(Facts(record).isUnverified)
    record.transaction.proof = .jws("a.b.c")
    #expect(Facts(record).hasProof)
    record.transaction.proof = .jws("")
    #expect(!Facts(record).hasProof)
  }
}

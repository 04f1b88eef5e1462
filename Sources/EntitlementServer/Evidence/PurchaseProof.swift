import IAPEntitlements
import IAPModel
import IAPSignatures
import ServerStorage

/// A purchase that was found in verified evidence, or in the ledger.
struct PurchaseProof: Sendable {
  /// The app and the environment.
  var scope: LedgerScope
  /// The transaction that the request is about.
  var transaction: TransactionPayload
  /// Everything that the evidence shows, for the ledger; nil when nothing is new by nature.
  var record: FactRecord?
  /// Whether the client held the evidence in its hands, so that the purchase may be credited.
  var isPresented: Bool

  /// The purchase or subscription.
  var subject: LedgerSubject {
    LedgerSubject(scope: scope, original: transaction.originalTransactionID)
  }

  /// All purchases that the evidence shows, the asked one first.
  var subjects: [LedgerSubject] {
    var result = [subject]
    for fact in record?.facts ?? [] {
      guard let original = fact.originalTransactionID else { continue }
      let other = LedgerSubject(scope: scope, original: original)
      if !result.contains(other) { result.append(other) }
    }
    return result
  }
}

/// What came of looking at evidence.
enum ProofOutcome: Sendable {
  case proven(PurchaseProof)
  case refused([RuleFailure])
}

extension Rule {
  /// The evidence shows the transaction that it was said to show.
  static let matchingTransaction = Rule(rawValue: "matchingTransaction")
  /// The evidence shows a purchase of the product that it was said to show.
  static let matchingProduct = Rule(rawValue: "matchingProduct")
}

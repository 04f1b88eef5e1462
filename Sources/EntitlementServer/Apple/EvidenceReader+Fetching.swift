import Foundation
import IAPModel
import IAPSignatures

extension EvidenceReader {
  /// Asks the App Store for a transaction that the ledger does not know.
  ///
  /// What comes back is verified like any other, and is recorded: the next time the ledger answers.
  /// Knowing an identifier is no proof of having bought, so it is credited to nobody.
  ///
  /// - Parameters:
  ///   - id: The transaction.
  ///   - request: What is asked to be judged.
  ///   - app: The app of the caller; nil when it may be any.
  ///   - now: When the request is worked on.
  /// - Returns: The proof, or why there is none.
  /// - Throws: ``ServerError``: 501 without a key, 503 when the App Store could not be asked.
  func fetched(
    _ id: TransactionID,
    _ request: VerifyRequest,
    app: BundleID?,
    at now: Date
  ) async throws(ServerError) -> ProofOutcome {
    switch try await apple?.transaction(id, app: app) ?? .notConfigured {
    case .notConfigured:
      throw ServerError(
        501,
        .unsupported,
        .transactionLookupUnsupported,
        "The transaction is not known here, and this server has no key to ask the App Store with: "
          + "send signedTransaction, or receipt.",
        parameter: "transactionId"
      )
    case .unknown:
      return .refused([
        RuleFailure(
          part: .transaction,
          rule: .knownToStore,
          reason: "the App Store knows no such transaction of this app"
        )
      ])
    case .found(let text):
      guard case .proven(var proof) = try await signedTransaction(text, at: now) else {
        return .refused([
          RuleFailure(
            part: .transaction,
            rule: .knownToStore,
            reason: "what the App Store's address answered is not signed as it must be"
          )
        ])
      }
      proof.isPresented = false
      // The App Store answers a restored copy's identifier with what it is a copy of.
      var request = request
      request.transactionID = nil
      return matched(proof, request, part: .transaction)
    }
  }
}

extension Rule {
  /// The App Store knows the transaction.
  static let knownToStore = Rule(rawValue: "knownToStore")
}

import Foundation
import IAPModel

/// Passes questions on, and tells what the user may use before the one who asked goes on: nobody is
/// told of a purchase earlier than of the access that comes with it.
///
/// It also keeps what opens the customer's own data at the server, and shows it with each question;
/// and it gives up on a validator that takes for ever, so that nobody waits for it but itself.
struct WatchedValidator: ReceiptValidator {
  let validator: any ReceiptValidator
  let entitlements: EntitlementManager
  let account: SignedInAccount
  let world: IAPWorld

  private var token: CustomerToken { entitlements.token }

  func validate(receiptData: Data, isSandbox: Bool) async throws -> ReceiptValidationResult {
    try await world.answer { [validator] in
      try await validator.validate(receiptData: receiptData, isSandbox: isSandbox)
    }
  }

  func validate(_ evidence: TransactionEvidence) async throws -> ReceiptValidationResult {
    // What another user of the app owns says nothing about the present one.
    let isAboutUser =
      !evidence.isOfUnknownUser
      && (evidence.account == nil || evidence.account == account.id?.rawValue)
    let shown = isAboutUser ? signed(evidence) : evidence
    let question = entitlements.ask(about: TransactionID(evidence.transactionId))
    defer { entitlements.end(question) }
    let result = try await world.answer { [validator] in try await validator.validate(shown) }
    // Only who has the last word says who the customer is and what counts.
    guard !result.isProvisional, isAboutUser else { return result }
    guard result.belongsToAnother != true else {
      entitlements.disown(OriginalTransactionID(evidence.originalTransactionId))
      return result
    }
    if let given = result.customerToken { token.keep(given) }
    entitlements.take(result, about: evidence, question)
    return result
  }

  func acknowledge(_ evidence: TransactionEvidence) async throws {
    let note = signed(evidence)
    try await world.answer { [validator] in try await validator.acknowledge(note) }
  }

  /// What the server says of the customer; nil when it does not know the token, or there is none.
  func customer() async throws(IAPError) -> CustomerAnswer? {
    guard let known = token.value, let source = validator as? any CustomerSource else { return nil }
    let answer = try await source.customer(token: known)
    if answer == nil, token.value == known { token.keep(nil) }
    return answer
  }

  private func signed(_ evidence: TransactionEvidence) -> TransactionEvidence {
    var evidence = evidence
    evidence.customerToken = token.value
    return evidence
  }

  func report(_ report: QuarantineReport) async throws {
    try await world.answer { [validator] in try await validator.report(report) }
  }
}

import Foundation

/// Passes questions on, and tells what the user may use before the one who asked goes on: nobody is
/// told of a purchase earlier than of the access that comes with it.
struct WatchedValidator: ReceiptValidator {
  let validator: any ReceiptValidator
  let entitlements: EntitlementManager

  func validate(receiptData: Data, isSandbox: Bool) async throws -> ReceiptValidationResult {
    try await validator.validate(receiptData: receiptData, isSandbox: isSandbox)
  }

  func validate(_ evidence: TransactionEvidence) async throws -> ReceiptValidationResult {
    let result = try await validator.validate(evidence)
    entitlements.take(result, about: evidence)
    return result
  }
  func acknowledge(_ evidence: TransactionEvidence) async throws {
    try await validator.acknowledge(evidence)
  }
}

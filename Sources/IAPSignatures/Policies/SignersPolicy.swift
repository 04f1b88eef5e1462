/// The receipt has one signer: with two it would not be clear whose word counts.
///
/// - Source: docs/decisions/0106-receipt-strictness.md.
struct SignersPolicy: ReceiptPolicy {
  let rule = Rule.signers

  func judge(_ evidence: ReceiptEvidence) -> Judgement {
    guard let container = evidence.container else { return .open }
    return container.signers.count == 1
      ? .holds : .fails("\(container.signers.count) signers, expected one")
  }
}

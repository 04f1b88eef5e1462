/// No attribute that may stand once stands twice: two readers could see two values.
///
/// - Source: docs/decisions/0106-receipt-strictness.md; only attribute 17 may be repeated.
struct RepeatedAttributesPolicy: ReceiptPolicy {
  let rule = Rule.repeatedAttributes

  func judge(_ evidence: ReceiptEvidence) -> Judgement {
    guard let repeated = evidence.reading?.repeated else { return .open }
    guard let first = repeated.first else { return .holds }
    return .fails("attribute \(first) stands twice")
  }
}

/// The container holds its content, a set of attributes in their known form.
///
/// - Source: Apple, "Validating receipts on the device".
struct ReceiptContentPolicy: ReceiptPolicy {
  let rule = Rule.payload

  func judge(_ evidence: ReceiptEvidence) -> Judgement {
    guard let container = evidence.container else { return .open }
    guard container.content != nil else { return .fails("the content is not in the receipt") }
    if let problem = evidence.readingProblem { return .fails("the content: \(problem)") }
    return evidence.reading == nil ? .open : .holds
  }
}

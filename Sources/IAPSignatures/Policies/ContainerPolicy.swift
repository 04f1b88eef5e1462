/// The receipt is one PKCS#7 container of signed data with nothing behind it.
///
/// - Source: RFC 2315, section 9; docs/decisions/0106-receipt-strictness.md for trailing bytes.
struct ContainerPolicy: ReceiptPolicy {
  let rule = Rule.container

  func judge(_ evidence: ReceiptEvidence) -> Judgement {
    guard let container = evidence.container else {
      let form = evidence.form.flatMap { $0 == .receipt ? nil : $0.rawValue }
      return .fails("it is no receipt: \(form ?? evidence.containerProblem ?? "it cannot be read")")
    }
    return container.contentType == .pkcs7Data
      ? .holds : .fails("what is signed is not plain data")
  }
}

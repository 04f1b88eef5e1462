import IAPModel

/// The header is a JSON object.
///
/// - Source: RFC 7515, section 4.
struct HeaderPolicy: JWSPolicy {
  let rule = Rule.header

  func judge(_ evidence: JWSEvidence) -> Judgement {
    switch evidence.header {
    case .value: .holds
    case .refused(let error) where error.code == .notJSON || error.code == .wrongType:
      .fails("the header is not a JSON object: \(error.reason)")
    case .refused, .notEncoded, .missing: .open
    }
  }
}

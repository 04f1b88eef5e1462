import IAPModel

/// The header demands no extension: none is known here, so `crit` must be absent.
///
/// - Source: RFC 7515, section 4.1.11.
struct CriticalHeaderPolicy: JWSPolicy {
  let rule = Rule.criticalHeader

  func judge(_ evidence: JWSEvidence) -> Judgement {
    guard let header = evidence.header.value else { return .open }
    return header["crit"] == nil
      ? .holds : .fails("the header demands extensions that are not known here")
  }
}

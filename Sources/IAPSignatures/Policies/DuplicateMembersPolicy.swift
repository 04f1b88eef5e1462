import IAPModel

/// No object in header or payload names a member twice: two readers could see two values.
///
/// - Source: RFC 7515, section 4, and RFC 8259, section 4.
struct DuplicateMembersPolicy: JWSPolicy {
  let rule = Rule.duplicateMembers

  func judge(_ evidence: JWSEvidence) -> Judgement {
    for (name, part) in [("header", evidence.header), ("payload", evidence.payload)] {
      if case .refused(let error) = part, error.code == .duplicateMember {
        return .fails("the \(name): \(error.reason)")
      }
    }
    return evidence.header.value == nil || evidence.payload.value == nil ? .open : .holds
  }
}

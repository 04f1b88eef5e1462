import IAPModel

/// Neither text nor header nor payload is larger or nested deeper than the limits.
///
/// - Source: docs/ARCHITECTURE.md; nothing from the App Store comes near the limits.
struct LimitsPolicy: JWSPolicy {
  let rule = Rule.limits

  func judge(_ evidence: JWSEvidence) -> Judgement {
    if let count = evidence.tooLong {
      return .fails("\(count) bytes of text, at most \(evidence.limits.textBytesMax)")
    }
    for (name, part) in [("header", evidence.header), ("payload", evidence.payload)] {
      guard case .refused(let error) = part else { continue }
      if error.code == .tooLarge || error.code == .tooDeep {
        return .fails("the \(name): \(error.reason)")
      }
    }
    return .holds
  }
}

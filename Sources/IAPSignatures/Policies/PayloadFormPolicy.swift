import IAPModel

/// The payload is a JSON object.
///
/// - Source: App Store Server API, `JWSDecodedHeader` and its neighbours.
struct PayloadFormPolicy: JWSPolicy {
  let rule = Rule.payload

  func judge(_ evidence: JWSEvidence) -> Judgement {
    switch evidence.payload {
    case .value: .holds
    case .refused(let error) where error.code == .notJSON || error.code == .wrongType:
      .fails("the payload is not a JSON object: \(error.reason)")
    case .refused, .notEncoded, .missing: .open
    }
  }
}

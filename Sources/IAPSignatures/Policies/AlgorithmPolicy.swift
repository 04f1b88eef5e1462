import IAPModel

/// The algorithm is ES256, spelt exactly so: no other, and never none.
///
/// - Source: App Store Server API, `JWSDecodedHeader`; RFC 8725, section 3.1.
struct AlgorithmPolicy: JWSPolicy {
  let rule = Rule.algorithm

  func judge(_ evidence: JWSEvidence) -> Judgement {
    guard let header = evidence.header.value else { return .open }
    return header["alg"]?.stringValue == "ES256"
      ? .holds : .fails("the algorithm is not ES256")
  }
}

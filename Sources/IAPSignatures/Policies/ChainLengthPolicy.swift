import IAPModel

/// The header carries exactly three certificates: leaf, intermediate and root.
///
/// - Source: app-store-server-library, chain verifier; facts/jws-and-receipts.md, section 1.
struct ChainLengthPolicy: JWSPolicy {
  let rule = Rule.chainLength

  /// How many certificates the App Store sends.
  static let count = 3

  func judge(_ evidence: JWSEvidence) -> Judgement {
    guard let header = evidence.header.value else { return .open }
    guard let certificates = evidence.certificates else {
      return .fails(
        header["x5c"] == nil
          ? "the header carries no certificates" : "the certificates are not a list of texts"
      )
    }
    return certificates.count == Self.count
      ? .holds : .fails("number of certificates: \(certificates.count), expected \(Self.count)")
  }
}

import Foundation

/// A root that is trusted here issued the intermediate; one that came along counts for nothing.
///
/// - Source: RFC 5280, section 6.1.1 (d); Apple, "Verifying signed data".
struct TrustedRootPolicy: ChainPolicy {
  let rule = Rule.trustedRoot

  func judge(_ chain: ChainEvidence, at instant: Date?) -> Judgement {
    guard chain.intermediate != nil else { return .open }
    guard chain.anchor != nil else {
      return .fails("the intermediate certificate names an issuer that is not trusted here")
    }
    guard chain.isIntermediateSigned == true else {
      return .fails("the intermediate certificate only claims to come from a trusted root")
    }
    return .holds
  }
}

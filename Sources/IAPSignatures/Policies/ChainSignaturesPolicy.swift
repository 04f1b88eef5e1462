import Foundation

/// Each certificate is signed with the next one's key.
///
/// - Source: RFC 5280, section 6.1.3 (a) (1).
struct ChainSignaturesPolicy: ChainPolicy {
  let rule = Rule.chainSignatures

  func judge(_ chain: ChainEvidence, at instant: Date?) -> Judgement {
    var reasons: [String] = []
    if chain.isLeafSigned == false {
      reasons.append("the signing certificate is not signed by the intermediate certificate")
    }
    if chain.isIntermediateSigned == false {
      reasons.append("the intermediate certificate is not signed by the trusted root")
    }
    if !reasons.isEmpty { return .fails(reasons.joined(separator: "; ")) }
    return chain.isLeafSigned == true && chain.isIntermediateSigned == true ? .holds : .open
  }
}

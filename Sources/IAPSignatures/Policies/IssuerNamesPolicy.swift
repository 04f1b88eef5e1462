import Foundation

/// Each certificate names the next one's subject as its issuer.
///
/// - Source: RFC 5280, section 6.1.3 (a) (4).
struct IssuerNamesPolicy: ChainPolicy {
  let rule = Rule.issuerNames

  func judge(_ chain: ChainEvidence, at instant: Date?) -> Judgement {
    guard let leaf = chain.leaf, let intermediate = chain.intermediate else { return .open }
    guard leaf.issuer == intermediate.subject else {
      return .fails("the signing certificate names another issuer than the second certificate")
    }
    guard let anchor = chain.anchor else { return .open }
    return intermediate.issuer == anchor.subject
      ? .holds : .fails("the second certificate names another issuer than the root")
  }
}

import Foundation

/// Intermediate and root are authorities, the leaf is none, and no path is longer than allowed.
///
/// - Source: RFC 5280, sections 4.2.1.9 and 6.1.4 (k) to (m).
struct AuthorityPolicy: ChainPolicy {
  let rule = Rule.authority

  func judge(_ chain: ChainEvidence, at instant: Date?) -> Judgement {
    if chain.leaf?.isAuthority == true { return .fails("the signing certificate is an authority") }
    guard let intermediate = chain.intermediate else { return .open }
    guard intermediate.isAuthority == true else {
      return .fails("the intermediate certificate is no authority")
    }
    guard let anchor = chain.anchor else { return .open }
    guard anchor.isAuthority == true else { return .fails("the root is no authority") }
    // Path lengths count the authorities below: none below the intermediate, one below the root.
    if let length = anchor.pathLength, length < 1 {
      return .fails("the root allows no intermediate certificate")
    }
    return chain.leaf == nil ? .open : .holds
  }
}

import Foundation

/// The leaf and the intermediate are X.509 certificates of version 3 and nothing else.
///
/// - Source: RFC 5280, section 4.1.
struct CertificateFormPolicy: ChainPolicy {
  let rule = Rule.certificates

  func judge(_ chain: ChainEvidence, at instant: Date?) -> Judgement {
    if let reason = chain.unreadable { return .fails(reason) }
    return chain.leaf == nil || chain.intermediate == nil ? .open : .holds
  }
}

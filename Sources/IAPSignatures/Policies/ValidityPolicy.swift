import Foundation

/// Every certificate of the chain is valid at the instant that counts, both ends included.
///
/// - Source: RFC 5280, sections 4.1.2.5 and 6.1.3 (a) (2); docs/decisions/0101-chain-instant.md.
struct ValidityPolicy: ChainPolicy {
  let rule = Rule.validity

  func judge(_ chain: ChainEvidence, at instant: Date?) -> Judgement {
    guard let instant else { return .open }
    let certificates = [
      ("signing", chain.leaf), ("intermediate", chain.intermediate), ("root", chain.anchor),
    ]
    var reasons: [String] = []
    var count = 0
    for (name, certificate) in certificates {
      guard let certificate else { continue }
      count += 1
      if instant < certificate.notBefore {
        reasons.append("the \(name) certificate is not valid yet")
      } else if instant > certificate.notAfter {
        reasons.append("the \(name) certificate has ended")
      }
    }
    if !reasons.isEmpty {
      return .fails(reasons.joined(separator: "; ") + " at \(CivilTime(instant).text)")
    }
    return count == certificates.count ? .holds : .open
  }
}

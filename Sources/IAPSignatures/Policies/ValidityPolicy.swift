import Foundation

/// Every certificate of the chain is valid at the instant that counts, both ends included.
///
/// - Source: RFC 5280, sections 4.1.2.5 and 6.1.3 (a) (2); docs/decisions/0101-chain-instant.md.
struct ValidityPolicy: ChainPolicy {
  enum Places: Sendable {
    /// Leaf, intermediate and root.
    case chain
    /// The leaf, which stands alone.
    case leaf
  }

  let rule = Rule.validity
  var places = Places.chain

  func judge(_ chain: ChainEvidence, at instant: Date?) -> Judgement {
    guard let instant else { return .open }
    var certificates = [("signing", chain.leaf)]
    if places == .chain {
      certificates += [("intermediate", chain.intermediate), ("root", chain.anchor)]
    }
    var reasons: [String] = []
    var isComplete = true
    for (name, certificate) in certificates {
      guard let certificate else {
        isComplete = false
        continue
      }
      if instant < certificate.notBefore {
        reasons.append(
          "the \(name) certificate is valid only from \(CivilTime(certificate.notBefore).text)"
        )
      } else if instant > certificate.notAfter {
        reasons.append("the \(name) certificate ended at \(CivilTime(certificate.notAfter).text)")
      }
    }
    guard reasons.isEmpty else {
      return .fails("at \(CivilTime(instant).text): " + reasons.joined(separator: "; "))
    }
    return isComplete ? .holds : .open
  }
}

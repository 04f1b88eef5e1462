import Foundation

/// No certificate demands attention to an extension that is not looked at here.
///
/// - Source: RFC 5280, section 4.2.
struct CriticalExtensionsPolicy: ChainPolicy {
  let rule = Rule.criticalExtensions

  private static let lookedAt: Set<OID> = [
    .basicConstraints, .keyUsage, .receiptSigningMarker, .intermediateMarker,
  ]

  func judge(_ chain: ChainEvidence, at instant: Date?) -> Judgement {
    let certificates = [chain.leaf, chain.intermediate, chain.anchor].compactMap { $0 }
    for certificate in certificates {
      let unknown = certificate.extensions.first {
        $0.isCritical && !Self.lookedAt.contains($0.id)
      }
      if let unknown { return .fails("the critical extension \(unknown.id) is not known here") }
    }
    return certificates.count == 3 ? .holds : .open
  }
}

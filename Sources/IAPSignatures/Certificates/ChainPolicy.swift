import Foundation

/// A rule about a chain of certificates.
protocol ChainPolicy: Sendable {
  /// The rule's name.
  var rule: Rule { get }

  /// Says whether the chain follows the rule.
  func judge(_ chain: ChainEvidence, at instant: Date?) -> Judgement
}

/// The rules about chains, in the order in which failures are listed.
struct ChainPolicies: Sendable {
  private let policies: [any ChainPolicy]

  init(_ policies: [any ChainPolicy]) { self.policies = policies }

  /// What holds for every chain that ends at Apple's or a simulated root.
  static func rooted(leafKeys: LeafKeyPolicy, pinsThird: Bool, allowsSHA1: Bool) -> Self {
    var policies: [any ChainPolicy] = [CertificateFormPolicy(), TrustedRootPolicy()]
    if pinsThird { policies.append(PinnedThirdCertificatePolicy()) }
    policies += [
      IssuerNamesPolicy(),
      ChainSignaturesPolicy(),
      ChainAlgorithmsPolicy(allowsSHA1: allowsSHA1),
      MarkerPolicy(place: .leaf, marker: .receiptSigningMarker),
      MarkerPolicy(place: .intermediate, marker: .intermediateMarker),
      AuthorityPolicy(),
      KeyUsagePolicy(),
      CriticalExtensionsPolicy(),
      ValidityPolicy(),
      leafKeys,
    ]
    return Self(policies)
  }

  /// Applies every rule.
  func judge(_ chain: ChainEvidence, at instant: Date?, into findings: inout Findings) {
    for policy in policies { findings.add(policy.rule, policy.judge(chain, at: instant)) }
  }
}

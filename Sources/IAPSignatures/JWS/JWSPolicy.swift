/// A rule about the text, the header and the signature of a JWS.
protocol JWSPolicy: Sendable {
  /// The rule's name.
  var rule: Rule { get }

  /// Says whether the text follows the rule.
  func judge(_ evidence: JWSEvidence) -> Judgement
}

/// The rules about a JWS, in the order in which failures are listed.
enum JWSPolicies {
  /// What is judged before the chain.
  static let beforeChain: [any JWSPolicy] = [
    FormatPolicy(), LimitsPolicy(), HeaderPolicy(), PayloadFormPolicy(), DuplicateMembersPolicy(),
    AlgorithmPolicy(), CriticalHeaderPolicy(), ChainLengthPolicy(),
  ]

  /// What is judged behind the chain.
  static let afterChain: [any JWSPolicy] = [SignatureLengthPolicy(), SignaturePolicy()]
}

/// A chain that a verifier found right: what to ask responders about.
public struct VerifiedChain: Hashable, Sendable {
  /// The certificate that signed.
  public let leaf: Certificate
  /// The authority that issued it.
  public let intermediate: Certificate
  /// The trusted root that issued the authority's.
  public let root: Certificate

  /// Takes the chain out of evidence; nil where a certificate stands alone.
  init?(_ evidence: ChainEvidence?) {
    guard let leaf = evidence?.leaf, let intermediate = evidence?.intermediate,
      let root = evidence?.anchor
    else { return nil }
    self.leaf = leaf
    self.intermediate = intermediate
    self.root = root
  }

  /// The certificates that an authority can have revoked, each with that authority's; the root has
  /// nobody above it.
  public var links: [(certificate: Certificate, issuer: Certificate)] {
    [(leaf, intermediate), (intermediate, root)]
  }
}

extension [VerifiedChain] {
  /// Adds chains that are not among these yet.
  mutating func add(_ others: [VerifiedChain]?) {
    for other in others ?? [] where !contains(other) { append(other) }
  }
}

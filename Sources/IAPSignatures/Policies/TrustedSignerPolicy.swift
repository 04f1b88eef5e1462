import Foundation

/// The signing certificate itself is trusted: Xcode signs the receipts of local tests so.
///
/// - Source: facts/jws-and-receipts.md, section 6.1; never in production.
struct TrustedSignerPolicy: ChainPolicy {
  let rule = Rule.trustedRoot

  func judge(_ chain: ChainEvidence, at instant: Date?) -> Judgement {
    guard let leaf = chain.leaf else { return .open }
    return chain.anchors.roots.contains { $0.der == leaf.der }
      ? .holds : .fails("the signing certificate is not the trusted one of Xcode")
  }
}

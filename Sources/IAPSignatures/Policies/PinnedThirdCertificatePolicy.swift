import Foundation

/// The third certificate is a trusted root, byte by byte.
///
/// The chain is judged against the trusted root either way; this rule refuses data that says
/// something else about its own root.
///
/// - Source: docs/decisions/0102-pinned-third-certificate.md.
struct PinnedThirdCertificatePolicy: ChainPolicy {
  let rule = Rule.pinnedThirdCertificate

  func judge(_ chain: ChainEvidence, at instant: Date?) -> Judgement {
    guard chain.presentedCount > 2 else { return .open }
    guard let third = chain.third else { return .fails("the third certificate is not base64") }
    guard chain.anchors.roots.contains(where: { $0.der == third }) else {
      return .fails("the third certificate is not a trusted root")
    }
    guard let anchor = chain.anchor else { return .open }
    return anchor.der == third
      ? .holds : .fails("the third certificate is another root than the one that was used")
  }
}

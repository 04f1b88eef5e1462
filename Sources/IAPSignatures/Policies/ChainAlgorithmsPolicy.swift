import Foundation

/// The certificates are signed with digests and keys that are strong enough.
///
/// SHA-1 is taken for receipts alone: the App Store signed them so until 2025-01-24.
///
/// - Source: Apple TN3138; RFC 6194.
struct ChainAlgorithmsPolicy: ChainPolicy {
  let rule = Rule.chainAlgorithms
  let allowsSHA1: Bool

  /// The smallest RSA key of an authority, in bits.
  static let rsaBitsMin = 2048

  func judge(_ chain: ChainEvidence, at instant: Date?) -> Judgement {
    guard let leaf = chain.leaf, let intermediate = chain.intermediate else { return .open }
    for (name, certificate) in [("signing", leaf), ("intermediate", intermediate)] {
      guard let digest = certificate.algorithm?.digest else {
        return .fails("the \(name) certificate is signed with an unknown algorithm")
      }
      switch digest {
      case .md5: return .fails("the \(name) certificate is signed over MD5")
      case .sha1 where !allowsSHA1:
        return .fails("the \(name) certificate is signed over SHA-1")
      case .sha1, .sha256, .sha384, .sha512: break
      }
    }
    for kind in chain.issuerKinds {
      switch kind {
      case .p256, .p384: break
      case .rsa(let bits) where bits >= Self.rsaBitsMin: break
      case .rsa(let bits): return .fails("an authority has an RSA key of \(bits) bits")
      case .other(let name): return .fails("an authority has a key of kind \(name)")
      }
    }
    return chain.issuerKinds.count == 2 ? .holds : .open
  }
}

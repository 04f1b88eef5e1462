import Foundation

/// The signing key is of the kind and strength that the App Store uses.
///
/// - Source: RFC 7518, section 3.4, for ES256; Apple TN3138 for receipts.
struct LeafKeyPolicy: ChainPolicy {
  enum Kinds: Sendable {
    /// A P-256 key, which ES256 wants.
    case es256
    /// An RSA key of enough bits.
    case rsa
  }

  let rule = Rule.leafKey
  let kinds: Kinds

  /// The smallest RSA key, in bits.
  static let rsaBitsMin = 2048

  func judge(_ chain: ChainEvidence, at instant: Date?) -> Judgement {
    guard chain.leaf != nil else { return .open }
    guard let kind = chain.leafKey?.kind else { return .fails("the signing key cannot be used") }
    switch (kinds, kind) {
    case (.es256, .p256): return .holds
    case (.es256, _): return .fails("the signing key is not on the curve P-256")
    case (.rsa, .rsa(let bits)) where bits >= Self.rsaBitsMin: return .holds
    case (.rsa, .rsa(let bits)):
      return .fails("the signing key is RSA with \(bits) bits, at least \(Self.rsaBitsMin)")
    case (.rsa, _): return .fails("the signing key is not RSA")
    }
  }
}

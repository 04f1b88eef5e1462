import Foundation

/// The leaf's key may sign data, and the authorities' keys may sign certificates.
///
/// - Source: RFC 5280, sections 4.2.1.3 and 6.1.4 (n).
struct KeyUsagePolicy: ChainPolicy {
  let rule = Rule.keyUsage

  func judge(_ chain: ChainEvidence, at instant: Date?) -> Judgement {
    // The extension may be absent: then the key may be used for anything.
    if let usage = chain.leaf?.usage, !usage.contains(.digitalSignature) {
      return .fails("the signing certificate's key is not for signatures")
    }
    for (name, certificate) in [("intermediate", chain.intermediate), ("root", chain.anchor)] {
      if let usage = certificate?.usage, !usage.contains(.certificateSigning) {
        return .fails("the \(name) certificate's key is not for signing certificates")
      }
    }
    return chain.leaf == nil || chain.intermediate == nil || chain.anchor == nil ? .open : .holds
  }
}

import Foundation
import IAPModel

/// What is known about a chain, before any rule looks at it.
///
/// The costly part of an examination: reading certificates and checking their signatures. It does
/// not depend on the time, so it can be kept. A reference, because it is passed on for each text.
final class ChainEvidence: Sendable {
  /// How many certificates came along.
  let presentedCount: Int
  /// Why one of those that matter could not be read, nil when all could.
  let unreadable: String?
  /// The certificate that signs data.
  let leaf: Certificate?
  /// The authority that issued the leaf.
  let intermediate: Certificate?
  /// The bytes of the third certificate, nil when there is none.
  let third: [UInt8]?
  /// The trusted root that issued the intermediate, by name and, where possible, by signature.
  let anchor: Certificate?
  /// Whether the leaf is signed by the intermediate's key; nil when that cannot be said.
  let isLeafSigned: Bool?
  /// Whether the intermediate is signed by the trusted root's key; nil when that cannot be said.
  let isIntermediateSigned: Bool?
  /// The leaf's key, ready for use.
  let leafKey: (any VerificationKey)?
  /// The kinds of the intermediate's and the root's key.
  let issuerKinds: [KeyKind]
  /// The roots that were trusted when this was found out.
  let anchors: TrustAnchors

  fileprivate init(_ draft: ChainDraft, anchors: TrustAnchors) {
    presentedCount = draft.presentedCount
    unreadable = draft.unreadable
    leaf = draft.leaf
    intermediate = draft.intermediate
    third = draft.third
    anchor = draft.anchor
    isLeafSigned = draft.isLeafSigned
    isIntermediateSigned = draft.isIntermediateSigned
    leafKey = draft.leafKey
    issuerKinds = draft.issuerKinds
    self.anchors = anchors
  }

  /// What is known when there are no certificates.
  convenience init(anchors: TrustAnchors) { self.init(ChainDraft(), anchors: anchors) }

  /// Whether there is nothing to hold against it but the time: worth keeping.
  var isSound: Bool {
    unreadable == nil && anchor != nil && isLeafSigned == true && isIntermediateSigned == true
      && leafKey != nil
  }
}

/// Evidence while it is being gathered.
private struct ChainDraft {
  var presentedCount = 0
  var unreadable: String?
  var leaf: Certificate?
  var intermediate: Certificate?
  var third: [UInt8]?
  var anchor: Certificate?
  var isLeafSigned: Bool?
  var isIntermediateSigned: Bool?
  var leafKey: (any VerificationKey)?
  var issuerKinds: [KeyKind] = []
}

/// Chains that were read and checked before.
///
/// Kept by the caller, because this module holds no state. What is kept is not a verdict: every
/// rule is applied again each time, the validity of the certificates among them.
public protocol ChainCache: Sendable {
  /// The chain that was stored under a key.
  ///
  /// - Parameter key: The bytes of the certificates.
  /// - Returns: The chain, nil when it is not there.
  func chain(for key: [UInt8]) -> CheckedChain?

  /// Keeps a chain, perhaps in the place of another.
  ///
  /// - Parameters:
  ///   - chain: The chain.
  ///   - key: The bytes of the certificates.
  func store(_ chain: CheckedChain, for key: [UInt8])
}

/// A chain whose certificates were read and whose signatures were found right.
public struct CheckedChain: Sendable {
  let evidence: ChainEvidence
  /// The members of the header that it is known by, nil when it is known by its certificates.
  let header: JSONObject?

  init?(_ evidence: ChainEvidence, header: JSONObject? = nil) {
    guard evidence.isSound else { return nil }
    self.evidence = evidence
    self.header = header
  }
}

/// Reads certificates and checks who signed whom.
struct ChainReader: Sendable {
  let anchors: TrustAnchors
  let crypto: any VerificationPrimitives
  let cache: (any ChainCache)?

  /// RSA keys beyond this many bits are not used: checking with them takes too long.
  static let rsaBitsMax = 4096

  /// Looks a chain up, or reads and checks it.
  ///
  /// The certificates are the DER of leaf, intermediate and third, made only if the chain is not
  /// kept; nil stands for one that is not even base64.
  func evidence(
    key: [UInt8],
    header: JSONObject? = nil,
    certificates: () -> [[UInt8]?]
  ) throws(CryptoError) -> ChainEvidence {
    if let kept = cache?.chain(for: key)?.evidence, kept.anchors == anchors { return kept }
    let evidence = try check(certificates())
    if let chain = CheckedChain(evidence, header: header) { cache?.store(chain, for: key) }
    return evidence
  }

  /// The chain that is known by a header's text.
  func kept(header: ArraySlice<UInt8>) -> CheckedChain? {
    guard let chain = cache?.chain(for: Array(header)), chain.evidence.anchors == anchors else {
      return nil
    }
    return chain
  }

  /// Reads and checks a chain.
  func check(_ certificates: [[UInt8]?]) throws(CryptoError) -> ChainEvidence {
    ChainEvidence(try draft(certificates), anchors: anchors)
  }

  private func draft(_ certificates: [[UInt8]?]) throws(CryptoError) -> ChainDraft {
    var evidence = ChainDraft()
    evidence.presentedCount = certificates.count
    if certificates.count > 2 {
      // The root's own bytes in the place of equal ones: comparing them again costs nothing.
      let root = anchors.roots.first { $0.der == certificates[2] }
      evidence.third = root?.der ?? certificates[2]
    }
    evidence.leaf = read(certificates, 0, &evidence)
    evidence.intermediate = read(certificates, 1, &evidence)
    if let leaf = evidence.leaf { evidence.leafKey = try key(of: leaf) }
    guard let intermediate = evidence.intermediate else { return evidence }
    try findAnchor(of: intermediate, &evidence)
    if let issuerKey = try key(of: intermediate) {
      evidence.issuerKinds.insert(issuerKey.kind, at: 0)
      evidence.isLeafSigned = evidence.leaf.flatMap { Self.isSigned($0, by: issuerKey) }
    }
    return evidence
  }

  private func read(
    _ certificates: [[UInt8]?],
    _ index: Int,
    _ evidence: inout ChainDraft
  ) -> Certificate? {
    guard index < certificates.count else { return nil }
    guard let der = certificates[index] else {
      evidence.unreadable = evidence.unreadable ?? "certificate \(index + 1) is not base64"
      return nil
    }
    do {
      return try Certificate(der: der)
    } catch {
      evidence.unreadable = evidence.unreadable ?? "certificate \(index + 1): \(error.reason)"
      return nil
    }
  }

  /// Finds the trusted root whose name the intermediate gives; of several, the one that signed it.
  private func findAnchor(
    of intermediate: Certificate,
    _ evidence: inout ChainDraft
  ) throws(CryptoError) {
    for root in anchors.roots where root.subject == intermediate.issuer {
      guard let rootKey = try key(of: root) else { continue }
      let isSigned = Self.isSigned(intermediate, by: rootKey)
      if evidence.anchor == nil || isSigned == true {
        evidence.anchor = root
        evidence.isIntermediateSigned = isSigned
        evidence.issuerKinds = [rootKey.kind]
      }
      if isSigned == true { return }
    }
  }

  /// The key of a certificate, nil when it is none that is used here.
  func key(of certificate: Certificate) throws(CryptoError) -> (any VerificationKey)? {
    do {
      let key = try crypto.makeVerificationKey(
        subjectPublicKeyInfo: certificate.subjectPublicKeyInfo
      )
      if case .rsa(let bits) = key.kind, bits > Self.rsaBitsMax { return nil }
      return key
    } catch  where error.code == "malformedKey" {
      return nil
    }
  }

  private static func isSigned(_ certificate: Certificate, by key: any VerificationKey) -> Bool? {
    guard let algorithm = certificate.algorithm else { return nil }
    switch (key.kind, algorithm.family) {
    case (.p256, .ecdsa), (.p384, .ecdsa), (.rsa, .rsa):
      return key.isValid(
        signature: certificate.signature,
        over: certificate.toBeSigned,
        digest: algorithm.digest,
        form: .der
      )
    default: return false
    }
  }
}

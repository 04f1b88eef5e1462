import Foundation
import IAPModel

/// Verifies app receipts.
///
/// Certificates are judged at the receipt's creation date: Apple's old ones have long ended.
///
/// - **Concurrency:** a value; safe from any thread.
/// - **Source:** Apple, "Validating receipts on the device"; TN3138.
public struct ReceiptVerifier: Sendable {
  /// Which apps and environments are taken.
  public let origin: ExpectedOrigin
  private let limits: DERLimits
  private let reader: ChainReader
  private let chainPolicies: ChainPolicies
  private let crypto: any VerificationPrimitives
  private let isXcode: Bool

  /// Makes a verifier.
  ///
  /// With the anchors of Xcode it takes receipts of local tests and no others.
  ///
  /// - Parameters:
  ///   - anchors: The roots that are trusted.
  ///   - origin: Which apps and environments are taken.
  ///   - crypto: The cryptography.
  ///   - cache: Where checked chains are kept.
  ///   - limits: How much is read.
  public init(
    anchors: TrustAnchors,
    origin: ExpectedOrigin,
    crypto: any VerificationPrimitives,
    cache: (any ChainCache)? = nil,
    limits: DERLimits = .receipt
  ) {
    isXcode = anchors.kind == .xcode
    self.origin = ExpectedOrigin(
      apps: origin.apps,
      environments: isXcode ? [.xcode] : origin.environments
    )
    self.limits = limits
    self.crypto = crypto
    reader = ChainReader(anchors: anchors, crypto: crypto, cache: cache)
    let leafKeys = LeafKeyPolicy(kinds: .rsa)
    chainPolicies =
      isXcode
      ? ChainPolicies([TrustedSignerPolicy(), ValidityPolicy(places: .leaf), leafKeys])
      : .rooted(leafKeys: leafKeys, pinsThird: false, allowsSHA1: true)
  }

  /// Verifies a receipt.
  ///
  /// - Parameters:
  ///   - receipt: The container's bytes.
  ///   - deviceID: The bytes of the device's identifier, nil when the device does not matter.
  /// - Returns: The verdict.
  /// - Throws: ``CryptoError`` when it was not possible to look.
  public func verify(
    _ receipt: [UInt8],
    deviceID: [UInt8]? = nil
  ) throws(CryptoError) -> Verdict<ReceiptPayload> {
    var findings = Findings(part: .receipt)
    guard receipt.count <= limits.sizeBytesMax else {
      findings.add(.limits, .fails("\(receipt.count) bytes, at most \(limits.sizeBytesMax)"))
      return Verdict(findings: findings, evidence: nil)
    }
    var evidence = ReceiptEvidence(receipt, limits: limits, deviceID: deviceID, crypto: crypto)
    try evidence.findChain(reader, isAlone: isXcode)
    let payload = evidence.reading?.payload
    let claims = payload.map { payload in
      Claims(
        bundleID: payload.bundleID,
        appAppleID: payload.appAppleID,
        environment: payload.environment,
        signedDate: payload.creationDate,
        namesAppAppleID: payload.appAppleID != nil
      )
    }
    for policy in ReceiptPolicies.beforeChain { findings.add(policy.rule, policy.judge(evidence)) }
    if !isXcode { findings.add(.chainLength, IssuerPresentPolicy().judge(evidence)) }
    chainPolicies.judge(
      evidence.chain ?? ChainEvidence(anchors: reader.anchors),
      at: payload?.creationDate,
      into: &findings
    )
    for policy in ReceiptPolicies.afterChain { findings.add(policy.rule, policy.judge(evidence)) }
    ClaimPolicies.judge(claims, origin, into: &findings)
    findings.close()
    return Verdict(findings: findings, evidence: verifiable(payload, evidence.chain))
  }

  /// Verifies a receipt that comes as text.
  ///
  /// - Parameters:
  ///   - text: Standard base64; line breaks are passed over, nothing else is.
  ///   - deviceID: The bytes of the device's identifier, nil when the device does not matter.
  /// - Returns: The verdict.
  /// - Throws: ``CryptoError`` when it was not possible to look.
  public func verify(
    base64 text: [UInt8],
    deviceID: [UInt8]? = nil
  ) throws(CryptoError) -> Verdict<ReceiptPayload> {
    switch ReceiptText.read(text, limits: limits) {
    case .bytes(let bytes): return try verify(bytes, deviceID: deviceID)
    case .refused(let reason):
      var findings = Findings(part: .receipt)
      findings.add(.format, .fails(reason))
      return Verdict(findings: findings, evidence: nil)
    }
  }

  private func verifiable(
    _ payload: ReceiptPayload?,
    _ chain: ChainEvidence?
  ) -> Verified<ReceiptPayload>.Evidence? {
    guard let payload, let environment = payload.environment, let date = payload.creationDate
    else { return nil }
    return Verified.Evidence(
      payload: payload,
      environment: environment,
      signedDate: date,
      judgedAt: date,
      trust: reader.anchors.kind,
      chains: VerifiedChain(chain).map { [$0] } ?? []
    )
  }
}

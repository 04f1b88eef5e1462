import Foundation
public import IAPModel

/// Verifies what the App Store signs as JWS.
///
/// Every rule is a file in `Policies/`; a verdict lists all that failed.
///
/// - **Concurrency:** a value; safe from any thread, and as parallel as its primitives.
/// - **Source:** App Store Server API, `JWSTransaction`, `JWSRenewalInfo`, `JWSAppTransaction`.
public struct JWSVerifier: Sendable {
  /// Which apps and environments are taken.
  public let origin: ExpectedOrigin
  /// Which rules can be left out, and how much is read.
  public let options: Options
  private let reader: ChainReader
  private let chainPolicies: ChainPolicies

  /// Choices that change which rules are applied.
  public struct Options: Hashable, Sendable {
    /// Whether the third certificate has to be a trusted root, byte by byte.
    public var pinsThirdCertificate = true
    /// Whether the payload has to bear the marks of the kind that was asked for.
    public var checksKind = true
    /// How much is read.
    public var limits = JWSLimits.standard

    /// Makes the strictest choices.
    public init() {}
  }

  /// Makes a verifier.
  ///
  /// - Parameters:
  ///   - anchors: The roots that are trusted.
  ///   - origin: Which apps and environments are taken.
  ///   - crypto: The cryptography.
  ///   - cache: Where checked chains are kept; without it every call costs twenty times as much.
  ///   - options: Choices that change which rules are applied.
  public init(
    anchors: TrustAnchors,
    origin: ExpectedOrigin,
    crypto: any VerificationPrimitives,
    cache: (any ChainCache)? = nil,
    options: Options = Options()
  ) {
    self.origin = origin
    self.options = options
    reader = ChainReader(anchors: anchors, crypto: crypto, cache: cache)
    chainPolicies = .rooted(
      leafKeys: LeafKeyPolicy(kinds: .es256),
      pinsThird: options.pinsThirdCertificate,
      allowsSHA1: false
    )
  }

  /// Verifies a transaction.
  ///
  /// - Parameters:
  ///   - text: The compact JWS.
  ///   - instant: When the certificates have to be valid.
  /// - Returns: The verdict.
  /// - Throws: ``CryptoError`` when it was not possible to look.
  public func transaction(
    _ text: [UInt8],
    instant: JudgingInstant
  ) throws(CryptoError) -> Verdict<TransactionPayload> {
    try verify(text, instant)
  }

  /// Verifies a transaction.
  ///
  /// - Parameters:
  ///   - text: The compact JWS.
  ///   - instant: When the certificates have to be valid.
  /// - Returns: The verdict.
  /// - Throws: ``CryptoError`` when it was not possible to look.
  public func transaction(
    _ text: String,
    instant: JudgingInstant
  ) throws(CryptoError) -> Verdict<TransactionPayload> {
    try verify(Array(text.utf8), instant)
  }

  /// Verifies renewal info, which names no app: tie it to its transaction.
  ///
  /// - Parameters:
  ///   - text: The compact JWS.
  ///   - instant: When the certificates have to be valid.
  /// - Returns: The verdict.
  /// - Throws: ``CryptoError`` when it was not possible to look.
  public func renewalInfo(
    _ text: [UInt8],
    instant: JudgingInstant
  ) throws(CryptoError) -> Verdict<RenewalInfoPayload> {
    try verify(text, instant)
  }

  /// Verifies an app transaction.
  ///
  /// - Parameters:
  ///   - text: The compact JWS.
  ///   - instant: When the certificates have to be valid.
  /// - Returns: The verdict.
  /// - Throws: ``CryptoError`` when it was not possible to look.
  public func appTransaction(
    _ text: [UInt8],
    instant: JudgingInstant
  ) throws(CryptoError) -> Verdict<AppTransactionPayload> {
    try verify(text, instant)
  }

  /// Verifies the outer signature of a notification; ``NotificationVerifier`` looks inside as well.
  ///
  /// - Parameters:
  ///   - text: The compact JWS.
  ///   - instant: When the certificates have to be valid.
  /// - Returns: The verdict.
  /// - Throws: ``CryptoError`` when it was not possible to look.
  func outerNotification(
    _ text: [UInt8],
    instant: JudgingInstant
  ) throws(CryptoError) -> Verdict<NotificationPayload> {
    try verify(text, instant)
  }

  /// Reads a payload and applies the rules about what it says, but none about its signature.
  func unverified<Payload: SignedPayload>(
    _ text: [UInt8]
  ) -> (payload: Payload?, failures: [RuleFailure]) {
    let evidence = JWSEvidence(text, limits: options.limits, isPayloadAlone: true)
    var findings = Findings(part: Payload.kind.part)
    findings.add(.limits, LimitsPolicy().judge(evidence))
    findings.add(.payload, PayloadFormPolicy().judge(evidence))
    let payload: Payload? = decode(evidence, PayloadForm(), into: &findings)
    ClaimPolicies.judge(payload?.claims, origin, into: &findings)
    findings.close()
    return (payload, findings.failures)
  }

  /// Verifies a JWS of a kind whose members the caller reads.
  ///
  /// The rules are the same but for one: nothing is demanded of the payload beyond what says its
  /// app, environment and date.
  ///
  /// - Parameters:
  ///   - text: The compact JWS.
  ///   - kind: What it should be; it says where the payload names its app.
  ///   - instant: When the certificates have to be valid.
  /// - Returns: The verdict.
  /// - Throws: ``CryptoError`` when it was not possible to look.
  public func members(
    _ text: [UInt8],
    as kind: PayloadKind,
    instant: JudgingInstant
  ) throws(CryptoError) -> Verdict<JSONObject> {
    try verify(text, instant, PayloadForm(kind: kind))
  }

  private func verify<Payload: SignedPayload>(
    _ text: [UInt8],
    _ instant: JudgingInstant
  ) throws(CryptoError) -> Verdict<Payload> {
    try verify(text, instant, PayloadForm())
  }

  private func verify<Payload: Sendable>(
    _ text: [UInt8],
    _ instant: JudgingInstant,
    _ form: PayloadForm<Payload>
  ) throws(CryptoError) -> Verdict<Payload> {
    var evidence = JWSEvidence(text, limits: options.limits) { header in
      knowsHeaders ? reader.kept(header: header) : nil
    }
    if evidence.chain == nil, let certificates = evidence.certificates, !certificates.isEmpty {
      evidence.chain = try chain(certificates, evidence)
    }
    var findings = Findings(part: form.kind.part)
    for policy in JWSPolicies.beforeChain { findings.add(policy.rule, policy.judge(evidence)) }
    var content = Findings(part: form.kind.part)
    let payload = decode(evidence, form, into: &content)
    let claims = payload.map(form.claims)
    let date = judgingDate(instant, claims)
    chainPolicies.judge(
      evidence.chain ?? ChainEvidence(anchors: reader.anchors),
      at: date,
      into: &findings
    )
    for policy in JWSPolicies.afterChain { findings.add(policy.rule, policy.judge(evidence)) }
    ClaimPolicies.judge(claims, origin, into: &content)
    findings.merge(content)
    findings.close()
    return Verdict(
      findings: findings,
      evidence: verifiable(payload, claims, date, evidence.chain)
    )
  }

  /// A plain header is known by its text, which saves reading it; another one by its certificates.
  private func chain(
    _ certificates: [String],
    _ evidence: JWSEvidence
  ) throws(CryptoError) -> ChainEvidence {
    let presented = certificates.prefix(ChainLengthPolicy.count)
    let header = knowsHeaders ? evidence.plainHeader : nil
    let key = header == nil ? Self.key(of: presented) : Array(evidence.headerText)
    return try reader.evidence(key: key, header: header) {
      presented.map { Base64.decode($0.utf8, .standard) }
    }
  }

  private static func key(of certificates: ArraySlice<String>) -> [UInt8] {
    var key: [UInt8] = []
    key.reserveCapacity(certificates.reduce(0) { $0 + $1.utf8.count + 1 })
    for certificate in certificates {
      key.append(contentsOf: certificate.utf8)
      key.append(0)
    }
    return key
  }

  /// A header that was read before passed these limits, and may not pass others.
  private var knowsHeaders: Bool { options.limits.header == JWSLimits.standard.header }

  private func decode<Payload>(
    _ evidence: JWSEvidence,
    _ form: PayloadForm<Payload>,
    into findings: inout Findings
  ) -> Payload? {
    let object = evidence.payload.value
    if options.checksKind {
      let policy = PayloadKindPolicy(expected: form.kind)
      let judgement = policy.judge(object)
      findings.add(policy.rule, judgement)
      // What is something else lacks members too; saying so as well would not help.
      if case .fails = judgement { return nil }
    }
    guard let object else {
      findings.add(.payload, .open)
      return nil
    }
    do {
      return try form.read(object)
    } catch {
      findings.add(.payload, .fails(error.reason))
      return nil
    }
  }

  private func judgingDate(_ instant: JudgingInstant, _ claims: Claims?) -> Date? {
    switch instant {
    case .at(let date): date
    case .signedDate: claims?.signedDate
    }
  }

  private func verifiable<Payload: Sendable>(
    _ payload: Payload?,
    _ claims: Claims?,
    _ date: Date?,
    _ chain: ChainEvidence?
  ) -> Verified<Payload>.Evidence? {
    guard let payload, let environment = claims?.environment,
      let signedDate = claims?.signedDate, let date
    else { return nil }
    return Verified.Evidence(
      payload: payload,
      environment: environment,
      signedDate: signedDate,
      judgedAt: date,
      trust: reader.anchors.kind,
      chains: VerifiedChain(chain).map { [$0] } ?? []
    )
  }
}

public import IAPModel

/// A notification with what is signed inside it.
public struct NotificationContent: Hashable, Sendable {
  /// The notification.
  public var notification: NotificationPayload
  /// The transaction that it is about, when it carries one.
  public var transaction: TransactionPayload?
  /// The renewal info that goes with it, when it carries one.
  public var renewalInfo: RenewalInfoPayload?
}

/// Verifies notifications with everything that is signed inside them.
///
/// - **Source:** App Store Server Notifications, `responseBodyV2`.
public struct NotificationVerifier: Sendable {
  /// How far the signatures are checked.
  public enum Depth: Hashable, Sendable {
    /// All of them: the notification's and those of what it carries.
    case everySignature
    /// The notification's alone, which covers the nested texts byte for byte.
    ///
    /// A third of the cost; only for what Apple posts, never for nested texts that come alone.
    case outerSignature
  }

  private let verifier: JWSVerifier
  private let depth: Depth

  /// Makes a verifier.
  ///
  /// - Parameters:
  ///   - verifier: Applies the rules to each signed text.
  ///   - depth: How far the signatures are checked.
  public init(verifier: JWSVerifier, depth: Depth = .everySignature) {
    self.verifier = verifier
    self.depth = depth
  }

  /// Verifies a notification.
  ///
  /// - Parameters:
  ///   - text: The compact JWS out of `signedPayload`.
  ///   - instant: When the certificates have to be valid.
  /// - Returns: The verdict; failures say which of the signed texts they are about.
  /// - Throws: ``CryptoError`` when it was not possible to look.
  public func verify(
    _ text: [UInt8],
    instant: JudgingInstant
  ) throws(CryptoError) -> Verdict<NotificationContent> {
    let outer = try verifier.outerNotification(text, instant: instant)
    guard let verified = outer.accepted else { return .refused(outer.failures) }
    let data = verified.payload.data
    var findings = Findings(part: .notification)
    var content = NotificationContent(notification: verified.payload)
    var chains = verified.chains
    if let nested = data?.signedTransactionInfo {
      let bytes = Array(nested.utf8)
      switch depth {
      case .everySignature:
        let verdict = try verifier.transaction(bytes, instant: instant)
        content.transaction = verdict.accepted?.payload
        chains.add(verdict.accepted?.chains)
        findings.add(contentsOf: verdict.failures)
      case .outerSignature:
        let read: (payload: TransactionPayload?, failures: [RuleFailure]) = verifier.unverified(
          bytes
        )
        content.transaction = read.payload
        findings.add(contentsOf: read.failures)
      }
    }
    if let nested = data?.signedRenewalInfo {
      let bytes = Array(nested.utf8)
      switch depth {
      case .everySignature:
        let verdict = try verifier.renewalInfo(bytes, instant: instant)
        content.renewalInfo = verdict.accepted?.payload
        chains.add(verdict.accepted?.chains)
        findings.add(contentsOf: verdict.failures)
      case .outerSignature:
        let read: (payload: RenewalInfoPayload?, failures: [RuleFailure]) = verifier.unverified(
          bytes
        )
        content.renewalInfo = read.payload
        findings.add(contentsOf: read.failures)
      }
    }
    let policy = AgreementPolicy()
    findings.add(policy.rule, policy.judge(content))
    findings.close()
    return Verdict(
      findings: findings,
      evidence: Verified.Evidence(
        payload: content,
        environment: verified.environment,
        signedDate: verified.signedDate,
        judgedAt: verified.judgedAt,
        trust: verified.trust,
        chains: chains
      )
    )
  }
}

import IAPSignatures

/// Notes how long signed data took to judge, with the questions about revoked certificates.
struct VerificationWatch: Sendable {
  let metrics: ServerMetrics
  let uptime: @Sendable () -> Duration

  /// Notes the end of a judgement that began at `begin`.
  func note(_ part: SignedPart, since begin: Duration?) {
    guard let begin else { return }
    metrics.observe(.verification, uptime() - begin, ["part": part.rawValue])
  }
}

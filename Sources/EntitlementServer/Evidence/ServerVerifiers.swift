import Foundation
import IAPModel
public import IAPSignatures

/// What the server judges signed data with.
public struct ServerVerifiers: Sendable {
  private let transactions: JWSVerifier
  private let notifications: NotificationVerifier
  private let receipts: ReceiptVerifier
  private let crypto: any VerificationPrimitives
  /// Asks whether certificates were revoked; nil when nobody is asked.
  let revocation: RevocationDesk?
  /// Notes how long judging takes; nil to note nothing.
  var watch: VerificationWatch?

  /// Makes verifiers that all trust the same roots.
  ///
  /// - Parameters:
  ///   - anchors: The roots that are trusted.
  ///   - configuration: The apps and their environments.
  ///   - crypto: The cryptography.
  ///   - cache: Where checked chains are kept.
  ///   - depth: How far the signatures of notifications are checked.
  ///   - revocation: Asks whether certificates were revoked; nil to ask nobody.
  public init(
    anchors: TrustAnchors,
    configuration: ServerConfiguration,
    crypto: any VerificationPrimitives,
    cache: (any ChainCache)?,
    depth: NotificationVerifier.Depth = .everySignature,
    revocation: RevocationDesk? = nil
  ) {
    precondition(
      anchors.kind == .apple || configuration.isSimulated,
      "only a server that marks its answers trusts other roots than Apple's"
    )
    let origin = ExpectedOrigin(
      apps: configuration.apps.map {
        ExpectedOrigin.App(bundleID: $0.bundleID, appAppleID: $0.appAppleID)
      },
      environments: configuration.apps.reduce(into: []) { $0.formUnion($1.environments) }
    )
    transactions = JWSVerifier(anchors: anchors, origin: origin, crypto: crypto, cache: cache)
    notifications = NotificationVerifier(verifier: transactions, depth: depth)
    receipts = ReceiptVerifier(anchors: anchors, origin: origin, crypto: crypto, cache: cache)
    self.crypto = crypto
    self.revocation = revocation
  }

  /// Judges a signed transaction.
  ///
  /// - Parameters:
  ///   - text: The compact JWS.
  ///   - instant: When its chain has to be valid.
  ///   - now: When it is worked on.
  /// - Returns: The verdict.
  /// - Throws: ``ServerError`` with 503 when it was not possible to look.
  func transaction(
    _ text: [UInt8],
    instant: JudgingInstant,
    now: Date
  ) async throws(ServerError) -> Verdict<TransactionPayload> {
    try await standing(.transaction, now) { () throws(CryptoError) in
      try transactions.transaction(text, instant: instant)
    }
  }

  /// Judges signed renewal info.
  ///
  /// - Parameters:
  ///   - text: The compact JWS.
  ///   - instant: When its chain has to be valid.
  ///   - now: When it is worked on.
  /// - Returns: The verdict.
  /// - Throws: ``ServerError`` with 503 when it was not possible to look.
  func renewalInfo(
    _ text: [UInt8],
    instant: JudgingInstant,
    now: Date
  ) async throws(ServerError) -> Verdict<RenewalInfoPayload> {
    try await standing(.renewalInfo, now) { () throws(CryptoError) in
      try transactions.renewalInfo(text, instant: instant)
    }
  }

  /// Judges a notification with everything that is signed in it.
  ///
  /// - Parameters:
  ///   - text: The compact JWS.
  ///   - instant: When its chain has to be valid.
  ///   - now: When it is worked on.
  /// - Returns: The verdict.
  /// - Throws: ``ServerError`` with 503 when it was not possible to look.
  func notification(
    _ text: [UInt8],
    instant: JudgingInstant,
    now: Date
  ) async throws(ServerError) -> Verdict<NotificationContent> {
    try await standing(.notification, now) { () throws(CryptoError) in
      try notifications.verify(text, instant: instant)
    }
  }

  /// Judges a receipt, at its creation date.
  ///
  /// - Parameters:
  ///   - bytes: The receipt.
  ///   - now: When it is worked on.
  /// - Returns: The verdict.
  /// - Throws: ``ServerError`` with 503 when it was not possible to look.
  func receipt(
    _ bytes: [UInt8],
    now: Date
  ) async throws(ServerError) -> Verdict<ReceiptPayload> {
    try await standing(.receipt, now) { () throws(CryptoError) in try receipts.verify(bytes) }
  }

  /// Looks, and asks about the certificates of what was found right.
  private func standing<Payload: Sendable>(
    _ part: SignedPart,
    _ now: Date,
    _ look: () throws(CryptoError) -> Verdict<Payload>
  ) async throws(ServerError) -> Verdict<Payload> {
    let begin = watch?.uptime()
    defer { watch?.note(part, since: begin) }
    let verdict = try looked(look)
    guard let revocation, let verified = verdict.accepted else { return verdict }
    let failures = try await revocation.failures(
      verified.chains,
      part: part,
      signedDate: verified.signedDate,
      at: now
    )
    return failures.isEmpty ? verdict : .refused(failures)
  }

  /// A hash that names a receipt.
  func digest(_ bytes: [UInt8]) -> [UInt8] { crypto.digest(.sha256, bytes) }
}

extension ServerConfiguration {
  /// The rule that several apps on one server need beside the verifier's: the environment has to
  /// be one of this app's own.
  func environmentFailure(
    _ bundleID: BundleID,
    _ environment: StoreEnvironment,
    part: SignedPart
  ) -> RuleFailure? {
    guard let app = app(bundleID), !app.environments.contains(environment) else { return nil }
    let expected = app.orderedEnvironments.map(\.rawValue).joined(separator: " or ")
    return RuleFailure(
      part: part,
      rule: .environment,
      reason: "it comes from the environment \(environment), expected \(expected)"
    )
  }
}

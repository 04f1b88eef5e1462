import Foundation
import IAPModel
public import IAPSignatures

/// What the server judges signed data with.
public struct ServerVerifiers: Sendable {
  let transactions: JWSVerifier
  let notifications: NotificationVerifier
  let receipts: ReceiptVerifier
  private let crypto: any VerificationPrimitives

  /// Makes verifiers that all trust the same roots.
  ///
  /// - Parameters:
  ///   - anchors: The roots that are trusted.
  ///   - configuration: The apps and their environments.
  ///   - crypto: The cryptography.
  ///   - cache: Where checked chains are kept.
  ///   - depth: How far the signatures of notifications are checked.
  public init(
    anchors: TrustAnchors,
    configuration: ServerConfiguration,
    crypto: any VerificationPrimitives,
    cache: (any ChainCache)?,
    depth: NotificationVerifier.Depth = .everySignature
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

import Foundation
import IAPModel
package import IAPSignatures

/// What this device checks signed data with: roots, cryptography, and what ties a receipt to it.
///
/// - **Concurrency:** a value; safe from any thread.
package struct DeviceTrust: Sendable {
  package let signed: JWSVerifier
  package let receipts: ReceiptVerifier
  package let crypto: any VerificationPrimitives
  /// The app's version, nil when it does not matter: a receipt of another one is out of date.
  package var appVersion: String?
  /// The bytes that tie a receipt to this device; nil when it does not matter.
  package var deviceID: [UInt8]?

  /// Trusts these roots.
  ///
  /// - Parameters:
  ///   - anchors: The roots; with those of Xcode, receipts of local tests and nothing else.
  ///   - origin: Which apps and environments are taken.
  ///   - crypto: The cryptography.
  package init(
    anchors: TrustAnchors,
    origin: ExpectedOrigin,
    crypto: any VerificationPrimitives
  ) {
    signed = JWSVerifier(anchors: anchors, origin: origin, crypto: crypto)
    receipts = ReceiptVerifier(anchors: anchors, origin: origin, crypto: crypto)
    self.crypto = crypto
  }

  /// Verifies an app receipt.
  ///
  /// - Parameter bytes: The receipt.
  /// - Returns: The verdict.
  /// - Throws: ``IAPError/verificationFailed(underlying:)`` when it was not possible to look,
  ///   ``IAPError/staleReceipt`` when it is genuine and of another version of the app: a new one
  ///   has to be fetched.
  func verdict(on bytes: [UInt8]) throws(IAPError) -> Verdict<ReceiptPayload> {
    let verdict: Verdict<ReceiptPayload>
    do throws(CryptoError) {
      verdict = try receipts.verify(bytes, deviceID: deviceID)
    } catch {
      throw .verificationFailed(underlying: error)
    }
    if let receipt = verdict.accepted?.payload, let appVersion,
      receipt.applicationVersion != appVersion
    {
      throw .staleReceipt
    }
    return verdict
  }

  /// A code that only who has the key can make for the bytes.
  ///
  /// - **Source:** RFC 2104, with SHA-256 and a key of at most 64 bytes.
  func seal(_ bytes: [UInt8], key: [UInt8]) -> [UInt8] {
    let block = key + [UInt8](repeating: 0, count: max(0, 64 - key.count))
    let inner = crypto.digest(.sha256, block.map { $0 ^ 0x36 } + bytes)
    return crypto.digest(.sha256, block.map { $0 ^ 0x5C } + inner)
  }
}

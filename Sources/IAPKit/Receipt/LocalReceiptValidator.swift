public import Foundation
package import IAPSignatures
#if canImport(CryptoKit) && canImport(Security)
public import IAPModel
#else
import IAPModel
#endif

/// Judges purchases on the device, by the App Store's signatures alone.
///
/// It can tell what was never sold; it cannot tell what was sold and handed over elsewhere, and
/// whoever controls the device controls it too. Where there is a server, ask the server.
public struct LocalReceiptValidator: ReceiptValidator {
  private let signed: JWSVerifier
  private let receipts: ReceiptVerifier
  private let deviceID: [UInt8]?

  /// Makes a validator.
  ///
  /// - Parameters:
  ///   - signed: Verifies signed transactions.
  ///   - receipts: Verifies receipts.
  ///   - deviceID: The bytes that tie a receipt to this device; nil when it does not matter.
  package init(signed: JWSVerifier, receipts: ReceiptVerifier, deviceID: [UInt8]? = nil) {
    self.signed = signed
    self.receipts = receipts
    self.deviceID = deviceID
  }

  #if canImport(CryptoKit) && canImport(Security)
  /// Makes a validator that trusts Apple's own roots.
  ///
  /// - Parameters:
  ///   - bundleID: The app.
  ///   - allowsSandbox: Whether purchases that cost no money count too.
  ///   - deviceID: The bytes that tie a receipt to this device: those of `identifierForVendor`, on
  ///     the Mac of the first network interface; nil when it does not matter.
  public init(bundleID: BundleID, allowsSandbox: Bool, deviceID: Data? = nil) {
    let origin = ExpectedOrigin(
      apps: [ExpectedOrigin.App(bundleID: bundleID, appAppleID: nil)],
      environments: allowsSandbox ? [.production, .sandbox] : [.production]
    )
    let crypto = LivePrimitives()
    self.init(
      signed: JWSVerifier(anchors: .apple, origin: origin, crypto: crypto),
      receipts: ReceiptVerifier(anchors: .apple, origin: origin, crypto: crypto),
      deviceID: deviceID.map { [UInt8]($0) }
    )
  }
  #endif

  /// Judges a receipt, or the text of a signed transaction.
  ///
  /// - Parameters:
  ///   - receiptData: The bytes.
  ///   - isSandbox: Does not matter: the signed data says it.
  /// - Returns: The verdict; about the purchase that ends or was made last.
  /// - Throws: ``IAPError`` when it was not possible to look.
  public func validate(
    receiptData: Data,
    isSandbox: Bool
  ) async throws -> ReceiptValidationResult {
    let bytes = [UInt8](receiptData)
    if bytes.starts(with: "eyJ".utf8) { return try transaction(bytes, id: nil) }
    return try receipt(bytes, id: nil)
  }

  /// Judges one transaction.
  ///
  /// - Parameter evidence: What is known of it.
  /// - Returns: The verdict.
  /// - Throws: ``IAPError`` when it was not possible to look; ``IAPError/staleReceipt`` when the
  ///   receipt does not hold the transaction, for it may be older than the purchase.
  public func validate(_ evidence: TransactionEvidence) async throws -> ReceiptValidationResult {
    if let text = evidence.signedTransaction {
      return try transaction(Array(text.utf8), id: evidence.transactionId)
    }
    guard let data = evidence.receipt else {
      throw IAPError.verificationFailed(underlying: Self.problem("there is no receipt"))
    }
    return try receipt([UInt8](data), id: evidence.transactionId)
  }

  private func transaction(
    _ text: [UInt8],
    id: String?
  ) throws(IAPError) -> ReceiptValidationResult {
    let verdict: Verdict<TransactionPayload>
    do throws(CryptoError) {
      verdict = try signed.transaction(text, instant: .signedDate)
    } catch {
      throw .verificationFailed(underlying: error)
    }
    guard let payload = verdict.accepted?.payload else { return .refused(verdict.failures) }
    guard id == nil || payload.transactionID.rawValue == id else {
      return .refused(
        rule: RejectionReason.matchingTransaction,
        "the signed text is about another transaction"
      )
    }
    return .accepted(payload)
  }

  private func receipt(
    _ bytes: [UInt8],
    id: String?
  ) throws(IAPError) -> ReceiptValidationResult {
    let verdict: Verdict<ReceiptPayload>
    do throws(CryptoError) {
      verdict = try receipts.verify(bytes, deviceID: deviceID)
    } catch {
      throw .verificationFailed(underlying: error)
    }
    guard let receipt = verdict.accepted?.payload else { return .refused(verdict.failures) }
    let purchases = receipt.items.compactMap { $0.transaction(in: receipt) }
    let found =
      id == nil
      ? purchases.max {
        ($0.expiresDate ?? $0.purchaseDate) < ($1.expiresDate ?? $1.purchaseDate)
      }
      : purchases.first { $0.transactionID.rawValue == id }
    guard let found else { throw .staleReceipt }
    return .accepted(found)
  }

  private static func problem(_ text: String) -> NSError {
    NSError(
      domain: "IAPKit.LocalReceiptValidator",
      code: 0,
      userInfo: [NSLocalizedDescriptionKey: text]
    )
  }
}

extension ReceiptValidationResult {
  fileprivate static func accepted(_ payload: TransactionPayload) -> Self {
    var result = Self(
      isValid: true,
      productId: payload.productID.rawValue,
      expiresDate: payload.expiresDate,
      unit: payload.unit?.rawValue
    )
    result.transactionId = payload.transactionID.rawValue
    result.originalTransactionId = payload.originalTransactionID.rawValue
    result.environment = payload.environment
    result.revocationDate = payload.revocationDate
    return result
  }

  fileprivate static func refused(_ failures: [RuleFailure]) -> Self {
    Self(
      isValid: false,
      reasons: failures.map { RejectionReason(rule: $0.rule.rawValue, reason: $0.reason) }
    )
  }

  fileprivate static func refused(rule: String, _ reason: String) -> Self {
    Self(isValid: false, reasons: [RejectionReason(rule: rule, reason: reason)])
  }
}

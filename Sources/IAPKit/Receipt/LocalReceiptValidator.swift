public import Foundation
import IAPSignatures
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
  private let trust: DeviceTrust
  /// For receipts of local tests.
  private let xcode: DeviceTrust?

  /// Makes a validator.
  ///
  /// - Parameters:
  ///   - trust: What real purchases are checked with.
  ///   - xcode: What receipts of local tests are checked with; nil refuses those.
  package init(trust: DeviceTrust, xcode: DeviceTrust? = nil) {
    self.trust = trust
    self.xcode = xcode
  }

  #if canImport(CryptoKit) && canImport(Security)
  /// Makes a validator that trusts Apple's own roots.
  ///
  /// Receipts of StoreKit tests in Xcode are signed by the developer's Xcode, not by Apple: they
  /// are refused unless its certificate is given. Signed transactions of such tests are never
  /// judged here. Nothing is accepted because of where the app runs: a simulator has no receipt.
  ///
  /// - Parameters:
  ///   - bundleID: The app.
  ///   - allowsSandbox: Whether purchases that cost no money count too.
  ///   - appVersion: The version that a receipt has to be of: `CFBundleVersion`, on the Mac
  ///     `CFBundleShortVersionString`; nil when it does not matter.
  ///   - deviceID: The bytes that tie a receipt to this device: those of `identifierForVendor`, on
  ///     the Mac of the first network interface; nil when it does not matter.
  ///   - xcodeCertificate: The certificate, as DER, that Xcode exports for its local tests.
  public init(
    bundleID: BundleID,
    allowsSandbox: Bool,
    appVersion: String? = nil,
    deviceID: Data? = nil,
    xcodeCertificate: Data? = nil
  ) {
    trust = .apple(
      bundleID: bundleID,
      environments: allowsSandbox ? [.production, .sandbox] : [.production],
      appVersion: appVersion,
      deviceID: deviceID
    )
    let anchors = xcodeCertificate.flatMap { try? TrustAnchors.xcode([[UInt8]($0)]) }
    xcode = anchors.map { anchors in
      DeviceTrust(anchors: anchors, origin: trust.receipts.origin, crypto: trust.crypto)
    }
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
      verdict = try trust.signed.transaction(text, instant: .signedDate)
    } catch {
      throw .verificationFailed(underlying: error)
    }
    guard let payload = verdict.accepted?.payload else {
      // Xcode signs the transactions of its tests itself: nobody here can tell whether it did.
      if let claim = TransactionPayload(unverifiedJWS: text), claim.isOfLocalTest {
        throw .verificationFailed(underlying: Self.problem("it was bought in a local test"))
      }
      return .refused(verdict.failures)
    }
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
    var verdict = try trust.verdict(on: bytes)
    if verdict.accepted == nil, let xcode {
      let local = try xcode.verdict(on: bytes)
      if local.accepted != nil { verdict = local }
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

extension TransactionPayload {
  fileprivate var isOfLocalTest: Bool { environment == .xcode || environment == .localTesting }

  /// Reads the middle part of a signed transaction without looking at its signature.
  init?(unverifiedJWS text: [UInt8]) {
    let parts = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count == 3, let bytes = Base64.decode(parts[1], .url),
      let object = try? JSONParser.parseObject(bytes),
      let payload = try? TransactionPayload(object)
    else { return nil }
    self = payload
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

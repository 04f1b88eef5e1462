import IAPSignatures

/// Which receipts the App Store's old service is asked about: those that cannot be judged here, and
/// never those that were judged and found wanting.
///
/// A receipt whose signature, chain, app or environment does not fit is refused here as Apple would
/// refuse it; asking would let everybody send requests to Apple through this server. What is not
/// even a receipt in form is no question either.
///
/// Source: decision 0330; the signed-data facts, sections 6 and 7.
enum ReceiptFallbackPolicy {
  /// Rules about forms that Apple may use and this code may not know.
  private static let unjudged: Set<Rule> = [
    .payload, .digest, .algorithm, .chainAlgorithms, .leafKey, .signers, .signedAttributes,
    .repeatedAttributes, .criticalExtensions, .keyUsage, .chainLength,
  ]

  /// Whether the App Store is asked.
  ///
  /// - Parameters:
  ///   - receipt: The receipt's bytes.
  ///   - failures: The rules that it does not follow.
  /// - Returns: True when the local check says nothing about whether it is genuine.
  static func asksAppStore(_ receipt: [UInt8], _ failures: [RuleFailure]) -> Bool {
    if isTransactionReceipt(receipt) { return true }
    return !failures.isEmpty && failures.allSatisfy { unjudged.contains($0.rule) }
  }

  /// Whether it is a receipt of a single transaction, as iOS 6 had them: a property list of the old
  /// kind with a signature.
  static func isTransactionReceipt(_ receipt: [UInt8]) -> Bool {
    guard receipt.first == UInt8(ascii: "{"), receipt.count <= textBytesMax else { return false }
    let text = String(decoding: receipt, as: UTF8.self)
    return text.contains("\"purchase-info\"") && text.contains("\"signature\"")
  }

  /// Such a receipt has about 4,000 bytes.
  private static let textBytesMax = 64 * 1024
}

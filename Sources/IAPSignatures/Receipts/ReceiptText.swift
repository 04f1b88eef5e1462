/// The one rule for receipts that come as text.
///
/// Standard base64 with its padding; line breaks are passed over, because encoders put them in. All
/// else is refused, other white space and the URL alphabet too: a space in a receipt is a plus that
/// a form swallowed, and guessing what was meant would make one receipt many texts.
///
/// - **Source:** docs/decisions/0105-receipt-text.md.
package enum ReceiptText {
  /// What a text holds.
  package enum Reading: Equatable {
    /// The receipt.
    case bytes([UInt8])
    /// Nothing, and why; the reason repeats nothing of the text.
    case refused(String)
  }

  /// Decodes a text.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - limits: How much is read.
  /// - Returns: The receipt's bytes, or why there are none.
  package static func read(_ text: [UInt8], limits: DERLimits = .receipt) -> Reading {
    guard text.count <= limits.sizeBytesMax / 3 * 4 + text.count / 32 else {
      return .refused("\(text.count) bytes of text, too many for a receipt")
    }
    let digits = text.filter { $0 != 0x0A && $0 != 0x0D }
    if digits.isEmpty { return .refused("the receipt is empty") }
    if let bytes = Base64.decode(digits, .standard) { return .bytes(bytes) }
    return .refused(reason(digits))
  }

  private static func reason(_ digits: [UInt8]) -> String {
    switch SignedForm(digits) {
    case .jws?: return "it is a JWS and no receipt"
    case .json?, .markup?, .pem?, .transactionReceipt?, .receipt?:
      return "\(SignedForm(digits)?.rawValue ?? "") and no receipt in base64"
    case .empty?, .receiptText?, nil: break
    }
    if digits.contains(0x20) {
      return "it contains spaces: a plus sign may have become a space on the way"
    }
    if digits.contains(UInt8(ascii: "-")) || digits.contains(UInt8(ascii: "_")) {
      return "it is in the URL-safe alphabet, expected standard base64"
    }
    if digits.count % 4 != 0 { return "it is base64 without its padding, or cut off" }
    return "it is not base64"
  }
}

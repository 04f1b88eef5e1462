/// What bytes look like, by their outline alone: for reasons that name what was given.
///
/// Nothing is verified here and nothing follows from it but a better word.
package enum SignedForm: String, Hashable, Sendable, CaseIterable {
  /// No bytes, or white space only.
  case empty = "it is empty"
  /// A compact JWS.
  case jws = "it is a JWS"
  /// A receipt as base64.
  case receiptText = "it is a receipt in base64"
  /// The container of a receipt.
  case receipt = "it is the container of a receipt"
  /// A receipt of a single transaction, as iOS 6 had them, or base64 of one.
  case transactionReceipt = "it is a transaction receipt of the kind that ended with iOS 6"
  /// JSON.
  case json = "it is JSON"
  /// XML or a web page.
  case markup = "it is a web page or XML"
  /// A key or certificate as text.
  case pem = "it is a certificate or key in PEM form"

  /// Looks at the outline; nil when it is nothing that is known.
  package init?(_ bytes: [UInt8]) {
    let text = bytes.drop { $0 == 0x20 || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D }
    guard let first = text.first else {
      self = .empty
      return
    }
    if text.starts(with: "eyJ".utf8), text.contains(UInt8(ascii: ".")) {
      self = .jws
    } else if text.starts(with: "MI".utf8) {
      self = .receiptText
    } else if first == 0x30, let length = bytes.dropFirst().first, length >= 0x80 {
      self = .receipt
    } else if text.starts(with: "ewo".utf8) || text.starts(with: "eyA".utf8) {
      self = .transactionReceipt
    } else if first == UInt8(ascii: "{") {
      // A property list of the old kind: JSON has no equals sign behind a name.
      let beginning = text.prefix(256).filter { $0 > 0x20 }
      self = beginning.starts(with: "{\"signature\"=".utf8) ? .transactionReceipt : .json
    } else if first == UInt8(ascii: "<") {
      self = .markup
    } else if text.starts(with: "-----BEGIN".utf8) {
      self = .pem
    } else {
      return nil
    }
  }
}

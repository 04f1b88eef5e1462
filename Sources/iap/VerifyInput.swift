import Foundation
import IAPModel
import IAPSignatures

/// What a file that should be verified turned out to be.
enum VerifyInput: Equatable {
  /// A compact JWS of a kind, nil when its payload bears no marks of any.
  case jws([UInt8], PayloadKind?)
  /// The container of a receipt.
  case receipt([UInt8])
  /// A receipt as text.
  case receiptText([UInt8])
  /// Nothing that could be verified, and what it looks like.
  case unknown(Words)

  static func == (left: Self, right: Self) -> Bool {
    switch (left, right) {
    case (.jws(let one, let first), .jws(let other, let second)): one == other && first == second
    case (.receipt(let one), .receipt(let other)): one == other
    case (.receiptText(let one), .receiptText(let other)): one == other
    case (.unknown(let one), .unknown(let other)): one.english == other.english
    default: false
    }
  }

  /// Looks at the first bytes and the outline; nothing is verified here.
  init(_ bytes: [UInt8]) {
    let text = bytes.drop { Self.isWhiteSpace($0) }
    guard let first = text.first else {
      self = .unknown(Words("it is empty", zh: "内容为空"))
      return
    }
    if first == UInt8(ascii: "{") {
      self = Self.json(bytes)
    } else if bytes.first == 0x30, let length = bytes.dropFirst().first, length >= 0x80 {
      // A sequence of DER or BER whose length has more than one byte, or an indefinite one.
      self = .receipt(bytes)
    } else if text.starts(with: "-----BEGIN".utf8) {
      self = .unknown(Words("it is a certificate or key in PEM form", zh: "这是 PEM 格式的证书或密钥"))
    } else if first == UInt8(ascii: "<") {
      self = .unknown(Words("it is a web page or XML", zh: "这是网页或 XML"))
    } else if bytes.contains(where: { $0 < 0x09 }) {
      self = .unknown(Words("it is binary data of another kind", zh: "这是其他类型的二进制数据"))
    } else if bytes.contains(UInt8(ascii: ".")) || text.starts(with: "eyJ".utf8) {
      self = Self.jwsOrProse(bytes)
    } else if text.starts(with: "ewo".utf8) || text.starts(with: "eyA".utf8) {
      self = .unknown(
        Words(
          "it is a transaction receipt of the kind that ended with iOS 6",
          zh: "这是 iOS 6 时代的旧式交易收据"
        )
      )
    } else if text.starts(with: "MI".utf8) {
      self = .receiptText(bytes)
    } else {
      self = .unknown(
        Words("it is neither a signed text nor a receipt", zh: "这既不是签名文本，也不是收据")
      )
    }
  }

  private static func isWhiteSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
  }

  /// The body of a notification carries its text in `signedPayload`, one for `/v1/verify` in
  /// `signedTransaction` or `receipt`.
  private static func json(_ bytes: [UInt8]) -> VerifyInput {
    guard let object = try? JSONParser.parseObject(bytes, limits: .document) else {
      return .unknown(Words("it starts like JSON and is none", zh: "开头像 JSON，但不是有效的 JSON"))
    }
    let signed = [
      "signedPayload", "signedTransaction", "signedTransactionInfo", "signedRenewalInfo",
    ]
    for name in signed {
      if let text = object[name]?.stringValue {
        return .jws(Array(text.utf8), PayloadKind.guess(Array(text.utf8)))
      }
    }
    for name in ["receipt", "receipt-data", "latest_receipt", "Payload"] {
      if let text = object[name]?.stringValue { return .receiptText(Array(text.utf8)) }
    }
    if PayloadKind.of(object) != nil {
      return .unknown(
        Words(
          "it is a payload that was decoded: without its signature nothing can be verified",
          zh: "这是已解码的内容：没有签名就无法验证"
        )
      )
    }
    return .unknown(Words("it is JSON without signed data", zh: "这是不含签名数据的 JSON"))
  }

  private static func jwsOrProse(_ bytes: [UInt8]) -> VerifyInput {
    let isProse = bytes.prefix(64).contains(UInt8(ascii: " "))
    if isProse && !bytes.starts(with: "eyJ".utf8) {
      return .unknown(Words("it is plain text", zh: "这是普通文本"))
    }
    return .jws(bytes, PayloadKind.guess(bytes))
  }
}

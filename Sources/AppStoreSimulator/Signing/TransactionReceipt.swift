import Foundation
import IAPModel
import IAPSignatures

/// The receipt of one transaction, as iOS 6 and earlier had them: an old-style property list with
/// another one inside.
///
/// - **Source:** the receipt facts, section 7.1; the form of the signature is that of the sample
///   code that checked it on the device.
struct TransactionReceipt: Hashable, Sendable {
  /// What the signature is made over: the version of the form, then the text.
  static let version: UInt8 = 3
  /// How many bytes an RSA signature has here.
  static let signatureByteCount = 256
  /// The longest text, in bytes.
  static let sizeBytesMax = 64 * 1024

  let info: [String: String]
  let environment: String
  /// Version, signature, the length of the certificate, the certificate.
  let signature: [UInt8]
  private let infoText: [UInt8]

  /// Writes and signs.
  init(
    _ info: [(String, String)],
    environment: String,
    chain: SigningChain
  ) throws(CryptoError) {
    self.info = Dictionary(info, uniquingKeysWith: { first, _ in first })
    self.environment = environment
    infoText = Array(Self.list(info).utf8)
    let signed = try chain.leafKey.sign([Self.version] + infoText, digest: .sha1, form: .der)
    let length = UInt32(chain.leaf.count)
    signature =
      [Self.version] + signed + withUnsafeBytes(of: length.bigEndian, Array.init) + chain.leaf
  }

  /// Reads; nil when the text is nothing of the kind.
  init?(_ bytes: [UInt8]) {
    guard bytes.count <= Self.sizeBytesMax, let outer = Self.read(bytes),
      let text = outer["purchase-info"].flatMap({ Base64.decode($0.utf8, .standard) }),
      let info = Self.read(text), info["transaction-id"] != nil
    else { return nil }
    self.info = info
    infoText = text
    environment = outer["environment"] ?? "Production"
    signature = outer["signature"].flatMap { Base64.decode($0.utf8, .standard) } ?? []
  }

  /// Whether the leaf of the chain signed it.
  func isSigned(by chain: SigningChain, _ primitives: any VerificationPrimitives) -> Bool {
    let head = 1 + Self.signatureByteCount
    guard signature.count == head + 4 + chain.leaf.count, signature.first == Self.version,
      Array(signature.suffix(chain.leaf.count)) == chain.leaf,
      let key = try? primitives.makeVerificationKey(
        subjectPublicKeyInfo: chain.leafKey.subjectPublicKeyInfo
      )
    else { return false }
    return key.isValid(
      signature: Array(signature[1..<head]),
      over: [Self.version] + infoText,
      digest: .sha1,
      form: .der
    )
  }

  /// The property list that apps get, and send as base64.
  var bytes: [UInt8] {
    Array(
      Self.list([
        ("signature", Base64.encode(signature, .standard)),
        ("purchase-info", Base64.encode(infoText, .standard)),
        ("environment", environment), ("pod", "100"), ("signing-status", "0"),
      ]).utf8
    )
  }

  /// A property list of texts in the style before XML.
  private static func list(_ entries: [(String, String)]) -> String {
    let lines = entries.map { "\t\"\($0)\" = \"\($1)\";\n" }
    return "{\n" + lines.joined() + "}"
  }

  private static func read(_ bytes: [UInt8]) -> [String: String]? {
    let text = String(decoding: bytes, as: UTF8.self)
      .trimmingCharacters(in: .whitespacesAndNewlines)
    guard text.hasPrefix("{"), text.hasSuffix("}") else { return nil }
    var entries: [String: String] = [:]
    for line in text.dropFirst().dropLast().split(separator: ";") {
      let parts = line.split(separator: "\"", omittingEmptySubsequences: false)
      if parts.count == 1, line.allSatisfy(\.isWhitespace) { continue }
      // Before, name, between, value, after.
      guard parts.count == 5, parts[2].trimmingCharacters(in: .whitespaces) == "=" else {
        return nil
      }
      entries[String(parts[1])] = String(parts[3])
    }
    return entries
  }
}

extension SigningChain {
  fileprivate var leaf: [UInt8] { certificates.first ?? [] }
}

import Foundation
import IAPModel
import IAPSignatures

@testable import AppStoreSimulator

/// Takes signed texts apart without checking them.
enum Signed {
  struct Malformed: Error {}

  static func part(_ jws: String, _ index: Int) throws -> JSONObject {
    let parts = jws.split(separator: ".")
    guard parts.count == 3, let bytes = Base64.decode(Array(parts[index].utf8), .url) else {
      throw Malformed()
    }
    return try JSONParser.parseObject(bytes)
  }

  static func payload(of jws: String) throws -> JSONObject { try part(jws, 1) }

  /// Whether the store's own key signed the text.
  static func isSigned(_ jws: String, by store: SimulatedAppStore) throws -> Bool {
    let parts = jws.split(separator: ".")
    let key = try store.signer.signing.makeVerificationKey(
      subjectPublicKeyInfo: store.signer.transactionChain.leafKey.subjectPublicKeyInfo
    )
    guard parts.count == 3, let signature = Base64.decode(parts[2].utf8, .url) else {
      throw Malformed()
    }
    let text = Array("\(parts[0]).\(parts[1])".utf8)
    return key.isValid(signature: signature, over: text, digest: .sha256, form: .raw)
  }

  static func signedPayload(_ body: [UInt8]) throws -> String {
    guard let text = try JSONParser.parseObject(body)["signedPayload"]?.stringValue else {
      throw Malformed()
    }
    return text
  }

  /// The transaction inside a posted notification.
  static func notification(_ body: [UInt8]) throws -> TransactionPayload {
    let outer = try NotificationPayload(try payload(of: signedPayload(body)))
    guard let text = outer.data?.signedTransactionInfo else { throw Malformed() }
    return try TransactionPayload(try payload(of: text))
  }
}

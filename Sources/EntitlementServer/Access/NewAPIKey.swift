public import Foundation
public import IAPModel
import IAPSignatures
public import ServerStorage

/// A key that was just made: its record, and the text that is shown once and kept nowhere.
///
/// - **Shape:** `iap_pk_` or `iap_sk_`, twelve hexadecimal digits that name the key, `_`, and 43
///   characters of base64url: 256 bits of chance.
public struct NewAPIKey: Sendable {
  /// What is kept.
  public let record: APIKeyRecord
  /// What its owner has to be given.
  public let text: String

  /// The longest label, in UTF-8 bytes.
  public static let labelBytesMax = 100

  /// Makes a key.
  ///
  /// - Parameters:
  ///   - kind: What it is good for.
  ///   - app: The app that it is for.
  ///   - label: What people call it.
  ///   - now: When it is made.
  ///   - random: So many bytes of chance that nobody can guess.
  ///   - digest: SHA-256.
  public init(
    _ kind: APIKeyRecord.Kind,
    app: BundleID,
    label: String,
    at now: Date,
    random: (Int) -> [UInt8],
    digest: ([UInt8]) -> [UInt8]
  ) {
    let id = APIKeyID(Hexadecimal.text(random(6)))
    let secret = Base64.encode(random(32), .url)
    let text = "iap_\(kind == .public ? "pk" : "sk")_\(id)_\(secret)"
    self.text = text
    record = APIKeyRecord(
      id: id,
      app: app,
      kind: kind,
      label: label,
      hash: Hexadecimal.text(digest(Array(text.utf8))),
      createdDate: now
    )
  }
}

/// A key as it came in a request, taken apart but not yet believed.
struct PresentedKey: Sendable {
  let id: APIKeyID
  let text: [UInt8]

  /// The longest key; a genuine one has 63 bytes.
  static let bytesMax = 128

  /// Takes the value of `Authorization` apart; nil when it is no key.
  init?(authorization: String) {
    let parts = authorization.split(separator: " ", maxSplits: 1)
    guard parts.count == 2, parts[0].lowercased() == "bearer" else { return nil }
    let text = parts[1].drop { $0 == " " }
    let words = text.split(separator: "_", maxSplits: 3, omittingEmptySubsequences: false)
    guard text.utf8.count <= Self.bytesMax, words.count == 4, words[0] == "iap",
      words[1] == "pk" || words[1] == "sk", words[2].utf8.count == 12
    else { return nil }
    id = APIKeyID(String(words[2]))
    self.text = Array(text.utf8)
  }
}

import AppStoreSimulator
import Foundation
import IAPModel
import IAPSignatures
import OpenSSLCrypto

/// Makes what a developer's server signs, with the key that the store gave out.
struct DeveloperTokens {
  let key: any SigningKey
  let keyID: String
  let issuer: String
  let now: Date

  init(_ store: SimulatedAppStore) throws {
    let issued = try store.issuedDeveloperKey()
    key = try OpenSSLPrimitives().readSigningKey(pem: Array(issued.p8.utf8))
    keyID = issued.id.rawValue
    issuer = issued.issuer.rawValue
    now = store.now
  }

  var seconds: Int64 { Int64(now.timeIntervalSince1970) }

  /// The claims of a token that is good.
  var claims: JSONObject {
    [
      "iss": .string(issuer), "iat": .integer(seconds), "exp": .integer(seconds + 300),
      "aud": "appstoreconnect-v1", "bid": .string(DemoCatalog.bundleID.rawValue),
    ]
  }

  func token(
    key other: (any SigningKey)? = nil,
    _ change: (inout JSONObject) -> Void = { _ in },
    header: (inout JSONObject) -> Void = { _ in }
  ) throws -> String {
    var claims = self.claims
    change(&claims)
    var head: JSONObject = ["alg": "ES256", "kid": .string(keyID), "typ": "JWT"]
    header(&head)
    return try jws(head, claims, other ?? key)
  }

  func jws(_ header: JSONObject, _ claims: JSONObject, _ key: any SigningKey) throws -> String {
    let parts = [header, claims].map { Base64.encode($0.serialized, .url) }.joined(separator: ".")
    let signature = try key.sign(Array(parts.utf8), digest: .sha256, form: .raw)
    return parts + "." + Base64.encode(signature, .url)
  }
}

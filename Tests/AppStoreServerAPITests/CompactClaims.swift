import IAPModel
import IAPSignatures
import Testing

/// Reads the middle of a compact JWS, unverified.
enum CompactClaims {
  static func read(_ text: String) throws -> JSONObject {
    let parts = text.split(separator: ".")
    let bytes = try #require(parts.count == 3 ? Base64.decode(parts[1].utf8, .url) : nil)
    return try JSONParser.parseObject(bytes, limits: .document)
  }
}

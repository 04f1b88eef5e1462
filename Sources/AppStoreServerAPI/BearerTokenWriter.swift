import Foundation
import IAPModel

/// Writes the token that each request carries.
///
/// - **Source:** App Store Server API, "Generating JSON Web Tokens for API requests".
struct BearerTokenWriter: Sendable {
  /// How long a token is good for, in seconds; Apple allows an hour, and a fresh one is written for
  /// each request.
  static let lifetime: Int64 = 5 * 60
  static let audience = "appstoreconnect-v1"

  let key: AppStoreServerKey
  let bundleID: BundleID

  func token(at now: Date) throws(AppStoreServerError) -> String {
    let seconds = Int64(now.timeIntervalSince1970)
    return try key.sign([
      "iss": .string(key.issuer.rawValue),
      "iat": .integer(seconds),
      "exp": .integer(seconds + Self.lifetime),
      "aud": .string(Self.audience),
      "bid": .string(bundleID.rawValue),
    ])
  }
}

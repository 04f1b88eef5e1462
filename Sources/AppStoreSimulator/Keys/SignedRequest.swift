import Foundation
import IAPModel
import IAPSignatures

/// A JWS that a developer's server made, checked against the developer's keys.
///
/// - **Source:** the server-interface facts, section 2; the signed-data facts, section 5.2.
struct SignedRequest: Sendable {
  /// What is wrong with it.
  enum Refusal: String, Hashable, Sendable {
    case malformed
    case wrongAlgorithm
    case unknownKey
    case wrongSignature
    case wrongIssuer
    case wrongAudience
    case unknownBundle
    case notYetValid
    case expired
    case livesTooLong
  }

  /// What came of the check.
  enum Outcome: Sendable {
    case valid(SignedRequest)
    case refused(Refusal)
  }

  let claims: JSONObject
  let bundleID: BundleID

  /// The longest text, in bytes.
  static let sizeBytesMax = 16 * 1024

  /// Checks form, key, signature, issuer, audience and bundle.
  static func check(
    _ text: String,
    audience: String,
    store: SimulatedAppStore
  ) -> Outcome {
    let limits = JSONLimits(sizeBytesMax: sizeBytesMax, depthMax: 8)
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard text.utf8.count <= sizeBytesMax, parts.count == 3,
      let headerBytes = Base64.decode(parts[0].utf8, .url),
      let claimBytes = Base64.decode(parts[1].utf8, .url),
      let signature = Base64.decode(parts[2].utf8, .url),
      let header = try? JSONParser.parseObject(headerBytes, limits: limits),
      let claims = try? JSONParser.parseObject(claimBytes, limits: limits)
    else { return .refused(.malformed) }
    guard header["alg"] == "ES256", header["typ"] ?? "JWT" == "JWT" else {
      return .refused(.wrongAlgorithm)
    }
    guard let id = header["kid"]?.stringValue, let key = store.developerKey(DeveloperKeyID(id))
    else { return .refused(.unknownKey) }
    let isSigned = key.key.isValid(
      signature: signature,
      over: Array("\(parts[0]).\(parts[1])".utf8),
      digest: .sha256,
      form: .raw
    )
    guard isSigned else { return .refused(.wrongSignature) }
    guard claims["iss"]?.stringValue == key.issuer.rawValue else { return .refused(.wrongIssuer) }
    guard claims["aud"]?.stringValue == audience else { return .refused(.wrongAudience) }
    guard let bundle = claims["bid"]?.stringValue,
      store.apps.contains(where: { $0.bundleID.rawValue == bundle })
    else { return .refused(.unknownBundle) }
    return .valid(SignedRequest(claims: claims, bundleID: BundleID(bundle)))
  }
}

/// The token that a request to the App Store Server API carries.
///
/// - **Source:** App Store Server API, "Generating JSON Web Tokens for API requests".
enum BearerToken {
  static let audience = "appstoreconnect-v1"
  /// The longest that a token may be valid, in seconds.
  static let lifetimeMax: TimeInterval = 60 * 60
  /// How far clocks may be apart, in seconds.
  static let skewMax: TimeInterval = 60

  /// Checks the value of `Authorization`.
  static func check(
    _ authorization: String?,
    store: SimulatedAppStore,
    at now: Date
  ) -> SignedRequest.Outcome {
    let scheme = "Bearer "
    guard let authorization, authorization.hasPrefix(scheme) else { return .refused(.malformed) }
    let text = String(authorization.dropFirst(scheme.count))
    let checked = SignedRequest.check(text, audience: audience, store: store)
    guard case .valid(let request) = checked else { return checked }
    guard let expiry = request.claims["exp"]?.doubleValue else { return .refused(.malformed) }
    let seconds = now.timeIntervalSince1970
    guard expiry > seconds else { return .refused(.expired) }
    // Apple's library for Python leaves the time of issue out.
    var issued = seconds
    if let claim = request.claims["iat"] {
      guard let value = claim.doubleValue else { return .refused(.malformed) }
      guard value <= seconds + skewMax else { return .refused(.notYetValid) }
      issued = value
    }
    guard expiry - issued <= lifetimeMax else { return .refused(.livesTooLong) }
    return checked
  }
}

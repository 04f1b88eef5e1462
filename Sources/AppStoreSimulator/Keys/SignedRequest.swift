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
  let audience: String

  /// The longest text, in bytes.
  static let sizeBytesMax = 16 * 1024
}

/// The parts of a compact JWS that nobody has checked yet.
struct UncheckedRequest: Sendable {
  let claims: JSONObject
  private let header: JSONObject
  private let signedText: [UInt8]
  private let signature: [UInt8]

  /// Takes the text apart; nil when it is no compact JWS of two objects.
  init?(_ text: String) {
    let limits = JSONLimits(sizeBytesMax: SignedRequest.sizeBytesMax, depthMax: 8)
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard text.utf8.count <= SignedRequest.sizeBytesMax, parts.count == 3,
      let headerBytes = Base64.decode(parts[0].utf8, .url),
      let claimBytes = Base64.decode(parts[1].utf8, .url),
      let signature = Base64.decode(parts[2].utf8, .url),
      let header = try? JSONParser.parseObject(headerBytes, limits: limits),
      let claims = try? JSONParser.parseObject(claimBytes, limits: limits)
    else { return nil }
    self.header = header
    self.claims = claims
    self.signature = signature
    signedText = Array("\(parts[0]).\(parts[1])".utf8)
  }

  /// Checks key, signature, issuer, audience and bundle.
  ///
  /// - Parameters:
  ///   - audiences: What it may be for.
  ///   - find: The key of that name.
  ///   - isKnown: Whether there is such an app.
  /// - Returns: The claims, or the first thing that is wrong.
  func check(
    audiences: [String],
    find: (DeveloperKeyID) -> DeveloperKey?,
    isKnown: (BundleID) -> Bool
  ) -> SignedRequest.Outcome {
    guard header["alg"] == "ES256", header["typ"] ?? "JWT" == "JWT" else {
      return .refused(.wrongAlgorithm)
    }
    guard let key = header["kid"]?.stringValue.flatMap({ find(DeveloperKeyID($0)) }) else {
      return .refused(.unknownKey)
    }
    guard
      key.key.isValid(signature: signature, over: signedText, digest: .sha256, form: .raw)
    else { return .refused(.wrongSignature) }
    guard let issuer = claims["iss"]?.stringValue, !issuer.isEmpty,
      key.issuer.map({ $0.rawValue == issuer }) ?? true
    else { return .refused(.wrongIssuer) }
    guard let audience = claims["aud"]?.stringValue, audiences.contains(audience) else {
      return .refused(.wrongAudience)
    }
    guard let bundle = claims["bid"]?.stringValue.map({ BundleID($0) }), isKnown(bundle) else {
      return .refused(.unknownBundle)
    }
    return .valid(SignedRequest(claims: claims, bundleID: bundle, audience: audience))
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
    guard let authorization, authorization.hasPrefix(scheme),
      let unchecked = UncheckedRequest(String(authorization.dropFirst(scheme.count)))
    else { return .refused(.malformed) }
    let checked = unchecked.check(
      audiences: [audience],
      find: store.developerKey,
      isKnown: store.isApp
    )
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

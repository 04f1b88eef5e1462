public import IAPModel
public import IAPSignatures

/// The identifier of an In-App Purchase key: ten letters and digits from App Store Connect.
public struct AppStoreKeyID: Identifier {
  /// The spelling.
  public let rawValue: String
  /// Makes the identifier from its spelling.
  public init(_ rawValue: String) { self.rawValue = rawValue }
}

/// The identifier of a developer's team: a UUID from App Store Connect.
public struct AppStoreIssuerID: Identifier {
  /// The spelling.
  public let rawValue: String
  /// Makes the identifier from its spelling.
  public init(_ rawValue: String) { self.rawValue = rawValue }
}

/// An In-App Purchase key: it signs the tokens of requests and the offers of an app.
///
/// Its description names the key and never shows it.
public struct AppStoreServerKey: Sendable, CustomStringConvertible {
  /// Which key it is.
  public let id: AppStoreKeyID
  /// Whose key it is.
  public let issuer: AppStoreIssuerID
  let key: any SigningKey

  /// Takes a key.
  ///
  /// - Parameters:
  ///   - id: Which key it is: `kid`.
  ///   - issuer: Whose key it is: `iss`.
  ///   - key: The private key; on P-256, as Apple's `.p8` files are.
  /// - Throws: ``AppStoreServerError/Code/keyUnusable`` for a key of another kind.
  public init(
    id: AppStoreKeyID,
    issuer: AppStoreIssuerID,
    key: any SigningKey
  ) throws(AppStoreServerError) {
    guard key.kind == .p256 else {
      throw AppStoreServerError(.keyUnusable, "an In-App Purchase key lies on P-256")
    }
    self.id = id
    self.issuer = issuer
    self.key = key
  }

  /// The key's identifier.
  public var description: String { "In-App Purchase key \(id)" }

  /// Signs claims as a compact JWS with the header that Apple asks for.
  func sign(_ claims: JSONObject) throws(AppStoreServerError) -> String {
    let header: JSONObject = ["alg": "ES256", "kid": .string(id.rawValue), "typ": "JWT"]
    do {
      return try CompactJWSWriter(header: header, key: key).sign(claims)
    } catch {
      throw AppStoreServerError(.keyUnusable, "the key does not sign: \(error.code)")
    }
  }
}

public import IAPModel

/// Signs payloads as compact JWS the way the App Store does: ES256 with the chain in `x5c`.
public struct CompactJWSWriter: Sendable {
  private let headerText: [UInt8]
  private let key: any SigningKey

  /// Prepares a header.
  ///
  /// - Parameters:
  ///   - chain: Leaf, intermediate and root, with the leaf's key.
  ///   - otherMembers: Header members that stand behind `alg` and `x5c`.
  public init(chain: SigningChain, otherMembers: [JSONMember] = []) {
    let certificates = chain.certificates.map { JSONValue.string(Base64.encode($0, .standard)) }
    let header = JSONObject(
      [JSONMember("alg", "ES256"), JSONMember("x5c", .array(certificates))] + otherMembers
    )
    self.init(header: header, key: chain.leafKey)
  }

  /// Prepares any header at all, also one that no verifier should take.
  ///
  /// - Parameters:
  ///   - header: The members.
  ///   - key: The key that signs.
  public init(header: JSONObject, key: any SigningKey) {
    headerText = Base64.encodedBytes(JSONValue.object(header).serialized, .url)
    self.key = key
  }

  /// Signs a payload.
  ///
  /// - Parameter payload: The bytes of the payload, usually JSON.
  /// - Returns: The compact text.
  /// - Throws: ``CryptoError`` when the key cannot sign.
  public func sign(_ payload: [UInt8]) throws(CryptoError) -> String {
    let input = headerText + [UInt8(ascii: ".")] + Base64.encodedBytes(payload, .url)
    let signature = try key.sign(input, digest: .sha256, form: .raw)
    let text = input + [UInt8(ascii: ".")] + Base64.encodedBytes(signature, .url)
    return String(decoding: text, as: UTF8.self)
  }

  /// Signs the JSON of an object.
  ///
  /// - Parameter payload: The members.
  /// - Returns: The compact text.
  /// - Throws: ``CryptoError`` when the key cannot sign.
  public func sign(_ payload: JSONObject) throws(CryptoError) -> String {
    try sign(JSONValue.object(payload).serialized)
  }
}

import Foundation
import IAPModel

/// What can be read of a compact JWS before any rule looks at it.
struct JWSEvidence: Sendable {
  /// A part of the text that was read, or why it was not.
  enum Reading<Value: Sendable>: Sendable {
    case value(Value)
    case refused(PayloadError)
    /// Not base64url in the one right form.
    case notEncoded
    /// There is no such part.
    case missing

    var isNotEncoded: Bool {
      if case .notEncoded = self { true } else { false }
    }

    var value: Value? {
      if case .value(let value) = self { value } else { nil }
    }
  }

  /// Whether the text is three parts.
  var hasThreeParts = false
  /// What it looks like, when it is not three parts.
  var form: SignedForm?
  /// How long the text is, when that is too long.
  var tooLong: Int?
  /// Whether white space is why a part could not be decoded.
  var hasWhiteSpace = false
  /// The header as it came.
  var headerText: ArraySlice<UInt8> = []
  /// The header's members.
  var header = Reading<JSONObject>.missing
  /// The payload's members.
  var payload = Reading<JSONObject>.missing
  /// The signature, nil when it is not base64url.
  var signature: [UInt8]?
  /// The bytes that are signed.
  var signingInput: [UInt8] = []
  /// The entries of `x5c`, nil when there is no list of texts.
  var certificates: [String]?
  /// The chain, nil when there are not the certificates for one.
  var chain: ChainEvidence?
  /// The limits that were applied.
  let limits: JWSLimits

  /// Reads a text; the chain is not looked at yet.
  ///
  /// With the payload alone the header counts as missing, which no verdict survives.
  ///
  /// - Parameters:
  ///   - text: The compact text.
  ///   - limits: How much is read.
  ///   - isPayloadAlone: Whether nothing else is read.
  ///   - known: Looks up a header that was read before, with its chain.
  init(
    _ text: [UInt8],
    limits: JWSLimits,
    isPayloadAlone: Bool = false,
    known: (ArraySlice<UInt8>) -> CheckedChain? = { _ in nil }
  ) {
    self.limits = limits
    guard text.count <= limits.textBytesMax else {
      tooLong = text.count
      return
    }
    guard let parts = CompactJWS(text) else {
      form = SignedForm(text)
      return
    }
    hasThreeParts = true
    guard !isPayloadAlone else {
      payload = Self.object(parts.payload, limits.payload)
      return
    }
    headerText = parts.header
    if let checked = known(parts.header), let object = checked.header {
      header = .value(object)
      chain = checked.evidence
    } else {
      header = Self.object(parts.header, limits.header)
    }
    payload = Self.object(parts.payload, limits.payload)
    signature = Base64.decode(parts.signature, .url)
    signingInput = Array(parts.signingInput)
    if signature == nil || header.isNotEncoded || payload.isNotEncoded {
      hasWhiteSpace = text.contains { $0 == 0x20 || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D }
    }
    certificates = header.value?["x5c"]?.arrayValue.flatMap { values in
      let texts = values.compactMap(\.stringValue)
      return texts.count == values.count ? texts : nil
    }
  }

  /// The header when it holds what the App Store writes and nothing else, spelt in the one way that
  /// we write it: a chain has two such headers, however many variations somebody makes up.
  var plainHeader: JSONObject? {
    guard let object = header.value, object.members.count == 2,
      object["alg"] == "ES256", certificates?.count == ChainLengthPolicy.count,
      headerText.elementsEqual(Base64.encodedBytes(JSONValue.object(object).serialized, .url))
    else { return nil }
    return object
  }

  private static func object(
    _ part: ArraySlice<UInt8>,
    _ limits: JSONLimits
  ) -> Reading<JSONObject> {
    guard !part.isEmpty else { return .missing }
    // The encoded form says how long the decoded one will be.
    guard part.count / 4 * 3 <= limits.sizeBytesMax else {
      return .refused(PayloadError(.tooLarge, "\(part.count) bytes of base64url"))
    }
    guard let bytes = Base64.decode(part, .url) else { return .notEncoded }
    do {
      return .value(try JSONParser.parseObject(bytes, limits: limits))
    } catch {
      return .refused(error)
    }
  }
}

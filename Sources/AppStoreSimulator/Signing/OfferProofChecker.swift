import Foundation
import IAPModel
import IAPSignatures

/// What came of checking the proof of an offer.
enum OfferProofVerdict: Hashable, Sendable {
  /// Nothing had to be checked.
  case notNeeded
  /// Signed rightly.
  case valid(nonce: UUID)
  /// The server's word on the introductory offer.
  case introductory(isAllowed: Bool, nonce: UUID)
  /// Refused; the nonce is spent when one could be read.
  case refused(StoreFailure, nonce: UUID?)
}

/// Checks what an app's server signed for an offer, in both formats.
///
/// - **Source:** the signed-data facts, section 5.
struct OfferProofChecker {
  let bundleID: BundleID
  let keys: [OfferKeyID: [UInt8]]
  /// Whether an app without keys gets its offers unchecked, as in Xcode.
  let isLenientWithoutKeys: Bool
  /// How old a signature may be, in seconds; nil for any age.
  let ageMax: TimeInterval?
  let now: Date
  let primitives: any VerificationPrimitives

  func check(_ request: PurchaseRequest) -> OfferProofVerdict {
    switch request.offerUse {
    case nil, .code, .winBack: return .notNeeded
    case .promotional(let offer, let proof):
      if keys.isEmpty, isLenientWithoutKeys { return .notNeeded }
      switch proof {
      case nil: return .refused(.missingOfferParameters, nonce: nil)
      case .signature(let signature): return check(signature, offer, request)
      case .jws(let text):
        return check(text, audience: "promotional-offer", request) { claims in
          claims["offerIdentifier"]?.stringValue == offer.rawValue
            ? .some(nil) : .none
        }
      }
    case .introductory(let text):
      return check(text, audience: "introductory-offer-eligibility", request) { claims in
        claims["allowIntroductoryOffer"]?.boolValue.map { .some($0) }
      }
    }
  }

  private func check(
    _ signature: OfferSignature,
    _ offer: OfferID,
    _ request: PurchaseRequest
  ) -> OfferProofVerdict {
    let refused = OfferProofVerdict.refused(.invalidOfferSignature, nonce: signature.nonce)
    let token = request.token?.description.lowercased() ?? request.applicationUsername ?? ""
    let fields = [
      bundleID.rawValue, signature.keyID.rawValue, request.productID.rawValue, offer.rawValue,
      token, signature.nonce.uuidString.lowercased(), String(signature.timestampMilliseconds),
    ]
    let text = Array(fields.joined(separator: "\u{2063}").utf8)
    guard isFresh(Date(milliseconds: signature.timestampMilliseconds)),
      let key = key(signature.keyID.rawValue),
      key.isValid(signature: signature.signature, over: text, digest: .sha256, form: .der)
    else { return refused }
    return .valid(nonce: signature.nonce)
  }

  /// Checks a JWS; the claims of its own are right when the closure returns a value.
  private func check(
    _ text: String,
    audience: String,
    _ request: PurchaseRequest,
    _ own: (JSONObject) -> Bool??
  ) -> OfferProofVerdict {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, let claims = Self.object(parts[1]), let header = Self.object(parts[0])
    else { return .refused(.invalidOfferSignature, nonce: nil) }
    let nonce = claims["nonce"]?.stringValue.flatMap { UUID(uuidString: $0) }
    let refused = OfferProofVerdict.refused(.invalidOfferSignature, nonce: nonce)
    guard let nonce, header["alg"]?.stringValue == "ES256",
      let key = header["kid"]?.stringValue.flatMap({ key($0) }),
      let signature = Base64.decode(Array(parts[2].utf8), .url),
      key.isValid(
        signature: signature,
        over: Array("\(parts[0]).\(parts[1])".utf8),
        digest: .sha256,
        form: .raw
      ),
      claims["aud"]?.stringValue == audience,
      claims["bid"]?.stringValue == bundleID.rawValue,
      claims["iss"]?.stringValue?.isEmpty == false,
      claims["productId"]?.stringValue == request.productID.rawValue,
      let issued = claims["iat"]?.integerValue,
      isFresh(Date(timeIntervalSince1970: TimeInterval(issued))),
      let answer = own(claims)
    else { return refused }
    guard let isAllowed = answer else { return .valid(nonce: nonce) }
    return .introductory(isAllowed: isAllowed, nonce: nonce)
  }

  private func isFresh(_ date: Date) -> Bool {
    ageMax.map { abs(now.timeIntervalSince(date)) <= $0 } ?? true
  }

  private func key(_ id: String) -> (any VerificationKey)? {
    guard let bytes = keys[OfferKeyID(id)],
      let key = try? primitives.makeVerificationKey(subjectPublicKeyInfo: bytes),
      key.kind == .p256
    else { return nil }
    return key
  }

  private static func object(_ part: Substring) -> JSONObject? {
    Base64.decode(Array(part.utf8), .url).flatMap { try? JSONParser.parseObject($0) }
  }

  /// The DER in front of a point of P-256 in a SubjectPublicKeyInfo.
  private static let keyPrefix: [UInt8] = [
    0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x08, 0x2A,
    0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00,
  ]
  /// How many bytes a point of P-256 has, uncompressed.
  private static let pointByteCount = 65

  /// The key pair of a `.storekit` file; nil when it has none, or no public half inside.
  static func key(in catalog: StoreCatalog) -> (OfferKeyID, [UInt8])? {
    guard let pair = catalog.document["subscriptionOffersKeyPair"]?.objectValue,
      let id = pair["id"]?.stringValue,
      let bytes = pair["privateKey"]?.stringValue.flatMap({
        Base64.decode(Array($0.utf8), .standard)
      }),
      let point = publicPoint(bytes)
    else { return nil }
    return (OfferKeyID(id), keyPrefix + point)
  }

  /// The public half stands in a PKCS#8 key as a bit string at its end.
  private static func publicPoint(_ key: [UInt8]) -> [UInt8]? {
    let mark: [UInt8] = [0x03, 0x42, 0x00, 0x04]
    let start = key.count - pointByteCount - 3
    guard start >= 0, Array(key[start..<(start + 4)]) == mark else { return nil }
    return Array(key.suffix(pointByteCount))
  }
}

/// The signature is r and s of 32 bytes each, and not their ASN.1 form.
///
/// - Source: RFC 7518, section 3.4.
struct SignatureLengthPolicy: JWSPolicy {
  let rule = Rule.signatureLength

  /// The length of an ES256 signature, in bytes.
  static let count = 64

  func judge(_ evidence: JWSEvidence) -> Judgement {
    guard let signature = evidence.signature else { return .open }
    return signature.count == Self.count
      ? .holds : .fails("\(signature.count) bytes of signature, expected \(Self.count)")
  }
}

/// The signature is the leaf's over header and payload as they stand.
///
/// - Source: RFC 7515, section 5.2; RFC 7518, section 3.4.
struct SignaturePolicy: JWSPolicy {
  let rule = Rule.signature

  func judge(_ evidence: JWSEvidence) -> Judgement {
    guard let signature = evidence.signature, signature.count == SignatureLengthPolicy.count,
      let key = evidence.chain?.leafKey, key.kind == .p256
    else { return .open }
    let isValid = key.isValid(
      signature: signature,
      over: evidence.signingInput,
      digest: .sha256,
      form: .raw
    )
    return isValid
      ? .holds : .fails("the signature does not fit the bytes: they were changed or forged")
  }
}

/// The signature is the signer's over the content, or over the attributes signed in its place.
///
/// - Source: RFC 2315, section 9.4; RFC 5652, section 5.4.
struct ReceiptSignaturePolicy: ReceiptPolicy {
  let rule = Rule.signature

  func judge(_ evidence: ReceiptEvidence) -> Judgement {
    guard let signer = evidence.signer, let content = evidence.container?.content,
      let key = evidence.chain?.leafKey, case .rsa = key.kind
    else { return .open }
    guard let digest = signer.digest, digest == .sha1 || digest == .sha256 else { return .open }
    let isValid = key.isValid(
      signature: signer.signature,
      over: signer.signedAttributes ?? content,
      digest: digest,
      form: .der
    )
    return isValid
      ? .holds : .fails("the signature does not fit the bytes: they were changed or forged")
  }
}

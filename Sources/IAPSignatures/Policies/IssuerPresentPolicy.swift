/// The certificate of the signer's issuer came along: a signer that vouches for itself is nobody.
///
/// - Source: Apple, "Validating receipts on the device".
struct IssuerPresentPolicy: ReceiptPolicy {
  let rule = Rule.chainLength

  func judge(_ evidence: ReceiptEvidence) -> Judgement {
    guard evidence.chain?.leaf != nil else { return .open }
    return evidence.hasIssuer
      ? .holds : .fails("the certificate of the signer's issuer is not in the receipt")
  }
}

/// The certificate that the signer names came along.
///
/// - Source: RFC 2315, section 9.2.
struct SignerCertificatePolicy: ReceiptPolicy {
  let rule = Rule.signerCertificate

  func judge(_ evidence: ReceiptEvidence) -> Judgement {
    guard evidence.signer != nil else { return .open }
    return evidence.chain?.leaf == nil
      ? .fails("the signer's certificate is not in the receipt") : .holds
  }
}

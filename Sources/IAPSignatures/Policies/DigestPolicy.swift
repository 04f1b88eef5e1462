/// The signature is over SHA-256, or over SHA-1 as it was until 2025-01-24, and says so alike.
///
/// - Source: Apple TN3138.
struct DigestPolicy: ReceiptPolicy {
  let rule = Rule.digest

  func judge(_ evidence: ReceiptEvidence) -> Judgement {
    guard let signer = evidence.signer else { return .open }
    switch signer.digest {
    case .sha1?, .sha256?: break
    case .md5?: return .fails("it is signed over MD5")
    case .sha384?, .sha512?, nil:
      return .fails("it is signed over a digest that Apple does not use")
    }
    // Apple names the bare key algorithm, Xcode the whole one.
    if signer.algorithm == .rsaEncryption { return .holds }
    guard let algorithm = SignatureAlgorithm(oid: signer.algorithm) else {
      return .fails("it is signed with an unknown algorithm")
    }
    return algorithm.digest == signer.digest ? .holds : .fails("it names two different digests")
  }
}

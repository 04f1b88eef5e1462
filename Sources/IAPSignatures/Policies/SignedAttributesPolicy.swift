/// If attributes are signed in place of the content, they name its kind and carry its digest.
///
/// - Source: RFC 5652, section 5.4.
struct SignedAttributesPolicy: ReceiptPolicy {
  let rule = Rule.signedAttributes

  func judge(_ evidence: ReceiptEvidence) -> Judgement {
    guard let signer = evidence.signer, let container = evidence.container,
      let content = container.content
    else { return .open }
    guard signer.signedAttributes != nil else { return .holds }
    guard let algorithm = signer.digest else { return .open }
    let expected: [(OID, [UInt8], String)] = [
      (.contentTypeAttribute, DERWriter.oid(container.contentType), "kind"),
      (
        .messageDigestAttribute,
        DERWriter.octetString(evidence.crypto.digest(algorithm, content)), "digest"
      ),
    ]
    for (id, value, name) in expected {
      let found = signer.attributes.filter { $0.id == id }
      guard found.count == 1, found[0].values == [value] else {
        return .fails("the signed \(name) is not the content's")
      }
    }
    return .holds
  }
}

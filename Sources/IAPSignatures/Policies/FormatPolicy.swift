/// Three parts, none empty, each base64url without padding in its one right form.
///
/// - Source: RFC 7515, sections 2 and 7.1; docs/decisions/0103-trailing-newline.md.
struct FormatPolicy: JWSPolicy {
  let rule = Rule.format

  func judge(_ evidence: JWSEvidence) -> Judgement {
    if evidence.tooLong != nil { return .open }
    guard evidence.hasThreeParts else {
      let form = evidence.form.map { "; \($0.rawValue)" } ?? ""
      return .fails("expected three parts between two full stops\(form)")
    }
    if evidence.signature?.isEmpty == true { return .fails("the signature is empty") }
    var parts: [String] = []
    for (name, part) in [("header", evidence.header), ("payload", evidence.payload)] {
      switch part {
      case .missing: return .fails("the \(name) is empty")
      case .notEncoded: parts.append(name)
      case .value, .refused: break
      }
    }
    if evidence.signature == nil { parts.append("signature") }
    if evidence.hasWhiteSpace {
      return .fails(
        "white space or a line break stands in the text: \(parts.joined(separator: ", "))"
      )
    }
    guard parts.isEmpty else {
      return .fails("not base64url without padding: \(parts.joined(separator: ", "))")
    }
    return .holds
  }
}

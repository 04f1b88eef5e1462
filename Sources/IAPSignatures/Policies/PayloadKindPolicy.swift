import IAPModel

/// The payload is of the kind that was asked for: a notification is no transaction.
///
/// - Source: RFC 8725, section 3.11.
struct PayloadKindPolicy: Sendable {
  let rule = Rule.kind
  let expected: PayloadKind

  func judge(_ object: JSONObject?) -> Judgement {
    guard let object else { return .open }
    guard let found = PayloadKind.of(object) else {
      return .fails("it is not \(expected.words) and of no kind that is known here")
    }
    return found == expected ? .holds : .fails("it is \(found.words), expected \(expected.words)")
  }
}

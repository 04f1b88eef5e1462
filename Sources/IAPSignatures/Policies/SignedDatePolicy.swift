/// The payload says when it was signed, without which facts cannot be put in order.
///
/// - Source: App Store Server API, `signedDate`; receipts and app transactions: creation date.
struct SignedDatePolicy: ClaimPolicy {
  let rule = Rule.signedDate

  func judge(_ claims: Claims, _ origin: ExpectedOrigin) -> Judgement {
    claims.signedDate == nil ? .fails("it does not say when it was signed") : .holds
  }
}

import IAPModel

/// The payload belongs to one of the expected apps.
///
/// - Source: App Store Server API, `bundleId`; Apple, "Validating receipts on the device".
struct BundlePolicy: ClaimPolicy {
  let rule = Rule.bundle

  func judge(_ claims: Claims, _ origin: ExpectedOrigin) -> Judgement {
    guard claims.namesApp else { return .holds }
    guard let bundleID = claims.bundleID else {
      return .fails("it does not say which app it is for")
    }
    guard let apps = origin.apps else { return .holds }
    if apps.contains(where: { $0.bundleID == nil || $0.bundleID == bundleID }) { return .holds }
    let expected = apps.compactMap(\.bundleID?.rawValue).joined(separator: ", ")
    return .fails("it is for the app \(bundleID), expected \(expected)")
  }
}

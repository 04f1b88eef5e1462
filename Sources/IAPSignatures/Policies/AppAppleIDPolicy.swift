import IAPModel

/// The payload carries the app's number at Apple, where its kind carries one.
///
/// The sandbox may leave the number out; a number that is there has to be right everywhere.
///
/// - Source: App Store Server Notifications, `appAppleId`; app-store-server-library, verifier.
struct AppAppleIDPolicy: ClaimPolicy {
  let rule = Rule.appAppleID

  func judge(_ claims: Claims, _ origin: ExpectedOrigin) -> Judgement {
    guard claims.namesAppAppleID, let apps = origin.apps else { return .holds }
    guard let app = apps.first(where: { $0.bundleID == nil || $0.bundleID == claims.bundleID })
    else { return .open }
    guard let expected = app.appAppleID else { return .holds }
    guard let found = claims.appAppleID else {
      return claims.environment == .production
        ? .fails("it does not carry the app's number, expected \(expected)") : .holds
    }
    return found == expected
      ? .holds : .fails("it carries the app number \(found), expected \(expected)")
  }
}

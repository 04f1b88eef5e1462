import IAPModel

/// The payload comes from an environment that is allowed: test purchases are not real ones.
///
/// - Source: App Store Server API, `environment`; docs/decisions/0104-sandbox-is-not-production.md.
struct EnvironmentPolicy: ClaimPolicy {
  let rule = Rule.environment

  func judge(_ claims: Claims, _ origin: ExpectedOrigin) -> Judgement {
    guard let environment = claims.environment else {
      return .fails("it does not say which environment it comes from")
    }
    guard let allowed = origin.environments else { return .holds }
    if allowed.contains(environment) { return .holds }
    let expected = allowed.map(\.rawValue).sorted().joined(separator: " or ")
    return .fails("it comes from the environment \(environment), expected \(expected)")
  }
}

import Foundation
import IAPModel

/// What a payload says about its app, its environment and its time, whatever its kind.
struct Claims: Sendable {
  var bundleID: BundleID?
  var appAppleID: AppAppleID?
  var environment: StoreEnvironment?
  var signedDate: Date?
  /// Whether payloads of this kind name an app at all: renewal info does not.
  var namesApp = true
  /// Whether payloads of this kind carry Apple's number of the app, in production at least.
  var namesAppAppleID = false
}

/// A rule about what a payload says, given what is expected.
protocol ClaimPolicy: Sendable {
  /// The rule's name.
  var rule: Rule { get }

  /// Says whether the payload follows the rule.
  func judge(_ claims: Claims, _ origin: ExpectedOrigin) -> Judgement
}

/// The rules about what payloads say, in the order in which failures are listed.
struct ClaimPolicies: Sendable {
  static let all: [any ClaimPolicy] = [
    SignedDatePolicy(), BundlePolicy(), AppAppleIDPolicy(), EnvironmentPolicy(),
  ]

  /// Applies every rule; without claims none can be applied.
  static func judge(
    _ claims: Claims?,
    _ origin: ExpectedOrigin,
    into findings: inout Findings
  ) {
    for policy in all {
      findings.add(policy.rule, claims.map { policy.judge($0, origin) } ?? .open)
    }
  }
}

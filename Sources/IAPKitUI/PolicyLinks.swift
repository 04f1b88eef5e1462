public import Foundation
public import IAPKit

/// Where an app's policies are: review wants working links to both beside every subscription, and
/// in the app's description.
public struct PolicyLinks: Hashable, Sendable {
  /// The terms of use.
  public var termsOfUse: URL
  /// The privacy policy.
  public var privacyPolicy: URL

  /// Makes the links.
  public init(termsOfUse: URL, privacyPolicy: URL) {
    self.termsOfUse = termsOfUse
    self.privacyPolicy = privacyPolicy
  }

  /// The links with their words.
  ///
  /// - Parameter language: The language.
  /// - Returns: The terms, then the privacy policy.
  public func links(_ language: IAPError.Language) -> [PolicyLink] {
    [
      PolicyLink(
        kind: .termsOfUse,
        title: Words("Terms of Use", zh: "使用条款")(language),
        url: termsOfUse
      ),
      PolicyLink(
        kind: .privacyPolicy,
        title: Words("Privacy Policy", zh: "隐私政策")(language),
        url: privacyPolicy
      ),
    ]
  }
}

/// One link to a policy.
public struct PolicyLink: Hashable, Sendable, Identifiable {
  /// Which policy.
  public enum Kind: Hashable, Sendable {
    /// The terms of use.
    case termsOfUse
    /// The privacy policy.
    case privacyPolicy
  }

  /// Which policy.
  public var kind: Kind
  /// What is written on the link.
  public var title: String
  /// Where it leads.
  public var url: URL

  /// Which policy: there is one link to each.
  public var id: Kind { kind }
}

public import Foundation
public import IAPModel

/// Which apps and environments signed data may come from.
public struct ExpectedOrigin: Hashable, Sendable {
  /// The apps, nil when any app will do: then the caller has to look at the bundle identifier.
  public var apps: [App]?
  /// The environments, nil when any will do.
  ///
  /// Sandbox data is taken only where the sandbox is named, and is marked when it is.
  public var environments: Set<StoreEnvironment>?

  /// An app by both its names.
  public struct App: Hashable, Sendable {
    /// The bundle identifier, nil when only the number counts.
    public var bundleID: BundleID?
    /// Apple's number, nil when it is not known here and so is not checked.
    public var appAppleID: AppAppleID?

    /// Makes an app.
    ///
    /// - Parameters:
    ///   - bundleID: The bundle identifier.
    ///   - appAppleID: Apple's number.
    public init(bundleID: BundleID?, appAppleID: AppAppleID?) {
      self.bundleID = bundleID
      self.appAppleID = appAppleID
    }
  }

  /// Makes an expectation.
  ///
  /// - Parameters:
  ///   - apps: The apps, nil when any app will do.
  ///   - environments: The environments, nil when any will do.
  public init(apps: [App]?, environments: Set<StoreEnvironment>?) {
    self.apps = apps
    self.environments = environments
  }
}

/// The instant at which certificates have to be valid.
public enum JudgingInstant: Hashable, Sendable {
  /// This one: for what arrives live, the present.
  case at(Date)
  /// The one at which the data says it was signed: for what a client has kept.
  case signedDate
}

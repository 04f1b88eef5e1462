public import IAPEntitlements
public import IAPModel
public import ServerStorage

/// When a client's word about the account that it works for counts.
public enum AccountTrust: String, Hashable, Sendable, CaseIterable {
  /// Together with a genuine purchase: for apps without a backend whose accounts have names that
  /// nobody can guess. Whoever knows a name can read what the account has.
  case claimed
  /// Together with a customer token of that account, which the app's backend asks for with its
  /// secret key. Without one a genuine purchase is accepted and credited to nobody.
  case proven
}

/// An app that the server works for.
public struct ServerApp: Hashable, Sendable {
  /// The app's bundle identifier.
  public var bundleID: BundleID
  /// Apple's number of the app; nil when it is not known, and then it is not checked.
  public var appAppleID: AppAppleID?
  /// The environments whose data is taken.
  ///
  /// What belongs to one environment never gives access in another. A server without the sandbox
  /// refuses sandbox data with that reason.
  public var environments: Set<StoreEnvironment>
  /// Which product gives which entitlement; without a rule a product gives one of its own name.
  public var catalog: EntitlementCatalog
  /// What happens when another customer presents a purchase that has an owner.
  public var transfers: TransferPolicy
  /// When a client's word about its account counts.
  public var accounts: AccountTrust

  /// Makes an app.
  public init(
    bundleID: BundleID,
    appAppleID: AppAppleID?,
    environments: Set<StoreEnvironment> = [.production, .sandbox],
    catalog: EntitlementCatalog = EntitlementCatalog(),
    transfers: TransferPolicy = .keep,
    accounts: AccountTrust = .proven
  ) {
    precondition(!environments.isEmpty, "an app has at least one environment")
    self.bundleID = bundleID
    self.appAppleID = appAppleID
    self.environments = environments
    self.catalog = catalog
    self.transfers = transfers
    self.accounts = accounts
  }

  /// The environments, real money first.
  var orderedEnvironments: [StoreEnvironment] {
    environments.sorted { left, right in
      if (left == .production) != (right == .production) { return left == .production }
      return left.rawValue < right.rawValue
    }
  }
}

/// What a server is set up with.
public struct ServerConfiguration: Hashable, Sendable {
  /// The apps; at least one, each bundle identifier once.
  public var apps: [ServerApp]
  /// Whether simulated stores are trusted: every answer says so.
  public var isSimulated: Bool
  /// Whether who calls has to show a key; without, everybody who reaches the server may do all.
  public var requiresKeys: Bool
  /// How much is taken.
  public var limits: ServerLimits

  /// Makes a configuration.
  public init(
    apps: [ServerApp],
    isSimulated: Bool = false,
    requiresKeys: Bool = false,
    limits: ServerLimits = .standard
  ) {
    precondition(!apps.isEmpty, "a server works for at least one app")
    precondition(Set(apps.map(\.bundleID)).count == apps.count, "an app is set up once")
    self.apps = apps
    self.isSimulated = isSimulated
    self.requiresKeys = requiresKeys
    self.limits = limits
  }

  /// The app of that bundle identifier.
  func app(_ bundleID: BundleID) -> ServerApp? { apps.first { $0.bundleID == bundleID } }
}

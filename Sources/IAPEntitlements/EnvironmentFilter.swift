public import IAPModel

/// Which facts may count: sandbox facts never give production access.
public enum EnvironmentFilter: Hashable, Sendable {
  /// Every fact counts: for a device, which only sees its own environment.
  case any
  /// Only facts that say this environment count; a fact that does not say does not.
  case only(StoreEnvironment)

  /// Whether a fact counts.
  public func admits(_ fact: StoreFact) -> Bool {
    switch self {
    case .any: true
    case .only(let environment): fact.environment == environment
    }
  }
}

package import Foundation
import IAPModel

/// One call of the App Store's server, for whoever counts them.
package struct AppStoreCallNote: Hashable, Sendable {
  /// What was asked: an endpoint's name.
  package let endpoint: String
  /// Whether real money's address was asked.
  package let isProduction: Bool
  /// `answered`, or the code of the error.
  package let outcome: String
  /// How long it took, in seconds.
  package let seconds: TimeInterval

  init(
    _ endpoint: String,
    _ environment: StoreEnvironment,
    _ outcome: String,
    seconds: TimeInterval
  ) {
    self.endpoint = endpoint
    isProduction = environment == .production
    self.outcome = outcome
    self.seconds = seconds
  }
}

/// What Apple's rate leaves of one endpoint.
package struct AppStoreBudgetLevel: Hashable, Sendable {
  /// The endpoint.
  package let endpoint: ServerAPIEndpoint
  /// Whether it is real money's address.
  package let isProduction: Bool
  /// How many requests may be sent at once.
  package let remaining: Double
}

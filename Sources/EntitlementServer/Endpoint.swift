import HTTPValues
import IAPModel

/// What a request is for.
enum Endpoint: Hashable, Sendable {
  /// Judge a receipt or signed transaction.
  case verify
  /// Take a notification from the App Store.
  case appleNotification
  /// Show a customer.
  case customer(CustomerID)
  /// Say whether the server can do its work.
  case health
  /// Show the counters.
  case metrics

  /// Finds the endpoint of a path; nil when there is none.
  init?(_ segments: [String]) {
    switch segments {
    case ["v1", "verify"]: self = .verify
    case ["v1", "notifications", "apple"]: self = .appleNotification
    case ["healthz"]: self = .health
    case ["metrics"]: self = .metrics
    default:
      guard segments.count == 3, segments[0] == "v1", segments[1] == "customers" else {
        return nil
      }
      self = .customer(CustomerID(segments[2]))
    }
  }

  /// The methods that it knows.
  var methods: [HTTPMethod] {
    switch self {
    case .verify, .appleNotification: [.post]
    case .customer, .health, .metrics: [.get, .head]
    }
  }

  /// Its name in logs and metrics, without any identifier.
  var name: String {
    switch self {
    case .verify: "/v1/verify"
    case .appleNotification: "/v1/notifications/apple"
    case .customer: "/v1/customers/{id}"
    case .health: "/healthz"
    case .metrics: "/metrics"
    }
  }
}

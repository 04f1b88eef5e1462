import Foundation
import IAPModel

/// How many requests an app may send.
///
/// Apple names them by the second and counts them by the hour.
///
/// - **Source:** App Store Server API, "Identifying rate limits".
public struct RateLimits: Hashable, Sendable {
  /// Whether requests are counted.
  public var areOn: Bool
  /// What stands in the place of Apple's numbers, for each kind; nil for Apple's.
  public var requestsPerHour: Int?

  /// Sets the limits.
  ///
  /// - Parameters:
  ///   - areOn: Whether requests are counted.
  ///   - requestsPerHour: What stands in the place of Apple's numbers; nil for Apple's.
  public init(areOn: Bool, requestsPerHour: Int? = nil) {
    self.areOn = areOn
    self.requestsPerHour = requestsPerHour
  }

  /// Nothing is counted.
  public static let off = RateLimits(areOn: false)

  func requestsPerHour(_ kind: RateKind, _ environment: StoreEnvironment) -> Int? {
    guard areOn else { return nil }
    if let requestsPerHour { return requestsPerHour }
    // A tenth in the sandbox.
    return kind.rawValue * 3600 / (environment == .production ? 1 : 10)
  }
}

/// Requests that are counted together, by how many Apple allows in a second.
enum RateKind: Int, Hashable, Sendable {
  case fifty = 50
  case twenty = 20
  case ten = 10
  case one = 1
}

/// An hour of requests.
struct RateWindow: Hashable, Sendable {
  struct Key: Hashable, Sendable {
    let app: BundleID
    let kind: RateKind
  }

  /// How long requests are counted together, in seconds.
  static let length: TimeInterval = 3600

  let start: Date
  var count = 0

  init(start: Date) { self.start = start }

  var end: Date { start.addingTimeInterval(Self.length) }
}

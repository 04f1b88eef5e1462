import Foundation
import IAPEntitlements
import IAPModel

/// Writes payloads for tests; instants are seconds after a fixed day.
enum Make {
  static let day: TimeInterval = 24 * 60 * 60

  static func date(_ seconds: TimeInterval) -> Date {
    Date(timeIntervalSince1970: 1_700_000_000 + seconds)
  }
}

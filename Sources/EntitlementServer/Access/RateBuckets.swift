import IAPModel
import ServerStorage
import Synchronization

/// Lets each key send so many requests: a bucket that fills steadily and holds a minute's worth.
final class RateBuckets: Sendable {
  private struct Bucket {
    var tokens: Double
    var filled: Duration
  }

  private let perMinute: Int
  private let buckets = Mutex<[APIKeyID: Bucket]>([:])

  /// Makes buckets.
  ///
  /// - Parameter perMinute: How many requests a key may send in a minute.
  init(perMinute: Int) { self.perMinute = perMinute }

  /// Takes one request out of a key's bucket.
  ///
  /// - Parameters:
  ///   - key: The key; only ones that were proven good, so that the number of buckets is bounded.
  ///   - now: The time on a clock that never jumps.
  /// - Returns: Nil when there was one; else after how many seconds there will be.
  func take(_ key: APIKeyID, at now: Duration) -> Int? {
    let perSecond = Double(perMinute) / 60
    return buckets.withLock { buckets in
      var bucket = buckets[key] ?? Bucket(tokens: Double(perMinute), filled: now)
      let passed = max((now - bucket.filled) / .seconds(1), 0)
      bucket.tokens = min(bucket.tokens + passed * perSecond, Double(perMinute))
      bucket.filled = now
      defer { buckets[key] = bucket }
      guard bucket.tokens < 1 else {
        bucket.tokens -= 1
        return nil
      }
      return max(Int(((1 - bucket.tokens) / perSecond).rounded(.up)), 1)
    }
  }
}

import Synchronization

/// Lets each name send so many requests: a bucket that fills steadily and holds a minute's worth.
package final class RateBuckets<Name: Hashable & Sendable>: Sendable {
  private struct Bucket {
    var tokens: Double
    var filled: Duration
  }

  private struct State {
    var buckets: [Name: Bucket] = [:]
    /// What names share for which there is no room.
    var shared: Bucket?
  }

  private let perMinute: Int
  private let namesMax: Int
  private let state = Mutex(State())

  /// Makes buckets.
  ///
  /// - Parameters:
  ///   - perMinute: How many requests a name may send in a minute.
  ///   - namesMax: The most names that have a bucket of their own; what is sent under further ones
  ///     shares one.
  package init(perMinute: Int, namesMax: Int = .max) {
    self.perMinute = perMinute
    self.namesMax = namesMax
  }

  /// Takes one request out of a name's bucket.
  ///
  /// - Parameters:
  ///   - name: The name.
  ///   - now: The time on a clock that never jumps.
  /// - Returns: Nil when there was one; else after how many seconds there will be.
  package func take(_ name: Name, at now: Duration) -> Int? {
    state.withLock { state in
      if state.buckets[name] == nil, state.buckets.count >= namesMax {
        // Who has been silent for a minute has a full bucket, which is none.
        state.buckets = state.buckets.filter { filled($0.value, at: now) < Double(perMinute) }
      }
      guard state.buckets[name] != nil || state.buckets.count < namesMax else {
        var bucket = state.shared ?? Bucket(tokens: Double(perMinute), filled: now)
        defer { state.shared = bucket }
        return take(&bucket, at: now)
      }
      var bucket = state.buckets[name] ?? Bucket(tokens: Double(perMinute), filled: now)
      defer { state.buckets[name] = bucket }
      return take(&bucket, at: now)
    }
  }

  private var perSecond: Double { Double(perMinute) / 60 }

  private func filled(_ bucket: Bucket, at now: Duration) -> Double {
    let passed = max((now - bucket.filled) / .seconds(1), 0)
    return min(bucket.tokens + passed * perSecond, Double(perMinute))
  }

  private func take(_ bucket: inout Bucket, at now: Duration) -> Int? {
    bucket.tokens = filled(bucket, at: now)
    bucket.filled = now
    guard bucket.tokens < 1 else {
      bucket.tokens -= 1
      return nil
    }
    return max(Int(((1 - bucket.tokens) / perSecond).rounded(.up)), 1)
  }
}

import Testing

@testable import EntitlementServer

@Suite struct RateBucketsTests {
  @Test func namesBeyondTheLimitShareOneBucket() {
    let buckets = RateBuckets<Int>(perMinute: 2, namesMax: 3)
    for name in 0..<3 { #expect(buckets.take(name, at: .zero) == nil) }
    #expect(buckets.take(3, at: .zero) == nil)
    #expect(buckets.take(4, at: .zero) == nil)
    #expect(buckets.take(5, at: .zero) == 30)
    // Those that have their own keep it.
    #expect(buckets.take(0, at: .zero) == nil)
    #expect(buckets.take(0, at: .zero) == 30)
    // Who has been silent makes room.
    #expect(buckets.take(6, at: .seconds(60)) == nil)
    #expect(buckets.take(6, at: .seconds(60)) == nil)
    #expect(buckets.take(6, at: .seconds(60)) == 30)
  }
}

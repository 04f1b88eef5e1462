import AppStoreServerAPI
import Foundation
import Testing

/// One rate, divided among servers that ask with the same key.
struct RateBudgetSharingTests {
  private let start = Date(timeIntervalSince1970: 1_700_000_000)

  /// How many requests may be sent within so many seconds by servers that divide a rate.
  private func sent(by servers: Int, rate: Double, seconds: Int) -> Int {
    var budgets = (0..<servers).map { _ in RateBudget(rate: rate, at: start) }
    for index in budgets.indices { budgets[index].divide(among: servers, at: start) }
    var count = 0
    for tick in 0...(seconds * 10) {
      let now = start.addingTimeInterval(Double(tick) / 10)
      for index in budgets.indices {
        while budgets[index].take(at: now) == 0 { count += 1 }
      }
    }
    return count
  }

  @Test(arguments: [1, 2, 3, 20])
  func togetherTheySendNoMoreThanOneWould(servers: Int) {
    let alone = sent(by: 1, rate: 20, seconds: 120)
    #expect(alone == 20 * 60 + 20 * 120)
    let together = sent(by: servers, rate: 20, seconds: 120)
    #expect(together <= alone + servers)
    #expect(together >= alone - servers)
  }

  @Test func whatWasSavedUpIsDividedWhenAnotherServerComes() {
    var budget = RateBudget(rate: 1, at: start)
    budget.divide(among: 2, at: start)
    var count = 0
    while budget.take(at: start) == 0 { count += 1 }
    #expect(count == 30)
    // At half the rate the next one is there in two seconds.
    #expect(budget.take(at: start) == 2)
    budget.divide(among: 1, at: start)
    #expect(budget.take(at: start) == 1)
  }

  @Test func aCountBelowOneIsOne() {
    var budget = RateBudget(rate: 1, at: start)
    budget.divide(among: 0, at: start)
    var count = 0
    while budget.take(at: start) == 0 { count += 1 }
    #expect(count == 60)
  }
}

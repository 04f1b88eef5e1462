import AppStoreServerAPI
import Foundation
import Testing

struct RateBudgetTests {
  private let start = Date(timeIntervalSince1970: 1_700_000_000)

  @Test func aMinutesWorthMayBeUsedAtOnceAndNoMore() {
    var budget = RateBudget(rate: 2, at: start)
    let waits = (0..<121).map { _ in budget.take(at: start) }
    #expect(waits.dropLast().allSatisfy { $0 == 0 })
    #expect(waits.last == 0.5)
  }

  @Test func itFillsEvenlyAndNeverBeyondItsSize() {
    var budget = RateBudget(rate: 1, at: start)
    for _ in 0..<60 { _ = budget.take(at: start) }
    #expect(budget.take(at: start.addingTimeInterval(0.25)) == 0.75)
    #expect(budget.take(at: start.addingTimeInterval(1)) == 0)
    let late = start.addingTimeInterval(1_000_000)
    let waits = (0..<61).map { _ in budget.take(at: late) }
    #expect(waits.filter { $0 == 0 }.count == 60)
  }

  @Test func aClockThatGoesBackGivesNothingAway() {
    var budget = RateBudget(rate: 1, at: start)
    for _ in 0..<60 { _ = budget.take(at: start) }
    #expect(budget.take(at: start.addingTimeInterval(-100)) == 1)
  }

  @Test func whileItIsClosedNothingIsSentAndThenOneAtATime() {
    var budget = RateBudget(rate: 1, at: start)
    budget.close(until: start.addingTimeInterval(30))
    #expect(budget.take(at: start.addingTimeInterval(10)) == 20)
    #expect(budget.take(at: start.addingTimeInterval(30)) == 0)
  }
}

import AppStoreSimulator
import Foundation
import Synchronization
import Testing

struct VirtualClockTests {
  let start = Date(timeIntervalSince1970: 1000)

  @Test func eventsRunInOrderOfTimeThenOfScheduling() {
    let clock = VirtualClock(start: start)
    let log = Log()
    for (offset, name) in [(20.0, "c"), (10, "a"), (20, "d"), (10, "b")] {
      clock.schedule(at: start.addingTimeInterval(offset)) { now in
        log.add("\(name)@\(Int(now.timeIntervalSince1970))")
      }
    }
    clock.advance(by: 15)
    #expect(log.lines == ["a@1010", "b@1010"])
    clock.advance(by: 15)
    #expect(log.lines == ["a@1010", "b@1010", "c@1020", "d@1020"])
    #expect(clock.now == start.addingTimeInterval(30))
  }

  @Test func anEventMayScheduleAnEarlierOneThatRunsInTheSameMove() {
    let clock = VirtualClock(start: start)
    let log = Log()
    clock.schedule(at: start.addingTimeInterval(10)) { now in
      log.add("outer")
      clock.schedule(at: now) { _ in log.add("same instant") }
      clock.schedule(at: now.addingTimeInterval(5)) { _ in log.add("later") }
    }
    clock.advance(by: 20)
    #expect(log.lines == ["outer", "same instant", "later"])
  }

  @Test func theClockNeverGoesBack() {
    let clock = VirtualClock(start: start)
    clock.advance(by: -10)
    clock.advance(to: start.addingTimeInterval(-10))
    #expect(clock.now == start)
  }

  @Test func anEventInThePastIsDueAtTheNextMoveAndSeesTheClock() {
    let clock = VirtualClock(start: start)
    let log = Log()
    clock.schedule(at: start.addingTimeInterval(-5)) { now in
      log.add("\(Int(now.timeIntervalSince1970))")
    }
    #expect(log.lines == [])
    clock.advance(by: 0)
    #expect(log.lines == ["1000"])
  }

  @Test func aSleeperWakesWhenTheClockReachesIt() async throws {
    let clock = VirtualClock(start: start)
    let sleeper = Task { try await clock.sleep(for: 60) }
    while clock.nextDue == nil { await Task.yield() }
    #expect(clock.nextDue == start.addingTimeInterval(60))
    clock.advance(by: 60)
    try await sleeper.value
  }

  @Test func aCancelledSleeperThrowsAndLeavesNothingBehind() async throws {
    let clock = VirtualClock(start: start)
    let sleeper = Task { try await clock.sleep(for: 60) }
    while clock.nextDue == nil { await Task.yield() }
    sleeper.cancel()
    await #expect(throws: CancellationError.self) { try await sleeper.value }
    #expect(clock.nextDue == nil)
  }

  @Test func sleepingUntilThePastReturnsAtOnce() async throws {
    let clock = VirtualClock(start: start)
    try await clock.sleep(until: start)
    try await clock.sleep(for: -1)
  }

  @Test func advancingToTheNextEventSaysWhenThereIsNone() {
    let clock = VirtualClock(start: start)
    #expect(!clock.advanceToNextEvent())
    clock.schedule(at: start.addingTimeInterval(3)) { _ in }
    #expect(clock.advanceToNextEvent())
    #expect(clock.now == start.addingTimeInterval(3))
  }
}

/// Lines written from closures.
final class Log: Sendable {
  private let state = Mutex<[String]>([])
  var lines: [String] { state.withLock { $0 } }
  func add(_ line: String) { state.withLock { $0.append(line) } }
}

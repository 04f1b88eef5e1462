import IAPKit
import Testing

@Suite struct RetryPolicyTests {
  @Test func waitDoublesUpToItsLimit() {
    let policy = RetryPolicy()
    let waits = (1...13).map { policy.delay(afterAttempts: $0, random: 0) }
    #expect(waits == [2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 3600, 3600])
  }

  @Test(arguments: [(0.0, 8.0), (0.5, 6), (0.999, 4.004)])
  func jitterTakesAwayUpToAHalf(_ row: (random: Double, wait: Double)) {
    #expect(abs(RetryPolicy().delay(afterAttempts: 3, random: row.random) - row.wait) < 1e-9)
  }

  @Test(arguments: [Int.min, -1, 0, 1])
  func fewerThanOneAttemptWaitsAsAfterTheFirst(_ attempts: Int) {
    #expect(RetryPolicy().delay(afterAttempts: attempts, random: 0) == 2)
  }

  @Test func countlessAttemptsStillWaitTheLimit() {
    #expect(RetryPolicy().delay(afterAttempts: .max, random: 0) == 3600)
  }
}

@Suite struct EventStreamTests {
  private func names(_ stream: AsyncStream<FunnelEvent>, _ count: Int) async -> [Int] {
    var numbers: [Int] = []
    for await event in stream {
      if case .journalRepaired(let number) = event { numbers.append(number) }
      if numbers.count == count { break }
    }
    return numbers
  }

  @Test(arguments: [256, 257])
  func lateConsumerGetsTheLastEvents(_ sent: Int) async {
    let events = EventStream()
    for number in 1...sent { events.send(.journalRepaired(damagedRecords: number)) }
    let late = events.subscribe(replaying: true)
    #expect(await names(late, 256) == Array((sent - 255)...sent))
  }

  @Test func consumerThatDoesNotAskHearsOnlyWhatComes() async {
    let events = EventStream()
    events.send(.journalRepaired(damagedRecords: 1))
    let consumer = events.subscribe()
    events.send(.journalRepaired(damagedRecords: 2))
    #expect(await names(consumer, 1) == [2])
  }

  @Test func consumerThatLeavesDisturbsNobody() async {
    let events = EventStream()
    let stays = events.subscribe()
    let leaves = events.subscribe()
    let task = Task { await names(leaves, 2) }
    events.send(.journalRepaired(damagedRecords: 1))
    task.cancel()
    _ = await task.value
    events.send(.journalRepaired(damagedRecords: 2))
    #expect(await names(stays, 2) == [1, 2])
  }
}

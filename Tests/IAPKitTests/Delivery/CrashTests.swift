import Foundation
import IAPKit
import IAPModel
import Testing

/// A process is killed between any two effects (writes, the sheet, the app's effect, the
/// acknowledgement to the server, the finish),
/// then relaunched, killed again, and relaunched. Goods must come once, and the queue move.
@Suite(.timeLimit(.minutes(5))) struct CrashTests {
  enum Story: String, CaseIterable, CustomTestStringConvertible {
    case consumable, legacyWithReceipt, refund, refusals, restoredCopy, unanswered

    var testDescription: String { rawValue }

    var generation: StoreGeneration {
      switch self {
      case .consumable, .refund, .refusals, .unanswered: .storekit2
      case .legacyWithReceipt, .restoredCopy: .storekit1
      }
    }

    /// What the app must have done in the end, once the money was paid.
    var effects: [String] {
      switch self {
      case .consumable, .legacyWithReceipt, .unanswered: ["grant:tx:1"]
      case .refund: ["grant:tx:1", "clawback:tx:1:1700000010000"]
      case .refusals: []
      case .restoredCopy: ["grant:orig:1"]
      }
    }

    func prepare(_ world: ScriptedWorld) {
      let isLegacy = generation == .storekit1
      world.store.state.withLock { state in
        state.receipt = Array("receipt".utf8)
        state.sheet = { request in
          guard isLegacy else { return .transaction(.coins("1", request)) }
          var bought = StoreTransaction.legacy("1", product: request.productID, receipt: nil)
          bought.appAccountToken = request.accountToken
          return .transaction(bought)
        }
      }
      if self == .refusals { world.validator.state.withLock { $0.always["coins"] = .reject } }
      if self == .unanswered { world.validator.script(.unreachable, .unreachable) }
    }

    /// What a user does in one process, as far as it comes.
    func play(_ process: ScriptedProcess, _ world: ScriptedWorld) async {
      switch self {
      case .consumable, .legacyWithReceipt, .refusals, .unanswered:
        _ = await process.funnel.buy(OrderDraft(productID: "coins"))
      case .refund:
        let outcome = await process.funnel.buy(OrderDraft(productID: "coins"))
        guard case .delivered = outcome, !process.life.isDead else { return }
        await refund(process, world)
      case .restoredCopy:
        var original = StoreTransaction.legacy("1")
        original.type = .nonConsumable
        world.store.pay(original)
        _ = await process.funnel.process(original)
        var copy = StoreTransaction.legacy("2")
        copy.originalTransactionID = "1"
        copy.storeState = .restored
        world.store.pay(copy)
        _ = await process.funnel.process(copy)
      }
    }

    private func refund(_ process: ScriptedProcess, _ world: ScriptedWorld) async {
      let refund = world.store.state.withLock { state -> StoreTransaction in
        let refund = state.paid[0].retold(signedAfter: 10, revoked: true)
        // The store announces it again.
        state.finished = []
        state.paid = [refund]
        return refund
      }
      _ = await process.funnel.process(refund)
    }
  }

  /// Whether nothing is left to do.
  private func isSettled(_ process: ScriptedProcess, _ world: ScriptedWorld) -> Bool {
    world.store.unfinished.isEmpty
      && process.store.records().allSatisfy { record in
        record.state == .finished || (record.state == .quarantined && record.isFinished)
      }
  }

  /// Lets a process go on until nothing is left to do, or until it is dead and does nothing more.
  private func settle(_ process: ScriptedProcess, _ world: ScriptedWorld) async {
    await process.funnel.retry(.foreground)
    for _ in 1...100_000 {
      await process.funnel.whenIdle()
      if isSettled(process, world) || process.life.isDead { return }
      // Whoever is due by the clock has been woken and is about to go on.
      let now = world.clock.now
      let next = process.store.records().compactMap(\.nextAttempt).max()
      if let next, next > now {
        await world.clock.advanceToNextDeadline()
      } else {
        await Task.yield()
      }
    }
  }

  private func check(_ story: Story, _ world: ScriptedWorld, _ label: String) {
    let process = world.launch(generation: story.generation, starts: false)
    let paid = world.store.state.withLock { $0.paid.map(\.transactionID.rawValue) }
    let isRefunded = world.store.state.withLock { $0.paid.contains { $0.revocationDate != nil } }
    var expected = paid.isEmpty ? [] : story.effects
    if story == .refund, !isRefunded { expected = Array(expected.prefix(1)) }
    let effects = world.app.effects
    #expect(effects == expected, "\(label)")
    #expect(world.store.unfinished == [], "\(label)")
    // The server hears of every unit that was handed over and is used up.
    let owed = effects.contains("grant:tx:1") ? ["1"] : []
    #expect(Set(world.validator.told).isSuperset(of: owed), "\(label)")
    let states = Set(process.store.records().map(\.state))
    let end: RecordState = story == .refusals ? .quarantined : .finished
    #expect(states == (paid.isEmpty ? [] : [end]), "\(label)")
    #expect(process.store.records().map(\.transactionId) == paid.sorted(), "\(label)")
    for order in process.store.orders where order.transactionId != nil {
      #expect(order.state == (story == .refusals ? .quarantined : .delivered), "\(label)")
    }
    let bought = story == .restoredCopy ? 0 : paid.count
    #expect(process.store.orders.filter { $0.transactionId != nil }.count == bought, "\(label)")
    process.store.close()
  }

  /// One user's story with a kill after each number of effects in `kills`, then to its end.
  private func run(_ story: Story, kills: [Int], tears: Bool) async -> Int {
    let world = ScriptedWorld()
    story.prepare(world)
    var used = 0
    for (index, limit) in kills.enumerated() {
      let life = Life(effects: limit, tears: tears)
      let process = world.launch(life: life, generation: story.generation)
      if index == 0 { await story.play(process, world) } else { await settle(process, world) }
      // The first process settles too where its story waits for the server.
      if index == 0, !life.isDead { await settle(process, world) }
      used = life.effects
      life.kill()
      process.funnel.stop()
    }
    let last = world.launch(generation: story.generation)
    await settle(last, world)
    last.life.kill()
    check(story, world, "\(story) killed after \(kills) effects, torn: \(tears)")
    return used
  }

  @Test(arguments: Story.allCases, [false, true])
  func goodsComeOnceWhereverTheProcessDies(_ story: Story, _ tears: Bool) async {
    let steps = await run(story, kills: [10_000], tears: false)
    #expect(steps >= 6, "a story without steps would prove nothing")
    for first in 0...steps { _ = await run(story, kills: [first], tears: tears) }
  }

  @Test(arguments: Story.allCases)
  func goodsComeOnceWhereverTheRelaunchedProcessDiesToo(_ story: Story) async {
    let steps = await run(story, kills: [10_000], tears: false)
    for first in 0...steps {
      for second in 0...steps { _ = await run(story, kills: [first, second], tears: false) }
    }
  }
}

import AppStoreSimulator
import Foundation
import IAPKit
import IAPModel
import SimulatedApp
import SimulatedDevice
import Synchronization

/// One run: what the plan says, with faults; then the faults stop and everything has to settle;
/// then the checkers look.
package struct SimulationRun {
  /// The most jobs of a run, a hundred times what one takes: more is something that never ends.
  static let jobsMax = 2_000_000
  /// The most jobs between two moments of rest.
  static let jobsBetweenRestsMax = 200_000
  /// How many jobs the processes of a run get to take note of their end.
  static let jobsAtEndMax = 20_000
  /// How often everybody is called to work after the faults have stopped.
  static let roundsMax = 24
  /// How long they have in between, in seconds: longer than any wait of a client.
  static let roundSeconds: TimeInterval = 6 * 3600
  /// For how many seconds nobody can be charged in some runs: longer than a free trial.
  static let secondsWithoutPay = 8 * 24 * 3600
  /// After how many seconds some runs are looked at once more: a month and a little.
  static let laterSeconds = 33 * 24 * 3600

  let plan: RunPlan
  let world: SimulatedWorld
  private var stage: WorldStage
  private var order: JobOrder
  private var report: RunReport
  private var finishing = FinishCheck()
  private var keeping = KeepingCheck()
  /// How many consumables a second telephone got because the first had been silent for a lease.
  private var secondOwners = 0
  /// On how many telephones with StoreKit 1 somebody may use what another user of it has bought.
  private var untold = 0
  /// How many lines of each app's log were written down.
  private var lineCounts: [Int]

  /// Prepares a run.
  ///
  /// - Parameters:
  ///   - plan: What happens.
  ///   - kit: What all runs have in common.
  ///   - trace: Where everything is written down.
  ///   - jobs: The jobs of the process.
  /// - Throws: `SimulatorError` or `CryptoError` when there can be no such world.
  package init(_ plan: RunPlan, kit: SimulationKit, trace: RunTrace, jobs: JobQueue) throws {
    self.plan = plan
    world = try SimulatedWorld(plan, kit: kit, trace: trace)
    stage = WorldStage(world: world)
    order = JobOrder(seed: plan.seed &* 31 &+ 17, jobs: jobs)
    report = RunReport(seed: plan.seed)
    lineCounts = world.apps.map { _ in 0 }
  }

  /// Makes the run.
  ///
  /// - Returns: What came of it.
  package mutating func run() -> RunReport {
    prepare()
    for step in plan.steps where report.findings.isEmpty {
      wait(step.wait)
      stage.perform(step.action)
      report.findings += finishing.findings(world)
      report.findings += keeping.findings(world)
      if !report.findings.isEmpty { report.step = step.number }
    }
    stage.setPayments(work: true)
    if report.findings.isEmpty { settle() }
    if report.findings.isEmpty { check() }
    if report.findings.isEmpty, plan.cast.failsToPay {
      stage.setPayments(work: false)
      rest(for: TimeInterval(Self.secondsWithoutPay))
      settle()
      if report.findings.isEmpty { check() }
      stage.setPayments(work: true)
    }
    if report.findings.isEmpty, plan.profile == .subscriptions || plan.seed % 4 == 0 {
      // A month later everything is still as it should be.
      rest(for: TimeInterval(Self.laterSeconds))
      checkWhatCameByItself()
      settle()
      if report.findings.isEmpty { check() }
    }
    sum()
    end()
    return report
  }

  // MARK: Time

  private mutating func wait(_ wait: RunPlan.Wait) {
    switch wait {
    case .jobs(let count):
      for _ in 0..<count { guard !isEndless, order.runOne() else { break } }
    case .seconds(let seconds): rest(for: seconds)
    }
  }

  /// Whether it does not settle: then nothing more is run of it.
  private var isEndless: Bool { report.findings.contains { $0.isEndless } }

  /// Runs what can be run at this instant.
  private mutating func work() {
    let before = order.ranCount
    while !isEndless, order.runOne() {
      if order.ranCount - before >= Self.jobsBetweenRestsMax {
        report.findings.append(.endless("\(Self.jobsBetweenRestsMax) jobs at one instant"))
      } else if order.ranCount >= Self.jobsMax {
        report.findings.append(.endless("\(Self.jobsMax) jobs"))
      }
    }
    if world.trace.isOn { writeDownLogs() }
  }

  private mutating func writeDownLogs() {
    for (device, app) in world.apps.enumerated() {
      for line in app.lines.elements.dropFirst(lineCounts[device]) {
        world.trace.note(world.store.clock.now, "phone-\(device) \(line.message)")
        lineCounts[device] += 1
      }
    }
  }

  private mutating func rest(for seconds: TimeInterval) {
    let clock = world.store.clock
    let target = clock.now.addingTimeInterval(seconds)
    work()
    while let due = clock.nextDue, due <= target, report.findings.isEmpty {
      clock.advance(to: due)
      work()
    }
    clock.advance(to: target)
    work()
  }

  /// Waits for something of the simulation's own, and lets time pass for it.
  mutating func answer<Value: Sendable>(
    _ body: @escaping @Sendable () async -> Value
  ) -> Value? {
    let box = AnswerBox<Value>()
    Task { box.put(await body()) }
    for _ in 0..<100 where box.value == nil && !isEndless {
      work()
      if box.value == nil { rest(for: 1) }
    }
    return box.value
  }

  private mutating func note(_ rule: RunFinding.Rule, _ text: String) {
    report.findings.append(RunFinding(rule: rule, text: text))
  }

  // MARK: Phases

  private mutating func prepare() {
    let isReady = answer { [world] in await ServerView(world: world).putCatalog() }
    if isReady != true { note(.broken, "the servers take no catalog") }
    for device in world.apps.indices { stage.launch(device) }
    work()
  }

  /// Faults stop, and everybody works until nothing is left to do.
  private mutating func settle() {
    world.trace.note(world.store.clock.now, "* faults stop")
    stage.calm()
    let missed = answer { [world] in await world.fetchMissedNotifications() } ?? 0
    if missed > 0 { stage.count("notifications fetched after an outage", missed) }
    // A telephone with StoreKit 1 does not hear by itself of what another one has bought; one that
    // dies of a kill that was planned before restores in its next life.
    var restoring: Set<Int> = []
    for round in 0..<Self.roundsMax where report.findings.isEmpty {
      let told = toldCount
      for (device, app) in world.apps.enumerated() {
        if app.isAlive {
          stage.foreground(device)
        } else {
          stage.launch(device)
          restoring.remove(device)
        }
      }
      rest(for: 60)
      for device in world.apps.indices { takeTurns(on: device) }
      // What a family shares may come late, and a restore finds what is there.
      rest(for: round == 0 ? SimulatedWorld.familySecondsMax + 60 : 60)
      // What the servers were told behind the beginning of a round the apps hear in the next one.
      if restoring.count == world.apps.count, told == toldCount, isSettled { return }
      // The checkers look right behind a round: what the store sells later nobody has heard of.
      if round == Self.roundsMax - 1 { return }
      for device in world.apps.indices where restoring.insert(device).inserted {
        stage.restore(device)
      }
      rest(for: Self.roundSeconds)
    }
  }

  /// Every user of a telephone signs in once; the first one last.
  private mutating func takeTurns(on device: Int) {
    let users = world.cast.customers[world.cast.handsets[device].customer].userCount
    guard users > 1 else { return }
    for user in (0..<users).reversed() {
      stage.signIn(user, on: device)
      rest(for: 60)
    }
  }

  /// How many notifications have reached a server.
  private var toldCount: Int { world.store.notifications.count { $0.isDelivered } }

  private var isSettled: Bool {
    world.store.notifications.allSatisfy { $0.isDelivered || $0.nextAttemptDate == nil }
      && world.apps.allSatisfy { app in
        app.isAlive && (isQueueAtRest(app) || world.postponed != nil)
          && app.manager.store.openRecords().allSatisfy { isAtRest($0, on: app) }
      }
  }

  private func isQueueAtRest(_ app: SimulatedApp) -> Bool {
    guard !app.isQueueEmpty else { return true }
    let listed = (try? world.store.unfinished(on: app.device.id)) ?? []
    let copies = (try? world.store.unfinishedCopies(on: app.device.id)) ?? []
    return copies.isEmpty
      && listed.allSatisfy { isSetAsideElsewhere($0.transactionID.rawValue, app) }
  }

  /// Whether nothing more comes of a record by itself.
  private func isAtRest(_ record: TransactionRecord, on app: SimulatedApp) -> Bool {
    switch record.state {
    case .delivered: return true
    case .quarantined where record.quarantine != .unanswered: return true
    case .refused: return true
    case .held:
      // Its signature is looked at for ever. What StoreKit does not list any more, because it was
      // finished on another telephone, comes with no other signature; it stays visible as held.
      let listed = (try? world.store.unfinished(on: app.device.id)) ?? []
      return !listed.contains { $0.transactionID.rawValue == record.transactionId }
    default:
      let id = record.transactionId
      return id == world.postponed || isSetAsideElsewhere(id, app)
    }
  }

  /// Whether another telephone was named for goods that are used up, and has set them aside: this
  /// one waits until somebody has decided about them.
  private func isSetAsideElsewhere(_ id: String, _ app: SimulatedApp) -> Bool {
    world.apps.contains { $0 !== app && $0.manager.store.record(id)?.state == .quarantined }
  }

  private mutating func check() {
    let view = answer { [world] in await ServerView(world: world).read() }
    guard let view, let view else { return note(.broken, "the servers do not answer") }
    let truth = StoreTruth(world: world)
    let goods = GoodsCheck(world: world, truth: truth, view: view)
    report.findings += goods.findings
    secondOwners = goods.secondOwnerCount
    report.findings += BooksCheck(world: world, truth: truth, view: view).findings
    let access = AccessCheck(world: world, truth: truth, view: view)
    report.findings += access.findings
    untold = access.untoldCount
    report.findings += GrowthCheck(world: world).findings
    report.findings += RefusalCheck(world: world, counts: stage.counts).findings
    let missing = answer { [world] in await DurabilityCheck(world: world).findings() }
    report.findings += missing ?? []
    report.setAside = truth.bought.count { view.isSetAside($0, in: world) }
  }

  /// Nobody has opened an app for a month, and renewals were handed over all the same.
  private mutating func checkWhatCameByItself() {
    let isShared = world.cast.customers.contains { $0.userCount > 1 }
    // StoreKit 1 looks for renewals when somebody comes back to the app.
    guard report.findings.isEmpty, !isShared,
      world.apps.allSatisfy({ $0.isAlive && $0.manager.generation == .storekit2 })
    else { return }
    let truth = StoreTruth(world: world)
    let nothing = ServerView.Answer()
    report.findings += GoodsCheck(world: world, truth: truth, view: nothing).findings
      .filter { $0.rule == .lost }
  }

  // MARK: Ending

  private mutating func sum() {
    let truth = StoreTruth(world: world)
    report.orders = truth.bought.count
    report.effects = world.apps.reduce(0) { $0 + $1.effects.count }
    report.jobs = order.ranCount
    report.seconds = world.store.clock.now.timeIntervalSince(SimulatedWorld.start)
    report.counts = stage.counts
    if untold > 0 { report.counts["telephones that cannot tell their users apart"] = untold }
    let refunded = keeping.refunded.count
    if refunded > 0 { report.counts["accounts with a refund of what lasts"] = refunded }
    if truth.sharedSubscriptionCount > 0 {
      report.counts["subscriptions that several users paid for"] = truth.sharedSubscriptionCount
    }
    if secondOwners > 0 { report.counts["second owners after the lease"] = secondOwners }
    for (name, count) in world.path.counts { report.counts["messages: " + name] = count }
    report.crashPoints = stage.crashPoints
    for app in world.apps {
      report.crashPoints.formUnion(app.deaths.elements)
      for step in app.steps.elements {
        report.cells.insert("\(step.state?.rawValue ?? "new")/\(step.event)")
      }
    }
    world.trace.note(
      world.store.clock.now,
      "* the end: \(report.jobs) jobs, \(report.orders) orders, \(report.effects) effects"
    )
  }

  /// Kills everything, so that nothing of this run is left to the next one.
  private mutating func end() {
    for app in world.apps { app.kill() }
    for index in 0..<world.farm.count { _ = world.farm.kill(index) }
    for _ in 0..<Self.jobsAtEndMax { guard order.runOne() else { return } }
    order.dropAll()
  }
}

/// Holds an answer that is still to come.
private final class AnswerBox<Value: Sendable>: Sendable {
  private let state = Mutex<Value?>(nil)
  var value: Value? { state.withLock { $0 } }
  func put(_ value: Value) { state.withLock { $0 = value } }
}

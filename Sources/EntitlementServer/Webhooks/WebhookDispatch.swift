import Foundation
import HTTPValues
import IAPModel
import ServerStorage

/// Sends events to endpoints: at least once, in order for each customer, one customer's trouble
/// never another's.
///
/// Everything that it knows is in the ledger: it can end at any place, and several workers can do
/// it, each with other endpoints. A round that was sent and not recorded is sent again.
struct WebhookDispatch: Sendable {
  let parts: ServerParts
  let world: WebhookWorld

  private var limits: WebhookLimits { parts.configuration.limits.webhooks }
  private var authenticator: MessageAuthenticator {
    MessageAuthenticator(digest: { [verifiers = parts.verifiers] in verifiers.digest($0) })
  }

  /// The most rounds that one pass makes for one endpoint, so that others have their turn.
  static let roundsMax = 50

  /// Sends what is due to every endpoint; they do not wait for each other.
  ///
  /// - Returns: How many attempts were made.
  /// - Throws: ``ServerError`` when the ledger cannot be read.
  func pass() async throws(ServerError) -> Int {
    var endpoints: [(WebhookID, BundleID)] = []
    for app in parts.configuration.apps.map(\.bundleID) {
      let found = try await parts.read { [limits] reader throws(StorageError) in
        try reader.documents(
          .webhook,
          app: app,
          shelf: WebhookEndpoint.State.enabled.rawValue,
          after: 0,
          limit: limits.endpointsMax
        ).map(\.key.name)
      }
      endpoints += found.map { (WebhookID($0), app) }
    }
    return await withTaskGroup(of: Int.self) { group in
      for (id, app) in endpoints {
        group.addTask { await serveLoudly(id, app) }
      }
      return await group.reduce(0, +)
    }
  }

  private func serveLoudly(_ id: WebhookID, _ app: BundleID) async -> Int {
    do throws(ServerError) {
      return try await serve(id, app)
    } catch {
      parts.metrics.count(.errors, ["code": error.code.rawValue])
      parts.world.log(
        ServerEvent(
          .error,
          "webhooks",
          [.init("webhook", id.rawValue), .init("inside", error.inside ?? error.code.rawValue)]
        )
      )
      return 0
    }
  }

  /// Makes rounds for one endpoint until nothing is due.
  private func serve(_ id: WebhookID, _ app: BundleID) async throws(ServerError) -> Int {
    var attempts = 0
    for _ in 0..<Self.roundsMax where !Task.isCancelled {
      guard let round = try await take(id, app) else { break }
      let outcomes = await send(round)
      attempts += outcomes.reduce(0) { $0 + $1.deliveries.count }
      let write = round.write(outcomes, world, limits, at: await parts.clock.now())
      // Somebody else changed it in between: what was sent is sent again.
      guard try await !parts.commit(write).isRefused else { continue }
      note(round, outcomes)
      guard round.hasMore else { break }
    }
    return attempts
  }

  /// Takes an endpoint for itself and reads what is due; nil when nothing is, or another has it.
  private func take(_ id: WebhookID, _ app: BundleID) async throws(ServerError) -> WebhookRound? {
    let now = world.now()
    let found = try await read(id, app, now)
    guard let found, !found.isEmpty else { return nil }
    let isOwn = found.progress.worker == world.worker
    let isHeld = found.progress.leaseUntil.map { $0 > now } ?? false
    guard isOwn || !isHeld || isSilent(id, app, found) else { return nil }
    if isOwn, isHeld, let end = found.progress.leaseUntil,
      end.timeIntervalSince(now) >= limits.sendingSeconds
    {
      return found
    }
    var progress = found.progress
    progress.worker = world.worker
    progress.leaseUntil = now.addingTimeInterval(limits.leaseSeconds)
    var write = LedgerWrite(date: await parts.clock.now())
    write.documents = [progress.document(id, app, .mustHaveVersion(found.progressVersion))]
    guard try await !parts.commit(write).isRefused else { return nil }
    return try await read(id, app, now)
  }

  /// Whether who has an endpoint was not heard of for as long as its lease lasts, whatever instant
  /// its clock has written into it.
  private func isSilent(_ id: WebhookID, _ app: BundleID, _ found: WebhookRound) -> Bool {
    let name = LeaseWatch.DocumentKeyName(kind: "webhook", app: app.rawValue, name: id.rawValue)
    let now = parts.world.uptime()
    let silence = parts.watch.silence(of: name, version: found.progressVersion, at: now)
    return silence >= .seconds(limits.leaseSeconds)
  }

  private func read(
    _ id: WebhookID,
    _ app: BundleID,
    _ now: Date
  ) async throws(ServerError) -> WebhookRound? {
    try await parts.read { [limits] reader throws(StorageError) in
      try WebhookRound.read(id, app, at: now, limits, reader)
    }
  }

  /// Where a round is sent to.
  private struct Target: Sendable {
    let endpoint: WebhookEndpoint
    let address: WebhookAddress?
    /// The address that the host stands for; nil when it may not be sent to.
    let pin: String?
    /// Why nothing is sent.
    let refusal: String
    /// When no further attempt is begun.
    let end: Date
  }

  /// Sends a round: so many lanes at the same time, each in its order.
  private func send(_ round: WebhookRound) async -> [LaneOutcome] {
    let target = await target(round.endpoint)
    return await withTaskGroup(of: LaneOutcome.self) { group in
      var outcomes: [LaneOutcome] = []
      var jobs = round.lanes.map { lane in
        { @Sendable in await send(lane, round, to: target) }
      }
      jobs += round.queued.map { queued in
        { @Sendable in await resend(queued.delivery, queued.event, to: target) }
      }
      var waiting = jobs[...]
      for _ in 0..<limits.concurrencyMax {
        guard let job = waiting.popFirst() else { break }
        group.addTask { await job() }
      }
      for await outcome in group {
        outcomes.append(outcome)
        if let job = waiting.popFirst() { group.addTask { await job() } }
      }
      return outcomes
    }
  }

  private func target(_ endpoint: WebhookEndpoint) async -> Target {
    let end = world.now().addingTimeInterval(limits.roundSeconds)
    func refused(_ word: String) -> Target {
      Target(endpoint: endpoint, address: nil, pin: nil, refusal: word, end: end)
    }
    let allowsLoopback = world.allowsLoopback
    guard let address = try? WebhookAddress(endpoint.url, allowsLoopback: allowsLoopback) else {
      return refused("urlRefused")
    }
    // Looked up once, judged, and pinned: a name that stands for another address a moment later
    // leads nowhere else.
    let found =
      InternetAddress(address.bareHost) == nil
      ? await world.addresses(address.bareHost) : [address.bareHost]
    guard let first = found.first else { return refused("hostNotFound") }
    let isAllowed = found.allSatisfy { text in
      guard let judged = InternetAddress(text) else { return false }
      return AddressPolicy.refusal(of: judged) == nil
        || (allowsLoopback && AddressPolicy.isLoopback(judged))
    }
    guard isAllowed else { return refused("addressRefused") }
    return Target(endpoint: endpoint, address: address, pin: first, refusal: "", end: end)
  }

  private func send(
    _ lane: WebhookRound.Lane,
    _ round: WebhookRound,
    to target: Target
  ) async -> LaneOutcome {
    var outcome = LaneOutcome()
    var attempts = lane.held?.attempts ?? 0
    var after = lane.held?.after ?? 0
    for (index, event) in lane.events.enumerated() {
      guard world.now() < target.end, !Task.isCancelled else {
        // No time is left: it goes on at once in the next round.
        outcome.held = HeldLane(
          lane: lane.lane,
          after: event.sequence - 1,
          attempts: attempts,
          next: world.now()
        )
        return outcome
      }
      var delivery =
        (index == 0 ? lane.earlier : nil) ?? WebhookDelivery(target.endpoint, event, .failing)
      let attempt = await attempt(event, target)
      attempts += 1
      delivery.add(attempt, keeping: limits.keptAttemptsMax)
      let next = settle(&delivery, attempt, attempts, &outcome)
      outcome.deliveries.append(delivery)
      if let next {
        outcome.held = HeldLane(
          lane: lane.lane,
          after: event.sequence - 1,
          attempts: attempts,
          next: next
        )
        return outcome
      }
      attempts = 0
      after = event.sequence
    }
    after = max(after, lane.end)
    if lane.hasMore {
      outcome.held = HeldLane(lane: lane.lane, after: after, attempts: 0, next: world.now())
    } else if lane.held != nil {
      outcome.released = lane.lane
    }
    return outcome
  }

  /// Sends a dead letter again, beside its lane: its order was given up when it became one.
  private func resend(
    _ letter: WebhookDelivery,
    _ event: EventRecord?,
    to target: Target
  ) async -> LaneOutcome {
    var outcome = LaneOutcome()
    var delivery = letter
    guard let event else {
      delivery.state = .dead
      outcome.deliveries = [delivery]
      return outcome
    }
    guard world.now() < target.end, !Task.isCancelled else { return outcome }
    let attempt = await attempt(event, target)
    delivery.add(attempt, keeping: limits.keptAttemptsMax)
    // One attempt for each replay: it is a dead letter again when it fails.
    _ = settle(&delivery, attempt, Int64(limits.attemptsMax), &outcome)
    outcome.deliveries = [delivery]
    return outcome
  }

  /// Decides over an attempt; the instant of the next one when the event is held back.
  private func settle(
    _ delivery: inout WebhookDelivery,
    _ attempt: WebhookAttempt,
    _ attempts: Int64,
    _ outcome: inout LaneOutcome
  ) -> Date? {
    guard !attempt.reply.isSuccess else {
      delivery.state = .delivered
      outcome.successes += 1
      return nil
    }
    outcome.failures += 1
    if attempt.reply.isGone { outcome.isGone = true }
    let next = WebhookRetry.next(
      after: attempts,
      attempt.reply,
      at: world.now(),
      chance: world.chance(),
      limits
    )
    delivery.state = next == nil ? .dead : .failing
    if next == nil { outcome.deaths += 1 }
    return next
  }

  private func attempt(_ event: EventRecord, _ target: Target) async -> WebhookAttempt {
    let now = world.now()
    guard let address = target.address, let pin = target.pin else {
      return WebhookAttempt(date: now, milliseconds: 0, reply: .failure(target.refusal))
    }
    let request = WebhookMessage(
      event: event,
      isSimulated: parts.configuration.isSimulated
    )
    .request(
      to: address,
      pin: pin,
      secrets: target.endpoint.signing(at: now),
      at: now,
      authenticator,
      timeout: limits.timeout,
      trace: TraceContext(of: event, at: now) { [verifiers = parts.verifiers] in
        verifiers.digest($0)
      }
    )
    let begin = parts.world.uptime()
    let reply = await world.send(request)
    let duration = parts.world.uptime() - begin
    parts.metrics.observe(.webhookSeconds, duration)
    return WebhookAttempt(
      date: now,
      milliseconds: Int64(duration / .milliseconds(1)),
      reply: reply
    )
  }

  private func note(_ round: WebhookRound, _ outcomes: [LaneOutcome]) {
    for outcome in outcomes {
      parts.metrics.count(.webhooks, ["outcome": "delivered"], by: Int(outcome.successes))
      parts.metrics.count(
        .webhooks,
        ["outcome": "failed"],
        by: Int(outcome.failures - outcome.deaths)
      )
      parts.metrics.count(.webhooks, ["outcome": "dead"], by: Int(outcome.deaths))
    }
    let failures = outcomes.reduce(0) { $0 + $1.failures }
    guard failures > 0 else { return }
    let isGone = outcomes.contains(where: \.isGone)
    parts.world.log(
      ServerEvent(
        .notice,
        isGone ? "webhookGone" : "webhookFailed",
        [
          .init("webhook", round.endpoint.id.rawValue), .init("failures", "\(failures)"),
          .init("deadLetters", "\(outcomes.reduce(0) { $0 + $1.deaths })"),
        ]
      )
    )
  }
}

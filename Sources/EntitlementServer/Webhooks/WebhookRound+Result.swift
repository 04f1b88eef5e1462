import Foundation
import IAPModel
import ServerStorage

/// What came of one lane in one round.
struct LaneOutcome: Sendable {
  /// What became of each event that was tried.
  var deliveries: [WebhookDelivery] = []
  /// The lane as it is held back from now on; nil when it is not.
  var held: HeldLane?
  /// The lane that is held back no more.
  var released: EventLane?
  var successes: Int64 = 0
  var failures: Int64 = 0
  var deaths: Int64 = 0
  /// Whether the endpoint said that it is no more.
  var isGone = false
}

extension WebhookRound {
  /// The write that records what came of the round, all of it or nothing.
  ///
  /// - Parameters:
  ///   - outcomes: What came of each lane and dead letter.
  ///   - world: The wall clock, chance, and who is telling.
  ///   - limits: How long leases and pauses are.
  ///   - date: The server's clock, for what is stamped.
  /// - Returns: The write.
  func write(
    _ outcomes: [LaneOutcome],
    _ world: WebhookWorld,
    _ limits: WebhookLimits,
    at date: Date
  ) -> LedgerWrite {
    let now = world.now()
    let successes = outcomes.reduce(0) { $0 + $1.successes }
    let failures = outcomes.reduce(0) { $0 + $1.failures }
    var told = progress
    told.position = position
    told.ordinal = ordinal
    told.worker = world.worker
    told.leaseUntil = now.addingTimeInterval(limits.leaseSeconds)
    told.delivered += successes
    told.dead += outcomes.reduce(0) { $0 + $1.deaths }
    if failures > 0 { told.lastFailure = now }
    if successes > 0 { told.lastSuccess = now }
    if successes > 0 || failures == 0 {
      (told.pauses, told.pausedUntil) = (0, nil)
    } else if failures >= Int64(limits.failuresToPause) || told.pauses > 0 {
      let pause = WebhookRetry.pause(told.pauses, chance: world.chance(), limits)
      told.pauses += 1
      told.pausedUntil = now.addingTimeInterval(pause)
    }
    var write = LedgerWrite(date: date)
    write.documents = [
      told.document(endpoint.id, endpoint.app, .mustHaveVersion(progressVersion))
    ]
    if outcomes.contains(where: \.isGone) {
      var gone = endpoint
      gone.state = .disabled
      gone.reason = "gone"
      write.documents.append(gone.document(.mustHaveVersion(endpointVersion)))
      write.audit = [
        AuditRecord(
          app: endpoint.app,
          action: "webhook.disabled",
          details: ["webhook": .string(endpoint.id.rawValue), "reason": "gone", "by": "server"],
          date: date
        )
      ]
    }
    for outcome in outcomes {
      write.documents += outcome.deliveries.map(\.document)
      if let held = outcome.held {
        write.documents.append(held.document(endpoint.id, endpoint.app))
      } else if let released = outcome.released {
        write.removals.append(.heldLane(released, of: endpoint.id.rawValue, endpoint.app))
      }
    }
    return write
  }
}

import Foundation
import IAPModel
import ServerStorage

extension EntitlementServer {
  /// Sends the events that are due to the endpoints of all apps.
  ///
  /// Everything is in the ledger, so it can end at any place, and several servers can do it.
  ///
  /// - Returns: How many attempts were made; 0 when nothing is due.
  public func sendWebhooks() async -> Int {
    guard let world = parts.webhooks else { return 0 }
    do throws(ServerError) {
      return try await WebhookDispatch(parts: parts, world: world).pass()
    } catch {
      noteTrouble("webhooks", error)
      return 0
    }
  }

  /// Waits until something was filed that could be sent, or for so long.
  ///
  /// - Parameter duration: How long at most: events of other processes, and attempts that come due,
  ///   are found by looking.
  public func waitForEvents(atMost duration: Duration) async {
    let world = parts.world
    await parts.bell.wait(after: parts.bell.rings) { await world.pause(duration) }
  }

  /// Answers the requests that wait for events: before the server stops.
  public func endWaiting() { parts.bell.close() }

  /// Looks at what the clock has changed, and forgets events and deliveries that are old.
  ///
  /// - Returns: How many purchases were looked at.
  public func keepEvents() async -> Int {
    do throws(ServerError) {
      let now = await parts.clock.now()
      var count = 0
      for app in parts.configuration.apps.map(\.bundleID) {
        guard try await WorkLease(parts: parts).take(app) else { continue }
        count += try await EventClock(parts: parts).step(app, at: now)
      }
      try await EventMemory(parts: parts).prune(at: now)
      return count
    } catch {
      noteTrouble("events", error)
      return 0
    }
  }

  private func noteTrouble(_ name: String, _ error: ServerError) {
    parts.metrics.count(.errors, ["code": error.code.rawValue])
    parts.world.log(
      ServerEvent(.error, name, [.init("inside", error.inside ?? error.code.rawValue)])
    )
  }
}

/// Forgets events, and what became of them, after a while; what they were about stays for ever.
struct EventMemory: Sendable {
  let parts: ServerParts

  /// The most writes of one call.
  static let writesMax = 50

  func prune(at now: Date) async throws(ServerError) {
    let end = now.addingTimeInterval(-parts.configuration.limits.webhooks.memorySeconds)
    for kind in [DocumentKind.event, .webhookDelivery] {
      for _ in 0..<Self.writesMax where !Task.isCancelled {
        guard try await isOld(kind, end) else { break }
        var write = LedgerWrite(date: now)
        write.pruning = [DocumentPruning(kind, changedBefore: end)]
        _ = try await parts.commit(write)
      }
    }
  }

  /// Whether the first document of a kind is old enough.
  private func isOld(_ kind: DocumentKind, _ end: Date) async throws(ServerError) -> Bool {
    let apps = parts.configuration.apps.map(\.bundleID)
    return try await parts.read { reader throws(StorageError) in
      for app in apps {
        let first = try reader.documents(kind, app: app, shelf: nil, after: 0, limit: 1).first
        if let first, first.changedDate < end { return true }
      }
      return false
    }
  }
}

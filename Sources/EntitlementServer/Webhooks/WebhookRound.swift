import Foundation
import IAPModel
import ServerStorage

/// One round of sending to one endpoint: what there is to send, lane by lane, read in one instant.
///
/// Events of one lane go one after another; an event that does not arrive ends its lane for this
/// round and holds it back until the next attempt. Lanes do not wait for each other.
struct WebhookRound: Sendable {
  /// A lane and what is to be sent in it, in order.
  struct Lane: Sendable {
    let lane: EventLane
    /// The lane as it was held back before; nil for one that was not.
    let held: HeldLane?
    var events: [EventRecord]
    /// What was tried of the first event before.
    let earlier: WebhookDelivery?
    /// The last place that was looked at, whether the endpoint wants what is there or not.
    let end: Int64
    /// Whether there is more behind it.
    let hasMore: Bool
  }

  let endpoint: WebhookEndpoint
  let endpointVersion: Int64
  let progress: WebhookProgress
  let progressVersion: Int64
  /// The place up to which the endpoint has been told, or has lanes held back, after this round.
  let position: Int64
  let ordinal: Int64
  let lanes: [Lane]
  /// Dead letters that are to be sent again, and their events; no event any more when it is nil.
  let queued: [(delivery: WebhookDelivery, event: EventRecord?)]
  /// Whether the round could not take everything that is due.
  let hasMore: Bool

  var isEmpty: Bool { lanes.isEmpty && queued.isEmpty && position == progress.position }

  /// The most events of one lane in one round.
  static let laneEventsMax = 50
  /// The most dead letters in one round.
  static let queuedMax = 50

  /// Reads what there is to send.
  ///
  /// - Parameters:
  ///   - id: The endpoint.
  ///   - app: The app.
  ///   - now: The wall clock.
  ///   - limits: How much is read.
  ///   - reader: The ledger.
  /// - Returns: The round; nil when the endpoint is gone or disabled.
  /// - Throws: ``StorageError``.
  static func read(
    _ id: WebhookID,
    _ app: BundleID,
    at now: Date,
    _ limits: WebhookLimits,
    _ reader: any LedgerReading
  ) throws(StorageError) -> WebhookRound? {
    guard let document = try reader.document(WebhookEndpoint.key(id, app)),
      let told = try reader.document(WebhookProgress.key(id, app))
    else { return nil }
    let endpoint = try WebhookEndpoint(document)
    guard endpoint.state == .enabled else { return nil }
    let progress = try WebhookProgress(told)
    // A pause that ends later than any may was written by a clock that is ahead of this one.
    let pauseEnd = now.addingTimeInterval(limits.pauseSecondsMax * (1 + limits.jitter))
    let isPaused = progress.pausedUntil.map { $0 > now && $0 <= pauseEnd } ?? false
    let held = try heldLanes(id, app, limits, reader)
    let page =
      held.count < limits.heldLanesMax && !isPaused
      ? try reader.events(of: app, after: progress.position, limit: limits.pageMax) : []
    let position = page.last?.sequence ?? progress.position
    let due = held.filter { $0.next <= now && !isPaused }.sorted { $0.next < $1.next }
    var lanes: [Lane] = []
    for lane in due.prefix(limits.pageMax) {
      lanes.append(try Self.lane(lane, endpoint, upTo: position, reader))
    }
    lanes += newLanes(page, endpoint, without: Set(held.map(\.lane)))
    return WebhookRound(
      endpoint: endpoint,
      endpointVersion: document.version,
      progress: progress,
      progressVersion: told.version,
      position: position,
      ordinal: page.last?.ordinal ?? progress.ordinal,
      lanes: lanes,
      queued: isPaused ? [] : try Self.queued(id, app, reader),
      hasMore: page.count == limits.pageMax || due.count > limits.pageMax
        || lanes.contains(where: \.hasMore)
    )
  }

  private static func heldLanes(
    _ id: WebhookID,
    _ app: BundleID,
    _ limits: WebhookLimits,
    _ reader: any LedgerReading
  ) throws(StorageError) -> [HeldLane] {
    var lanes: [HeldLane] = []
    for document in try reader.documents(
      .webhookLane,
      app: app,
      shelf: id.rawValue,
      after: 0,
      // A page may hold back more than there is room for.
      limit: limits.heldLanesMax + limits.pageMax
    ) {
      lanes.append(try HeldLane(document))
    }
    return lanes
  }

  private static func lane(
    _ held: HeldLane,
    _ endpoint: WebhookEndpoint,
    upTo position: Int64,
    _ reader: any LedgerReading
  ) throws(StorageError) -> Lane {
    let found = try reader.events(
      of: endpoint.app,
      in: held.lane,
      after: held.after,
      limit: laneEventsMax
    )
    let reached = found.filter { $0.sequence <= position }
    let events = reached.filter { endpoint.wants($0.type) }
    var earlier: WebhookDelivery?
    if let first = events.first,
      let document = try reader.document(
        WebhookDelivery.key(endpoint.id, first.id, endpoint.app)
      )
    {
      earlier = try WebhookDelivery(document)
    }
    return Lane(
      lane: held.lane,
      held: held,
      events: events,
      earlier: earlier,
      end: reached.last?.sequence ?? held.after,
      hasMore: reached.count == laneEventsMax
    )
  }

  private static func newLanes(
    _ page: [EventRecord],
    _ endpoint: WebhookEndpoint,
    without held: Set<EventLane>
  ) -> [Lane] {
    var order: [EventLane] = []
    var events: [EventLane: [EventRecord]] = [:]
    for event in page where endpoint.wants(event.type) && !held.contains(event.lane) {
      if events[event.lane] == nil { order.append(event.lane) }
      events[event.lane, default: []].append(event)
    }
    return order.map { lane in
      let events = events[lane] ?? []
      return Lane(
        lane: lane,
        held: nil,
        events: events,
        earlier: nil,
        end: events.last?.sequence ?? 0,
        hasMore: false
      )
    }
  }

  private static func queued(
    _ id: WebhookID,
    _ app: BundleID,
    _ reader: any LedgerReading
  ) throws(StorageError) -> [(delivery: WebhookDelivery, event: EventRecord?)] {
    var result: [(delivery: WebhookDelivery, event: EventRecord?)] = []
    for document in try reader.documents(
      .webhookDelivery,
      app: app,
      shelf: WebhookDelivery.shelf(id, .queued),
      after: 0,
      limit: queuedMax
    ) {
      let delivery = try WebhookDelivery(document)
      let key = DocumentKey(.event, app: app, name: delivery.event.rawValue)
      let event = try reader.document(key)
      result.append(
        (
          delivery,
          try event.map { found throws(StorageError) in
            try EventRecord(found)
          }
        )
      )
    }
    return result
  }
}

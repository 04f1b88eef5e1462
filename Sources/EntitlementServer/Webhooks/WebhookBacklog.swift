import Foundation
import IAPModel
import ServerStorage

/// What endpoints still have to be told, and since when they wait.
struct WebhookBacklog: Hashable, Sendable {
  /// Events that were not sent yet, or did not arrive yet.
  ///
  /// Those behind the endpoint's place are counted whether it wants them or not; those that are
  /// held back are counted up to ``countMax``.
  var pending: Int64 = 0
  /// Customers whose events are held back.
  var heldLanes: Int64 = 0
  /// When the oldest of them was recorded.
  var oldest: Date?
  /// Dead letters since the endpoint was made.
  var dead: Int64 = 0

  /// The most events of held lanes that are counted; more are not told apart.
  static let countMax: Int64 = 1000
  /// The most lanes that are looked at for the oldest event.
  static let lanesMax = 100
  /// How old the oldest event is when endpoints are behind, in seconds.
  static let behindSeconds: TimeInterval = 900

  /// Whether endpoints are behind by so much that somebody should look.
  func isBehind(at now: Date) -> Bool {
    oldest.map { now.timeIntervalSince($0) > Self.behindSeconds } ?? false
  }

  /// Adds another endpoint's.
  mutating func add(_ other: WebhookBacklog) {
    pending += other.pending
    heldLanes += other.heldLanes
    dead += other.dead
    oldest = [oldest, other.oldest].compactMap { $0 }.min()
  }

  /// What the enabled endpoints of an app have to be told.
  static func all(
    of app: BundleID,
    _ limits: WebhookLimits,
    _ reader: any LedgerReading
  ) throws(StorageError) -> WebhookBacklog {
    var sum = WebhookBacklog()
    for document in try reader.documents(
      .webhook,
      app: app,
      shelf: WebhookEndpoint.State.enabled.rawValue,
      after: 0,
      limit: limits.endpointsMax
    ) {
      sum.add(try of(WebhookID(document.key.name), app, limits, reader))
    }
    return sum
  }

  /// What one endpoint has to be told.
  static func of(
    _ id: WebhookID,
    _ app: BundleID,
    _ limits: WebhookLimits,
    _ reader: any LedgerReading
  ) throws(StorageError) -> WebhookBacklog {
    guard let document = try reader.document(WebhookProgress.key(id, app)) else {
      return WebhookBacklog()
    }
    let told = try WebhookProgress(document)
    var backlog = WebhookBacklog()
    backlog.dead = told.dead
    backlog.pending = max(0, try reader.eventCount(of: app) - told.ordinal)
    backlog.oldest = try reader.events(of: app, after: told.position, limit: 1).first?.createdDate
    let held = try reader.documents(
      .webhookLane,
      app: app,
      shelf: id.rawValue,
      after: 0,
      limit: limits.heldLanesMax + limits.pageMax
    )
    backlog.heldLanes = Int64(held.count)
    var counted: Int64 = 0
    for document in held.prefix(lanesMax) where counted < countMax {
      let lane = try HeldLane(document)
      let waiting = try reader.events(
        of: app,
        in: lane.lane,
        after: lane.after,
        limit: WebhookRound.laneEventsMax
      )
      counted += Int64(waiting.count { $0.sequence <= told.position })
      backlog.oldest = [backlog.oldest, waiting.first?.createdDate].compactMap { $0 }.min()
    }
    backlog.pending += counted + max(0, Int64(held.count - lanesMax))
    return backlog
  }
}

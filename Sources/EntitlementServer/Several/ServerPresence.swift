import Foundation
import IAPModel
import ServerStorage
import Synchronization

/// Which servers share the ledger, and how far their clocks are apart.
///
/// Each server writes a document of its own every few seconds. Who is there follows from whose
/// document changes, by one's own clock that never jumps; so wrong clocks hide nobody. How many
/// there are divides the App Store's rates.
struct ServerPresence: Sendable {
  let parts: ServerParts

  /// How often a server shows that it is there.
  static let interval = Duration.seconds(5)
  /// How long a document may stand still before its server is taken for gone.
  static let lasting = Duration.seconds(20)
  /// How long it may stand still before anybody removes it.
  static let forgotten = Duration.seconds(120)
  /// The most servers that are looked at.
  static let serversMax = 1000
  /// How far clocks may be apart before somebody is told.
  static let apartMax: TimeInterval = 2

  /// Shows this server and looks at the others, when it is time to.
  ///
  /// - Throws: ``ServerError`` when the ledger cannot be read or written.
  func step() async throws(ServerError) {
    guard let worker = parts.world.worker else { return }
    let now = parts.world.uptime()
    guard parts.servers.isDue(at: now, every: Self.interval) else { return }
    let wall = await parts.clock.now()
    var write = LedgerWrite(date: wall)
    write.documents = [
      DocumentWrite(
        DocumentKey(.presence, app: nil, name: worker),
        body: ["at": .integer(wall.milliseconds)],
        condition: .always
      )
    ]
    write.removals = parts.servers.silent(for: Self.forgotten, at: now).map {
      DocumentKey(.presence, app: nil, name: $0)
    }
    _ = try await parts.commit(write)
    let found = try await parts.read { reader throws(StorageError) in
      try reader.documents(.presence, app: nil, shelf: nil, after: 0, limit: Self.serversMax)
    }
    let wasApart = parts.servers.isApart(Self.apartMax)
    let looked = await parts.clock.now()
    parts.servers.look(
      at: found.filter { $0.key.name != worker },
      now,
      wall: looked,
      lasting: Self.lasting
    )
    parts.world.serversSeen(parts.servers.count)
    guard parts.servers.isApart(Self.apartMax) != wasApart else { return }
    let seconds = parts.servers.apartSeconds
    parts.world.log(
      ServerEvent(
        wasApart ? .info : .error,
        wasApart ? "clocksTogether" : "clocksApart",
        [.init("seconds", "\(Int(seconds.rounded()))")]
      )
    )
  }

  /// Takes this server out of the others' count.
  func leave() async throws(ServerError) {
    guard let worker = parts.world.worker else { return }
    var write = LedgerWrite(date: await parts.clock.now())
    write.removals = [DocumentKey(.presence, app: nil, name: worker)]
    _ = try await parts.commit(write)
  }
}

/// What one server knows of the others.
final class KnownServers: Sendable {
  private struct Other {
    var version: Int64
    var changed: Duration
    /// How many seconds its clock is ahead of this one's, behind when negative.
    var apart: TimeInterval
  }

  private struct State {
    var others: [String: Other] = [:]
    var alive = 1
    var shown: Duration?
    var looked: Date?
  }

  private let state = Mutex(State())

  /// How many servers there are, this one among them.
  var count: Int { state.withLock(\.alive) }

  /// How far the clock that differs most is from this one's, in seconds.
  var apartSeconds: TimeInterval {
    state.withLock { $0.others.values.map { abs($0.apart) }.max() ?? 0 }
  }

  func isApart(_ seconds: TimeInterval) -> Bool { apartSeconds > seconds }

  func isDue(at now: Duration, every interval: Duration) -> Bool {
    state.withLock { state in
      if let shown = state.shown, now - shown < interval { return false }
      state.shown = now
      return true
    }
  }

  func silent(for time: Duration, at now: Duration) -> [String] {
    state.withLock { $0.others.filter { now - $0.value.changed >= time }.map(\.key) }
  }

  /// Compares documents with what was seen before.
  func look(
    at documents: [LedgerDocument],
    _ now: Duration,
    wall: Date,
    lasting: Duration
  ) {
    state.withLock { state in
      let before = state.looked
      state.looked = wall
      var others: [String: Other] = [:]
      for document in documents {
        let name = document.key.name
        guard let known = state.others[name] else {
          // Whether it is there is seen when it changes; until then it counts.
          others[name] = Other(version: document.version, changed: now, apart: 0)
          continue
        }
        guard known.version != document.version else {
          others[name] = known
          continue
        }
        let apart = Self.apart(document, between: before ?? wall, and: wall)
        others[name] = Other(version: document.version, changed: now, apart: apart)
      }
      state.others = others
      state.alive = 1 + others.values.count { now - $0.changed < lasting }
    }
  }

  /// How far a clock is from this one's, when it wrote down its time between two looks.
  private static func apart(
    _ document: LedgerDocument,
    between first: Date,
    and last: Date
  ) -> TimeInterval {
    guard let written = document.body["at"]?.integerValue else { return 0 }
    let date = Date(milliseconds: written)
    if date > last { return date.timeIntervalSince(last) }
    if date < first { return date.timeIntervalSince(first) }
    return 0
  }
}

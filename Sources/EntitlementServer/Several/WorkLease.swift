import IAPModel
import ServerStorage
import Synchronization

/// Which server does an app's work beside answering: whoever has the app's lease.
///
/// There is no leader: each app has a lease of its own, any server takes one that stands still, and
/// a server that is cut off loses its leases to the others. That work is done once does not hang on
/// it, for every step is a write of a version; it keeps servers from asking the App Store the same
/// thing twice. A server that shares its ledger with nobody needs no lease.
struct WorkLease: Sendable {
  let parts: ServerParts

  /// How long a lease may stand still before another server takes it.
  static let lasting = Duration.seconds(15)
  /// How long a lease that was just written is taken for held without looking.
  static let trusted = Duration.seconds(5)

  static func key(_ app: BundleID) -> DocumentKey { DocumentKey(.lease, app: app, name: "work") }

  /// Takes or keeps the lease of an app.
  ///
  /// - Returns: Whether this server has it.
  /// - Throws: ``ServerError`` when the ledger cannot be read or written.
  func take(_ app: BundleID) async throws(ServerError) -> Bool {
    guard let worker = parts.world.worker else { return true }
    let now = parts.world.uptime()
    if let since = parts.held.since(app), now - since < Self.trusted { return true }
    let key = Self.key(app)
    let found = try await parts.read { reader throws(StorageError) in try reader.document(key) }
    if let found, found.body["worker"]?.stringValue != worker {
      parts.held.forget(app)
      let name = LeaseWatch.DocumentKeyName(kind: "lease", app: app.rawValue, name: key.name)
      let silence = parts.watch.silence(of: name, version: found.version, at: now)
      guard silence >= Self.lasting else { return false }
    }
    var write = LedgerWrite(date: await parts.clock.now())
    write.documents = [
      DocumentWrite(
        key,
        body: ["worker": .string(worker)],
        condition: found.map { .mustHaveVersion($0.version) } ?? .mustBeAbsent
      )
    ]
    guard try await !parts.commit(write).isRefused else {
      parts.held.forget(app)
      return false
    }
    parts.held.note(app, since: now)
    return true
  }

  /// Lets go of every lease, so that others need not wait for them to stand still.
  func release() async throws(ServerError) {
    guard let worker = parts.world.worker else { return }
    for app in parts.held.all() {
      let key = Self.key(app)
      let found = try await parts.read { reader throws(StorageError) in try reader.document(key) }
      parts.held.forget(app)
      guard let found, found.body["worker"]?.stringValue == worker else { continue }
      var write = LedgerWrite(date: await parts.clock.now())
      write.removals = [key]
      _ = try await parts.commit(write)
    }
  }
}

/// The leases that this server has, and when each was written last.
final class HeldLeases: Sendable {
  private let apps = Mutex<[BundleID: Duration]>([:])

  func since(_ app: BundleID) -> Duration? { apps.withLock { $0[app] } }
  func note(_ app: BundleID, since now: Duration) { apps.withLock { $0[app] = now } }
  func forget(_ app: BundleID) { apps.withLock { $0[app] = nil } }
  func all() -> [BundleID] { apps.withLock { $0.keys.sorted { $0.rawValue < $1.rawValue } } }
}

extension DocumentKind {
  /// Who does an app's work.
  static let lease = Self(rawValue: "lease")
  /// A server that is there.
  static let presence = Self(rawValue: "presence")
}

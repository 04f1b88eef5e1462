import Synchronization

/// Notices how long documents have stood still, by this process's own clock that never jumps.
///
/// A lease that names an instant is only as good as the clocks of two machines agree. Whoever has a
/// lease writes its document again and again, so its silence says the same without any clock but
/// one's own.
final class LeaseWatch: Sendable {
  private struct Seen {
    let version: Int64
    let since: Duration
  }

  private let seen = Mutex<[DocumentKeyName: Seen]>([:])

  /// How many documents are watched; when there are more, all are looked at anew.
  static let watchedMax = 10_000

  /// Under what a document is watched.
  struct DocumentKeyName: Hashable, Sendable {
    let kind: String
    let app: String
    let name: String
  }

  /// How long a document has had one version.
  ///
  /// - Parameters:
  ///   - name: The document.
  ///   - version: The version that it has now.
  ///   - now: The time on a clock that never jumps.
  /// - Returns: Zero when this is the first look at the version.
  func silence(of name: DocumentKeyName, version: Int64, at now: Duration) -> Duration {
    seen.withLock { seen in
      if let known = seen[name], known.version == version { return now - known.since }
      if seen.count >= Self.watchedMax { seen = [:] }
      seen[name] = Seen(version: version, since: now)
      return .zero
    }
  }
}

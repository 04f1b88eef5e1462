internal import CMicroHTTPD
internal import Foundation
internal import Glibc
internal import HTTPValues
internal import Synchronization

/// Shuts connections that take too long as a whole, however busily their bytes trickle.
///
/// The library itself only knows how long a connection has been silent. A thread of its own looks
/// at the deadlines a few times in each time-out.
final class ConnectionDeadlines: Sendable {
  private struct Entry {
    let descriptor: Int32
    var deadline: ContinuousClock.Instant?
  }
  private struct State {
    var entries: [LibraryHandle: Entry] = [:]
    var isStopped = false
  }

  private let state = Mutex(State())
  private let ended = DispatchSemaphore(value: 0)
  private let limits: HTTPLimits

  init(limits: HTTPLimits) {
    self.limits = limits
    let tick = max(0.02, min(0.25, (limits.transferTimeout / 4).inSeconds))
    let thread = Thread { [self] in
      while ended.wait(timeout: .now() + tick) == .timedOut { shutOverdue() }
    }
    thread.name = "iap-http-deadlines"
    thread.stackSize = 256 * 1024
    thread.start()
  }

  /// A connection was made; its first request may take the idle and the transfer time.
  func opened(_ connection: LibraryHandle, descriptor: Int32) {
    let deadline = ContinuousClock.now + limits.idleTimeout + limits.transferTimeout
    state.withLock { $0.entries[connection] = Entry(descriptor: descriptor, deadline: deadline) }
  }

  /// A transfer begins: the rest of a request, or a response.
  func transferBegins(_ connection: LibraryHandle) {
    set(connection, ContinuousClock.now + limits.transferTimeout)
  }

  /// A request is being answered; that takes as long as it takes.
  func transferEnds(_ connection: LibraryHandle) { set(connection, nil) }

  /// A response was taken; the next request may take the idle and the transfer time.
  func exchangeEnds(_ connection: LibraryHandle) {
    set(connection, ContinuousClock.now + limits.idleTimeout + limits.transferTimeout)
  }

  /// A transfer under way may take no longer than this from now.
  func hasten(_ connection: LibraryHandle, _ time: Duration) {
    let latest = ContinuousClock.now + time
    state.withLock { state in
      guard let deadline = state.entries[connection]?.deadline else { return }
      state.entries[connection]?.deadline = min(deadline, latest)
    }
  }

  /// The connection is about to be closed: after this its descriptor is not touched any more.
  func closed(_ connection: LibraryHandle) {
    state.withLock { _ = $0.entries.removeValue(forKey: connection) }
  }

  /// How many connections there are.
  var count: Int { state.withLock { $0.entries.count } }

  /// Ends the thread.
  func stop() { ended.signal() }

  private func set(_ connection: LibraryHandle, _ deadline: ContinuousClock.Instant?) {
    state.withLock { $0.entries[connection]?.deadline = deadline }
  }

  private func shutOverdue() {
    let now = ContinuousClock.now
    state.withLock { state in
      for (connection, entry) in state.entries {
        guard let deadline = entry.deadline, deadline <= now else { continue }
        // Shut, not closed: the library sees the end of the stream and closes it itself.
        _ = shutdown(entry.descriptor, Int32(SHUT_RDWR))
        state.entries[connection]?.deadline = nil
      }
    }
  }
}

extension Duration {
  /// The duration in seconds.
  var inSeconds: Double {
    Double(components.seconds) + Double(components.attoseconds) / 1e18
  }
}

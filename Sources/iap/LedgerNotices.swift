import EntitlementServer
import ServerStorage
import Synchronization

/// Hands what happens to a database to the server that uses it, once there is one.
final class LedgerNotices: Sendable {
  private let server = Mutex<EntitlementServer?>(nil)

  /// Names the server.
  func lead(to server: EntitlementServer) { self.server.withLock { $0 = server } }

  /// Takes a notice; without a server it is lost.
  func take(_ notice: LedgerNotice) { server.withLock { $0 }?.note(notice) }
}

import Dashboard
import EntitlementServer
import Foundation

extension ServerComposition {
  /// How long the server rests when nothing is due.
  ///
  /// Somebody may wait for what was just asked for, and looking costs a few reads.
  private static let rest = Duration.seconds(2)

  /// How often the server looks for attempts that are due, and for events of other processes.
  private static let look = Duration.seconds(1)

  /// Sends events to endpoints until the task is cancelled: at once when something happens here.
  ///
  /// - Parameter server: The server.
  static func sendWebhooks(_ server: EntitlementServer) async {
    while !Task.isCancelled {
      guard await server.sendWebhooks() == 0 else { continue }
      await server.waitForEvents(atMost: look)
    }
  }

  /// Shows the servers that share the ledger that this one is there, until the task is cancelled.
  ///
  /// - Parameter server: The server.
  static func showPresence(_ server: EntitlementServer) async {
    while !Task.isCancelled {
      await server.showPresence()
      do { try await Task.sleep(for: rest) } catch { return }
    }
  }

  /// Counts what the dashboard's charts show until the task is cancelled.
  ///
  /// - Parameter dashboard: The dashboard.
  static func count(_ dashboard: DashboardSite) async {
    while !Task.isCancelled {
      guard await dashboard.count() == 0 else { continue }
      do { try await Task.sleep(for: rest) } catch { return }
    }
  }

  /// Tests the keys, then does what is due until the task is cancelled.
  ///
  /// A refused key is loud in the log, and the server runs all the same.
  ///
  /// - Parameters:
  ///   - server: The server.
  ///   - interval: How many seconds lie between two scheduled comparisons; nil for none.
  static func work(_ server: EntitlementServer, reconcilingEvery interval: TimeInterval?) async {
    _ = await server.testKeys()
    while !Task.isCancelled {
      let steps = await server.work(reconcilingEvery: interval)
      await server.keepLogs()
      guard await steps + server.keepEvents() == 0 else { continue }
      do { try await Task.sleep(for: rest) } catch { break }
    }
    await server.endWork()
  }
}

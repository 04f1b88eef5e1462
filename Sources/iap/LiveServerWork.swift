import EntitlementServer
import Foundation

extension ServerComposition {
  /// How long the server rests when nothing is due.
  private static let rest = Duration.seconds(15)

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
      guard await server.work(reconcilingEvery: interval) == 0 else { continue }
      do { try await Task.sleep(for: rest) } catch { return }
    }
  }
}

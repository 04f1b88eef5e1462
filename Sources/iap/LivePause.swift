import Foundation

/// Waits between two questions to a server.
enum LivePause {
  /// Waits for so many seconds; less when the task is cancelled.
  static func wait(seconds: Double) async { try? await Task.sleep(for: .seconds(seconds)) }
}

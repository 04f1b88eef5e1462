import Foundation

/// What the tour takes from the real machine: a folder, and time for what happens on sockets.
///
/// The tour's own time is the store's.
enum LiveTour {
  /// Makes an empty folder of this process's own.
  static func makeFolder() throws -> URL {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("iap-demo-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return folder
  }

  /// Rests for a moment, so that sockets and other tasks get on.
  static func rest() async { try? await Task.sleep(for: .milliseconds(2)) }

  /// Waits for a value, but not for ever.
  ///
  /// - Parameters:
  ///   - what: What is waited for, for the error.
  ///   - seconds: How long.
  ///   - body: Makes the value; when it takes too long it is cancelled and no longer waited for.
  /// - Returns: The value.
  /// - Throws: What the body throws, or ``CommandError`` with code `failed`.
  static func deadline<Value: Sendable>(
    _ what: String,
    seconds: Int = 30,
    _ body: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    let (stream, feed) = AsyncStream<Result<Value, any Error>?>.makeStream()
    let work = Task {
      do { feed.yield(.success(try await body())) } catch { feed.yield(.failure(error)) }
    }
    let timer = Task {
      try await Task.sleep(for: .seconds(seconds))
      feed.yield(nil)
    }
    defer {
      work.cancel()
      timer.cancel()
    }
    for await result in stream {
      guard let result else { break }
      return try result.get()
    }
    throw CommandError(
      .failed,
      Words("\(what) took longer than \(seconds) s", zh: "“\(what)”超过 \(seconds) 秒")
    )
  }
}

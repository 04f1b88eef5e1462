/// Somebody's wish that the process ends, which is heard from the moment this value is there.
///
/// Who may be asked to end says only afterwards that it runs: whoever reads that may ask at once.
struct Interruption: Sendable {
  /// One element for each time that it was asked for.
  let requests: AsyncStream<Void>

  /// Returns when it was asked for, also before this call; or when the task is cancelled.
  func wait() async { for await _ in requests { return } }
}

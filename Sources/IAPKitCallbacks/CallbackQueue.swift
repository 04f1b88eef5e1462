public import Dispatch

/// Where a callback arrives.
///
/// Nothing waits there: a slow callback holds up nothing but the callbacks behind it.
public struct CallbackQueue: Sendable {
  /// Runs a piece of work there.
  let run: @Sendable (@escaping @Sendable () -> Void) async -> Void

  private init(_ run: @escaping @Sendable (@escaping @Sendable () -> Void) async -> Void) {
    self.run = run
  }

  /// The main thread.
  public static let main = CallbackQueue { work in await MainActor.run { work() } }

  /// Whatever thread the answer came on: never the main one.
  public static let any = CallbackQueue { work in work() }

  /// A dispatch queue.
  ///
  /// - Parameter queue: The queue; a serial one keeps the order of several callbacks.
  /// - Returns: The place.
  public static func dispatch(_ queue: DispatchQueue) -> CallbackQueue {
    CallbackQueue { work in queue.async(execute: work) }
  }
}

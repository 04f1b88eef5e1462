import Foundation

/// A value behind a lock: the one owner of mutable state that is shared between threads.
///
/// It has the method of the standard `Mutex`, which needs newer systems than the client does.
/// Nothing may be awaited inside.
// A lock makes the access exclusive; the compiler cannot see that.
package final class Locked<State>: @unchecked Sendable {
  private let lock = NSLock()
  private var state: State

  /// Puts a value behind a lock.
  package init(_ state: State) { self.state = state }

  /// Lends the value exclusively.
  package func withLock<Result, Failure: Error>(
    _ body: (inout State) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    lock.lock()
    defer { lock.unlock() }
    return try body(&state)
  }
}

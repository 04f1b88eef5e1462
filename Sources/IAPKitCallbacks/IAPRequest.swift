public import Foundation
import IAPKit

/// A question that was asked with a callback: one of loading, buying, restoring or listening.
///
/// Nobody has to keep it; it lives until it was answered.
#if canImport(ObjectiveC)
@objcMembers
#endif
public final class IAPRequest: NSObject, Sendable {
  private struct State {
    var isCancelled = false
    var task: Task<Void, Never>?
  }

  private let state = Locked(State())

  override init() { super.init() }

  /// Whether ``cancel()`` was called.
  public var isCancelled: Bool { state.withLock { $0.isCancelled } }

  /// Calls nobody back any more: the screen that asked is gone.
  ///
  /// A purchase that has begun goes on, and its goods are delivered; a listener ends.
  public func cancel() {
    let task = state.withLock { state in
      state.isCancelled = true
      return state.task
    }
    task?.cancel()
  }

  /// Begins work that ends with the request.
  func listen(_ work: @escaping @Sendable () async -> Void) {
    let task = Task { await work() }
    state.withLock { $0.task = task }
    if isCancelled { task.cancel() }
  }
}

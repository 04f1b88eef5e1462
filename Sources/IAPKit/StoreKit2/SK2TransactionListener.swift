import StoreKit

/// Listens to what StoreKit 2 says about transactions by itself: renewals, approvals, refunds and
/// purchases made elsewhere.
///
/// It finishes nothing and decides nothing. ``IAPManager`` has its own; this one is for apps that
/// want to look on.
@available(iOS 15.0, macOS 12.0, tvOS 15.0, watchOS 8.0, *)
public final class SK2TransactionListener: Sendable {
  private let task = Locked<Task<Void, Never>?>(nil)

  /// Makes a listener that does not listen yet.
  public init() {}

  deinit { stop() }

  /// Begins to listen; a listener that listens already changes its handler.
  ///
  /// - Parameter handler: Called in order with each transaction whose signature is right.
  public func start(handler: @escaping @Sendable (IAPTransactionResult) -> Void) {
    start { result in
      guard case .verified = result else { return }
      handler(IAPTransactionResult(StoreTransaction(result, source: .updates), order: nil))
    }
  }

  /// How often in a row StoreKit's sequence may end without an element before it is left alone.
  static let emptyEndingsMax = 3

  /// Begins to listen to everything, verified or not.
  func start(sink: @escaping @Sendable (VerificationResult<Transaction>) -> Void) {
    start(over: { Transaction.updates }, sink: sink)
  }

  /// Begins to listen to a sequence that should never end; when it does, another one is asked for.
  func start<Updates: AsyncSequence>(
    over makeUpdates: @escaping @Sendable () -> Updates,
    sink: @escaping @Sendable (Updates.Element) -> Void
  ) where Updates: Sendable {
    // Made here, so that nothing is missed between the call and the task.
    let first = makeUpdates()
    let listening = Task {
      var updates = first
      var emptyEndings = 0
      while !Task.isCancelled, emptyEndings < Self.emptyEndingsMax {
        emptyEndings += 1
        do {
          for try await result in updates {
            emptyEndings = 0
            sink(result)
          }
        } catch {
          // An error ends the sequence like its end.
        }
        updates = makeUpdates()
      }
    }
    replace(with: listening)
  }

  /// Ends listening; it can be started again.
  public func stop() { replace(with: nil) }

  private func replace(with listening: Task<Void, Never>?) {
    let earlier = task.withLock { task in
      let earlier = task
      task = listening
      return earlier
    }
    earlier?.cancel()
  }
}

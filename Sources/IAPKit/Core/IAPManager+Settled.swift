extension IAPManager {
  /// How often ``settled(sending:)`` lets others go first before it gives up.
  package static let turnsMax = 100_000

  /// Waits until everything that has arrived is done, or waits for a time, a trigger or the app.
  ///
  /// For stores whose clock stands still meanwhile: a test's.
  ///
  /// - Parameter send: Sends a signal the way in which the adapter sends its own.
  package func settled(sending send: (StoreSignal) -> Void) async {
    await greeting.withLock { $0 }?.value
    await withCheckedContinuation { continuation in
      send(.mark { continuation.resume() })
    }
    await takeTurns { await funnel.isOverdue }
    await funnel.whenIdle()
    await takeTurns { followed.withLock { $0 } < funnel.events.count }
  }

  /// Lets others go first while a condition holds; what it waits for is bound to happen.
  private func takeTurns(while condition: () async -> Bool) async {
    for _ in 0..<Self.turnsMax {
      guard await condition() else { return }
      await Task.yield()
    }
  }
}

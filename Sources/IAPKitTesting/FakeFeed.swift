import IAPKit

/// A stream with one consumer that tells when the consumer is done with everything.
final class FakeFeed<Element: Sendable>: Sendable {
  fileprivate struct State {
    var waiting: [Element] = []
    /// The consumer, while it asks for the next element.
    var consumer: CheckedContinuation<Element?, Never>?
    var isConsumed = false
    var isClosed = false
    var idleWaiters: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Locked(State())

  /// The stream; its consumer is taken to be done with an element when it asks for the next one.
  var stream: AsyncStream<Element> {
    state.withLock { $0.isConsumed = true }
    return AsyncStream { [weak self] in
      await self?.next()
    } onCancel: { [weak self] in
      self?.close()
    }
  }

  private func next() async -> Element? {
    await withCheckedContinuation { continuation in
      let (answer, idle) = state.withLock { state in
        if state.isClosed { return (Element?.none as Element??, state.takeIdleWaiters()) }
        if !state.waiting.isEmpty { return (state.waiting.removeFirst(), []) }
        state.consumer = continuation
        return (nil, state.takeIdleWaiters())
      }
      for waiter in idle { waiter.resume() }
      if let answer { continuation.resume(returning: answer) }
    }
  }

  func send(_ element: Element) {
    let consumer = state.withLock { state -> CheckedContinuation<Element?, Never>? in
      guard !state.isClosed else { return nil }
      guard let consumer = state.consumer else {
        state.waiting.append(element)
        return nil
      }
      state.consumer = nil
      return consumer
    }
    consumer?.resume(returning: element)
  }

  /// Whether somebody takes what is sent.
  var isConsumed: Bool { state.withLock { $0.isConsumed && !$0.isClosed } }

  /// Waits until the consumer is done with everything; at once when there is neither.
  func whenIdle() async {
    await withCheckedContinuation { continuation in
      let isIdle = state.withLock { state in
        let isBusy =
          !state.isClosed
          && (!state.waiting.isEmpty || state.isConsumed && state.consumer == nil)
        if isBusy { state.idleWaiters.append(continuation) }
        return !isBusy
      }
      if isIdle { continuation.resume() }
    }
  }

  /// Ends the stream.
  func close() {
    let (consumer, idle) = state.withLock { state in
      state.isClosed = true
      defer { state.consumer = nil }
      return (state.consumer, state.takeIdleWaiters())
    }
    consumer?.resume(returning: nil)
    for waiter in idle { waiter.resume() }
  }
}

extension FakeFeed.State {
  fileprivate mutating func takeIdleWaiters() -> [CheckedContinuation<Void, Never>] {
    defer { idleWaiters = [] }
    return idleWaiters
  }
}

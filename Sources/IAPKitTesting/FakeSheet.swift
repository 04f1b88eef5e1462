import IAPKit

/// The payment sheet: answers that were given in advance, and sheets that stay open.
final class FakeSheet: Sendable {
  private struct State {
    var answers: [FakeStore.SheetAnswer] = []
    var open: [CheckedContinuation<FakeStore.SheetAnswer, Never>] = []
    var waiters: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Locked(State())

  func willAnswer(_ answers: [FakeStore.SheetAnswer]) {
    state.withLock { $0.answers += answers }
  }

  /// Opens a sheet and waits for its end.
  func ask() async -> FakeStore.SheetAnswer {
    let answer = state.withLock { state in
      state.answers.isEmpty ? .buy : state.answers.removeFirst()
    }
    guard case .later = answer else { return answer }
    return await withCheckedContinuation { continuation in
      let waiters = state.withLock { state in
        state.open.append(continuation)
        defer { state.waiters = [] }
        return state.waiters
      }
      for waiter in waiters { waiter.resume() }
    }
  }

  /// Whether a sheet is open that stays open.
  var isOpen: Bool { state.withLock { !$0.open.isEmpty } }

  func waitUntilOpen() async {
    await withCheckedContinuation { continuation in
      let isOpen = state.withLock { state in
        if state.open.isEmpty { state.waiters.append(continuation) }
        return !state.open.isEmpty
      }
      if isOpen { continuation.resume() }
    }
  }

  /// Answers the sheet that has been open for the longest; false when there is none.
  func answer(_ answer: FakeStore.SheetAnswer) -> Bool {
    let sheet = state.withLock { $0.open.isEmpty ? nil : $0.open.removeFirst() }
    sheet?.resume(returning: answer)
    return sheet != nil
  }

  /// Closes every sheet: their process is over.
  func closeAll() {
    let open = state.withLock { state in
      defer { state.open = [] }
      return state.open
    }
    for sheet in open { sheet.resume(returning: .cancel) }
  }
}

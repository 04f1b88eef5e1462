import AppStoreSimulator
import Foundation
import StoreKit
import Synchronization

// The way to the store.
extension ProcessHost {
  /// What the app hears when the connection broke after the store had done its part.
  static var lostAnswer: StoreKitError { .networkError(URLError(.networkConnectionLost)) }

  /// Asks the store something: it takes the time of the way there, and the answer may get lost.
  ///
  /// - Throws: What the test wants the call to fail with, or what StoreKit 2 throws.
  func reaching<Value>(
    _ call: FailableCall?,
    _ question: () throws(SimulatorError) -> Value
  ) async throws -> Value {
    if let call { try line.check(call) }
    await connection.travel(by: line.store.clock)
    await life.passOrHang()
    if let failure = line.failureOfReach { throw failure.storeKit2 }
    let answer: Value
    do {
      answer = try question()
    } catch {
      throw line.failureOfReach?.storeKit2 ?? StoreKitError.unknown
    }
    if connection.takeLoss() { throw Self.lostAnswer }
    return answer
  }

  /// Hears now of what was bought when the answer got lost.
  func hearLostAnswers() {
    let records = lostAnswers.withLock { lost in
      defer { lost = [] }
      return lost
    }
    for record in records { hear(record, .resumed) }
  }
}

// The process runs, or does not.
extension ProcessHost {
  func suspend() {
    life.suspend()
    callbacks.pause()
  }

  func resume() {
    life.resume()
    if transactionBroadcast.wasHeard { isListenedTo() }
    if callbacks.resume() { runCallbacks() }
  }

  func runCallbacks() {
    StoreHostBinding.bind(self) {
      _ = Task { @MainActor [callbacks] in callbacks.run() }
    }
  }
}

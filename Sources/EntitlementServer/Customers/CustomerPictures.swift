import Foundation
import IAPModel
import ServerStorage
import Synchronization

/// Answers about customers, for as long as nobody wrote to the ledger and no instant has passed at
/// which the clock changes them.
///
/// The ledger's stamp is taken before what is read, so an answer is never older than the ledger; it
/// changes with every commit, whichever process made it. Then all answers are forgotten.
final class CustomerPictures: Sendable {
  /// How many answers are remembered.
  static let picturesMax = 1024
  /// A longer answer is made each time.
  static let bytesMax = 16 * 1024

  struct Key: Hashable {
    /// The name that was asked for, which may be a second one.
    let name: CustomerID
    let scope: LedgerScope
  }

  private struct Picture {
    let answer: WrittenObject
    let made: Date
    /// When the clock changes it.
    let end: Date?
  }

  private struct State {
    var stamp: LedgerStamp?
    var pictures: [Key: Picture] = [:]
  }

  private let state = Mutex(State())

  /// How many answers are remembered.
  var count: Int { state.withLock(\.pictures.count) }

  /// Forgets every answer: somebody was erased, under whatever names.
  func forget() { state.withLock { $0 = State() } }

  /// The answer that was given before, if it still is one.
  func answer(_ key: Key, _ stamp: LedgerStamp, at now: Date) -> WrittenObject? {
    state.withLock { state in
      guard state.stamp == stamp else {
        state = State(stamp: stamp)
        return nil
      }
      guard let picture = state.pictures[key], picture.made <= now,
        picture.end.map({ now < $0 }) ?? true
      else { return nil }
      return picture.answer
    }
  }

  /// Remembers an answer.
  ///
  /// - Parameters:
  ///   - answer: The answer.
  ///   - key: Whom it is about.
  ///   - stamp: The ledger's stamp before anything of it was read.
  ///   - made: The instant that it is for.
  ///   - end: When the clock changes it; nil for never.
  func keep(
    _ answer: WrittenObject,
    _ key: Key,
    _ stamp: LedgerStamp,
    made: Date,
    until end: Date?
  ) {
    guard answer.byteCount <= Self.bytesMax else { return }
    state.withLock { state in
      guard state.stamp == stamp else { return }
      if state.pictures.count >= Self.picturesMax { state.pictures = [:] }
      state.pictures[key] = Picture(answer: answer, made: made, end: end)
    }
  }
}

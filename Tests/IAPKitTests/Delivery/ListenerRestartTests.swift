import Foundation
import Testing

@testable import IAPKit

/// StoreKit's sequences should never end; when one does, the listener asks for another.
@Suite(.timeLimit(.minutes(1))) struct ListenerRestartTests {
  @Test func sequenceThatEndsEarlyIsBegunAgain() async {
    let (heard, said) = AsyncStream<Int>.makeStream()
    let made = Guarded(0)
    let listener = SK2TransactionListener()
    listener.start(
      over: {
        let number = made.withLock { made in
          made += 1
          return made
        }
        // Each has two elements and ends; the fourth and all later ones are empty.
        return AsyncStream<Int> { continuation in
          if number < 4 { for part in 0..<2 { continuation.yield(10 * number + part) } }
          continuation.finish()
        }
      },
      sink: { said.yield($0) }
    )
    var all: [Int] = []
    for await element in heard {
      all.append(element)
      if all.count == 6 { break }
    }
    #expect(all == [10, 11, 20, 21, 30, 31])
    // Empty ones are not asked for without an end.
    while made.withLock(\.self) < 3 + SK2TransactionListener.emptyEndingsMax { await Task.yield() }
    for _ in 0..<1_000 { await Task.yield() }
    #expect(made.withLock(\.self) <= 4 + SK2TransactionListener.emptyEndingsMax)
    listener.stop()
  }
}

import AppStoreSimulator
import Foundation

/// What the ways between apps, servers and the store do to messages, in percent of them.
package struct Weather: Hashable, Sendable, CustomStringConvertible {
  /// Requests that never arrive.
  package var lostRequests = 0
  /// Answers that never arrive: the work was done.
  package var lostAnswers = 0
  /// Requests that arrive twice.
  package var doubledRequests = 0
  /// Messages that take long.
  package var slowMessages = 0
  /// How long those take at most, in seconds.
  package var slowSecondsMax = 20.0

  /// Nothing is lost, and nothing takes time.
  package static let fair = Weather()

  /// What it is, in a few letters.
  package var description: String {
    self == .fair
      ? "fair"
      : "loses \(lostRequests)%, cuts \(lostAnswers)%, doubles \(doubledRequests)%, "
        + "delays \(slowMessages)%"
  }

  /// What happens to one message on its way there and back.
  struct Fate: Hashable, Sendable {
    var isRequestLost: Bool
    var isAnswerLost: Bool
    var isDoubled: Bool
    var delayThere: Double
    var delayBack: Double
  }

  /// Draws the fate of a message; always the same number of draws.
  func fate(_ generator: inout SeededGenerator) -> Fate {
    Fate(
      isRequestLost: generator.percent(lostRequests),
      isAnswerLost: generator.percent(lostAnswers),
      isDoubled: generator.percent(doubledRequests),
      delayThere: delay(&generator),
      delayBack: delay(&generator)
    )
  }

  private func delay(_ generator: inout SeededGenerator) -> Double {
    let (isSlow, share) = (generator.percent(slowMessages), generator.unit())
    return isSlow ? share * slowSecondsMax : 0
  }
}

extension SeededGenerator {
  /// A number from 0 up to, not including, 1.
  mutating func unit() -> Double { Double(next() >> 11) / 9_007_199_254_740_992 }

  /// A number below the bound.
  mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(max(1, bound))) }

  /// A number of the range.
  mutating func number(in range: ClosedRange<Int>) -> Int { range.lowerBound + below(range.count) }

  /// Whether something of so many percent is so.
  mutating func percent(_ share: Int) -> Bool { below(100) < share }

  /// One of the elements.
  mutating func pick<Element>(_ elements: [Element]) -> Element { elements[below(elements.count)] }

  /// A generator for one purpose: what one part draws changes nothing for the others.
  static func of(_ purpose: UInt64, seed: UInt64) -> SeededGenerator {
    var mixed = SeededGenerator(seed: seed &+ purpose &* 0xD134_2543_DE82_EF95)
    return SeededGenerator(seed: mixed.next())
  }
}

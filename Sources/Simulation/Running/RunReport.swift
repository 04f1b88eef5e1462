/// Something that must not be, found in a run.
package struct RunFinding: Hashable, Sendable, CustomStringConvertible {
  /// Which rule was broken.
  package enum Rule: String, Hashable, Sendable, CaseIterable {
    /// Somebody paid and has nothing, and nobody sees it.
    case lost
    /// Something took effect twice.
    case doubled
    /// Somebody has what was not paid for, or was paid back.
    case unpaid
    /// Goods went to somebody else.
    case wrongUser
    /// The order's context is gone.
    case context
    /// Access is not what the store's books say.
    case access
    /// A balance is not purchases minus refunds.
    case balance
    /// The server's ledger lacks a purchase, or has one too many.
    case ledger
    /// A genuine purchase counts as refused.
    case refused
    /// Something was acknowledged and is not there.
    case durability
    /// A notification was never acknowledged.
    case notification
    /// Something was finished that is nowhere else.
    case finish
    /// Something does not come to rest, or grows and grows.
    case growth
    /// The run itself could not be made.
    case broken
  }

  /// Which rule was broken.
  package let rule: Rule
  /// How.
  package let text: String

  /// The beginning of the text about a run that has no end.
  private static let endless = "did not settle: "

  static func endless(_ text: String) -> RunFinding {
    RunFinding(rule: .growth, text: endless + text)
  }

  /// Whether the run has no end.
  var isEndless: Bool { text.hasPrefix(Self.endless) }

  /// The rule and how.
  package var description: String { "\(rule.rawValue): \(text)" }
}

/// What came of a run.
package struct RunReport: Sendable {
  /// The seed.
  package let seed: UInt64
  /// What must not be; empty when all is well.
  package var findings: [RunFinding] = []
  /// The number of the step after which the first of them was seen; nil at the end.
  package var step: Int?
  /// How many orders were paid.
  package var orders = 0
  /// How many effects took place.
  package var effects = 0
  /// How many orders were set aside, where somebody sees them.
  package var setAside = 0
  /// How many jobs were run.
  package var jobs = 0
  /// How many seconds of the store's time passed.
  package var seconds = 0.0
  /// How often each kind of thing happened.
  package var counts: [String: Int] = [:]
  /// The places at which something was killed.
  package var crashPoints: Set<String> = []
  /// The states in which the machines met which events.
  package var cells: Set<String> = []

  /// The findings of one rule.
  package func count(_ rule: RunFinding.Rule) -> Int { findings.count { $0.rule == rule } }
}

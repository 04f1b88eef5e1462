/// The stable name of a rule; it stands in reports, in silences and in the name of its page.
package struct RuleName: RawRepresentable, Hashable, Sendable, Comparable,
  ExpressibleByStringLiteral, CustomStringConvertible
{
  package let rawValue: String

  package init(rawValue: String) { self.rawValue = rawValue }
  package init(stringLiteral value: String) { rawValue = value }

  package var description: String { rawValue }
  package static func < (left: RuleName, right: RuleName) -> Bool {
    left.rawValue < right.rawValue
  }
}

/// How bad a mistake is.
package enum Severity: String, Sendable, CaseIterable, Comparable {
  /// Worth a thought.
  case note
  /// Costs money or trust sooner or later.
  case warning
  /// Loses purchases, or the app is refused.
  case error

  package static func < (left: Severity, right: Severity) -> Bool {
    left.rank < right.rank
  }

  private var rank: Int {
    switch self {
    case .note: 0
    case .warning: 1
    case .error: 2
    }
  }
}

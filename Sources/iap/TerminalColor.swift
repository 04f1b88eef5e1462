/// A colour by what it means; a word beside it always says the same.
enum TerminalColor {
  /// Well, or accepted.
  case good
  /// Failed, or refused.
  case bad
  /// To be looked at.
  case doubtful

  /// Ends a colour (ECMA-48, select graphic rendition).
  static let end = "\u{1B}[0m"

  var code: String {
    switch self {
    case .good: "\u{1B}[32m"
    case .bad: "\u{1B}[31m"
    case .doubtful: "\u{1B}[33m"
    }
  }
}

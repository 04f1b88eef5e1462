import Foundation

/// A regular expression that is searched for in whole files.
struct Pattern: Sendable {
  private let expression: NSRegularExpression

  init(_ pattern: String) {
    do {
      expression = try NSRegularExpression(pattern: pattern, options: .anchorsMatchLines)
    } catch {
      preconditionFailure("a rule has a pattern that is none: \(pattern)")
    }
  }

  /// One place where the pattern was found.
  struct Match: Sendable {
    /// The number of the line on which the match begins, from one.
    let line: Int
    /// The whole match, then what its groups matched; empty for a group that took no part.
    let groups: [String]
    /// The offset in UTF-16 units behind the match.
    let end: Int
  }

  func matches(in text: String) -> [Match] {
    let whole = text as NSString
    let results = expression.matches(in: text, range: NSRange(location: 0, length: whole.length))
    var line = 1
    var counted = 0
    return results.map { result in
      for index in counted..<max(result.range.location, counted)
      where whole.character(at: index) == 0x0A { line += 1 }
      counted = max(result.range.location, counted)
      let groups = (0..<result.numberOfRanges).map { group in
        let range = result.range(at: group)
        return range.location == NSNotFound ? "" : whole.substring(with: range)
      }
      return Match(line: line, groups: groups, end: result.range.location + result.range.length)
    }
  }

  func isFound(in text: String) -> Bool {
    expression.firstMatch(in: text, range: NSRange(text.startIndex..., in: text)) != nil
  }
}

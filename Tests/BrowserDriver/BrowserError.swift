/// Why the browser did not do what a test asked it for.
package struct BrowserError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What went wrong: a word of the WebDriver standard, or one of the constants.
  package let code: String
  /// What was seen and expected.
  package let reason: String

  package init(_ code: String, _ reason: String) {
    self.code = code
    self.reason = reason
  }

  package var description: String { "\(code): \(reason)" }

  /// No browser is installed, or it did not start.
  package static let notStarted = "not started"
  /// The driver did not answer, or not as the standard says.
  package static let noAnswer = "no answer"
  /// Nothing on the page is what was looked for.
  package static let notFound = "not found"
  /// What was waited for did not come about.
  package static let timeout = "timeout"
  /// A script of the test threw something.
  package static let script = "script"

  /// Whether the driver could not ask because the page was being left for another one.
  ///
  /// Chromium has a dozen sentences for it, and the driver no word of its own; what a script of a
  /// test throws comes as ``script``.
  var isOfPageLeft: Bool { Self.codesOfPageLeft.contains(code) }

  private static let codesOfPageLeft: Set = [
    "unknown error", "javascript error", "stale element reference", "script timeout",
    "aborted by navigation", "no such execution context", "no such frame",
  ]
}

/// One file of an app, as it was read.
package struct LintSource: Hashable, Sendable {
  /// The path from the place that was asked for, with `/`.
  package let path: String
  package let text: String

  package init(path: String, text: String) {
    self.path = path
    self.text = text
  }
}

/// Why the demo could not do what somebody asked for.
package struct DemoError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What went wrong, as a stable word.
  package struct Code: Hashable, Sendable, CustomStringConvertible {
    private let word: String
    private init(_ word: String) { self.word = word }
    /// The word.
    package var description: String { word }
    /// The form asks for nothing that the demo can do.
    package static let unknownAction = Self("unknownAction")
    /// It cannot be done as things are.
    package static let notPossible = Self("notPossible")
    /// The server could not be started or stopped.
    package static let server = Self("server")
  }

  /// What went wrong.
  package let code: Code
  /// What was seen and expected.
  package let reason: String

  package init(_ code: Code, _ reason: String) {
    self.code = code
    self.reason = reason
  }

  package var description: String { "\(code): \(reason)" }

  /// Errors are equal when their codes are.
  package static func == (left: Self, right: Self) -> Bool { left.code == right.code }

  /// Hashes the code.
  package func hash(into hasher: inout Hasher) { hasher.combine(code) }
}

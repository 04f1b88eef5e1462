/// What PostgreSQL, or the way to it, could not do.
package struct PostgresError: Error, Hashable, Sendable {
  /// What went wrong.
  package enum Code: Hashable, Sendable {
    /// Another transaction was faster; the same one may succeed at once.
    case conflict
    /// Too slow, or too many at a time.
    case busy
    /// There is no room left.
    case full
    /// The database may not be written, or not by this user.
    case readOnly
    /// What is stored is not what was expected.
    case corrupt
    /// A value is larger than PostgreSQL stores.
    case tooLarge
    /// The connection is gone, and with it the transaction.
    case lost
    /// The database does not let anybody in.
    case unavailable
    /// The address cannot be read.
    case badAddress
  }

  package let code: Code
  /// What was seen; no stored value and no credential.
  package let reason: String

  package init(_ code: Code, _ reason: String) {
    self.code = code
    self.reason = reason
  }
}

extension PostgresError {
  /// Reads the five characters in which PostgreSQL says what went wrong.
  ///
  /// - Parameters:
  ///   - state: The characters (PostgreSQL manual, appendix A).
  ///   - operation: What was tried.
  ///   - text: The server's words; used where they cannot quote a value.
  ///   - constraint: The name of a constraint that was violated.
  init(state: String, operation: String, text: String, constraint: String?) {
    var words = "PostgreSQL \(operation): \(state)"
    if let constraint { words += " (\(constraint))" }
    if Self.quotesNothing(state) { words += " \(text)" }
    self.init(Self.code(state), words)
  }

  /// Whether messages of a class speak of the server and never of what is stored.
  private static func quotesNothing(_ state: String) -> Bool {
    ["08", "25", "40", "53", "55", "57", "58"].contains(String(state.prefix(2)))
  }

  private static func code(_ state: String) -> Code {
    switch state {
    case "23505", "40001", "40P01": return .conflict
    case "53100", "53400": return .full
    case "53200", "53300", "55P03", "57014": return .busy
    case "25006", "42501": return .readOnly
    case "54000": return .tooLarge
    case "57P01", "57P02", "57P03", "57P05", "25P03", "0A000": return .lost
    default: break
    }
    switch state.prefix(2) {
    case "08": return .lost
    case "40": return .conflict
    case "53", "55": return .busy
    case "54": return .tooLarge
    case "57", "58": return .unavailable
    default: return .corrupt
    }
  }
}

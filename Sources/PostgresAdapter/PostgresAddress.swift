internal import CPostgreSQL

/// Where a database is and who asks: a secret, because it may hold a password.
///
/// It describes itself without user and password.
package struct PostgresAddress: Hashable, Sendable, CustomStringConvertible,
  CustomDebugStringConvertible
{
  /// What begins an address of PostgreSQL.
  package static let prefixes = ["postgres://", "postgresql://"]

  /// The whole address; for the connection only.
  let text: String
  /// What must not be seen in a message.
  private let secrets: [String]
  /// Where the database is.
  package let description: String
  /// Whether it names several servers, one of which takes writes.
  let hasSeveralHosts: Bool

  /// As it describes itself.
  package var debugDescription: String { description }

  /// Reads an address.
  ///
  /// - Parameter text: A `postgres://` address; what it leaves out comes from libpq's environment
  ///   variables and files.
  /// - Throws: ``PostgresError`` with `badAddress`; it does not quote the address.
  package init(_ text: String) throws(PostgresError) {
    guard Self.prefixes.contains(where: { text.hasPrefix($0) }), !text.utf8.contains(0) else {
      throw PostgresError(.badAddress, "an address begins with postgres://")
    }
    self.text = text
    guard let options = unsafe PQconninfoParse(text, nil) else {
      throw PostgresError(.badAddress, "it is not of the form postgres://USER@HOST:PORT/NAME")
    }
    defer { unsafe PQconninfoFree(options) }
    var values: [String: String] = [:]
    var secrets: [String] = []
    var option = unsafe options
    while let keyword = unsafe option.pointee.keyword {
      if let value = unsafe option.pointee.val {
        let name = unsafe String(cString: keyword)
        values[name] = unsafe String(cString: value)
        // libpq marks what is a password with "*".
        let isSecret = unsafe option.pointee.dispchar.map { unsafe String(cString: $0) } == "*"
        if isSecret || name == "user" { secrets.append(unsafe String(cString: value)) }
      }
      unsafe option += 1
    }
    self.secrets = secrets
    let host = values["host"] ?? values["hostaddr"] ?? "its default host"
    hasSeveralHosts = host.utf8.contains(UInt8(ascii: ","))
    let port = values["port"].map { ":\($0)" } ?? ""
    let place = "PostgreSQL at \(host)\(port), database \(values["dbname"] ?? "of its default")"
    description = Self.redacted(place, values["password"].map { [$0] } ?? [])
  }

  /// libpq's words without what is secret.
  func redacted(_ message: String) -> String {
    let line = message.split(separator: "\n").map { String($0) }.joined(separator: "; ")
    return Self.redacted(line, secrets)
  }

  private static func redacted(_ text: String, _ secrets: [String]) -> String {
    secrets.filter { !$0.isEmpty }.sorted { $0.count > $1.count }.reduce(text) { text, secret in
      text.split(separator: secret, omittingEmptySubsequences: false).joined(separator: "***")
    }
  }
}

/// Something about a ledger's database that nobody's request fails of, and that somebody watches.
///
/// It holds no stored value and no credential.
public struct LedgerNotice: Hashable, Sendable {
  /// What happened, as a stable word.
  public struct Kind: Hashable, Sendable, RawRepresentable {
    /// The word.
    public let rawValue: String
    /// Makes a kind from its word.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// A statement took longer than it should.
    public static let slowStatement = Self(rawValue: "slowStatement")
    /// A connection was made in place of one that was lost.
    public static let reconnected = Self(rawValue: "reconnected")
    /// A transaction was begun anew: others were faster, or its connection was lost.
    public static let repeated = Self(rawValue: "repeated")
    /// The answer to a commit was lost, and what became of it was asked for.
    public static let outcomeAsked = Self(rawValue: "outcomeAsked")
  }

  /// What happened.
  public let kind: Kind
  /// The statement without its values, or what was found.
  public let details: String
  /// How long it took; 0 for what takes no time.
  public let milliseconds: Int

  /// Makes a notice.
  ///
  /// - Parameters:
  ///   - kind: What happened.
  ///   - details: The statement without its values, or what was found.
  ///   - milliseconds: How long it took.
  public init(_ kind: Kind, _ details: String, milliseconds: Int = 0) {
    self.kind = kind
    self.details = details
    self.milliseconds = milliseconds
  }

  /// How much of a slow statement is told.
  private static let statementCharactersMax = 300

  /// A statement that was slow, on one line and without its values.
  package static func slow(_ sql: String, milliseconds: Int) -> LedgerNotice {
    let words = sql.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    return LedgerNotice(
      .slowStatement,
      String(words.prefix(statementCharactersMax)),
      milliseconds: milliseconds
    )
  }
}

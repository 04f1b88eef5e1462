import IAPModel

/// One thing that `iap doctor` has looked at, and what to do about it.
struct DoctorFinding: Sendable {
  /// How much it matters.
  enum Severity: String, Sendable, CaseIterable {
    /// It is as it should be.
    case good
    /// Worth knowing.
    case note
    /// It works, and will not always.
    case warning
    /// Something does not work.
    case error
    /// Only a person can look at it: an item of the release check list.
    case byHand = "by-hand"
  }

  /// What was looked at, as a stable word such as `keys.refused`.
  let code: String
  let severity: Severity
  /// Which app, host or file; empty when there is only one.
  let subject: String
  /// What was seen.
  let seen: Words
  /// What to do; nil where there is nothing to do.
  let advice: Words?

  init(
    _ severity: Severity,
    _ code: String,
    _ subject: String = "",
    _ seen: Words,
    advice: Words? = nil
  ) {
    self.severity = severity
    self.code = code
    self.subject = subject
    self.seen = seen
    self.advice = advice
  }

  /// For programs.
  func object(_ language: Language) -> JSONObject {
    [
      "code": .string(code), "severity": .string(severity.rawValue), "subject": .string(subject),
      "seen": .string(seen(language)),
      "advice": advice.map { .string($0(language)) } ?? .null,
    ]
  }

  /// For people: what was seen, and below it what to do.
  func lines(_ language: Language) -> [String] {
    let word = severity.word(language)
    let place = subject.isEmpty ? "" : "\(subject): "
    var lines = ["\(word)  \(code)  \(place)\(seen(language))"]
    if let advice { lines.append("  -> \(advice(language))") }
    return lines
  }
}

extension DoctorFinding.Severity {
  /// The word at the beginning of a line.
  func word(_ language: Language) -> String {
    let words: Words =
      switch self {
      case .good: Words("good   ", zh: "正常")
      case .note: Words("note   ", zh: "提示")
      case .warning: Words("warning", zh: "警告")
      case .error: Words("error  ", zh: "错误")
      case .byHand: Words("by hand", zh: "人工")
      }
    return words(language)
  }

  /// The colour of that word.
  var color: TerminalColor? {
    switch self {
    case .good: .good
    case .warning: .doubtful
    case .error: .bad
    case .note, .byHand: nil
    }
  }
}

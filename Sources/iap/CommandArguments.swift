import Foundation

/// What a call said, checked against the options and operands that the command declares.
struct CommandArguments: Sendable {
  /// The words without an option's name, in order; more than the command declares only when its
  /// last operand may be repeated.
  let operands: [String]
  private let flags: Set<String>
  private let values: [String: [String]]

  /// Reads the words behind the command's name.
  ///
  /// `--` ends the options; a single `-` is an operand.
  ///
  /// - Parameters:
  ///   - words: The words of the call behind the command's name.
  ///   - command: What declares the options and operands.
  /// - Throws: ``CommandError`` with code `usage`.
  init(_ words: [String], for command: any Command.Type) throws(CommandError) {
    var reader = WordReader(words: words, options: command.options)
    try reader.readAll()
    let declared = command.operands
    if reader.operands.count > declared.count, declared.last?.isRepeated != true {
      let extra = reader.operands[declared.count]
      throw .usage(Words("'\(extra)' is one word too many.", zh: "多余的参数“\(extra)”。"))
    }
    if reader.operands.count < declared.count, declared[reader.operands.count].isRequired {
      let missing = declared[reader.operands.count].name
      throw .usage(Words("\(missing) is missing.", zh: "缺少 \(missing)。"))
    }
    operands = reader.operands
    flags = reader.flags
    values = reader.values
  }

  /// Whether the flag was given.
  func flag(_ name: String) -> Bool { flags.contains(name) }

  /// The option's value; nil when it was not given.
  func value(_ name: String) -> String? { values[name]?.last }

  /// Every value of a repeated option, in the order given.
  func values(_ name: String) -> [String] { values[name] ?? [] }

  /// The option's value as a whole number within a range; nil when it was not given.
  func integer(
    _ name: String,
    in range: ClosedRange<Int64> = 0...Int64.max
  ) throws(CommandError) -> Int64? {
    let most = range.upperBound == .max ? "" : " to \(range.upperBound)"
    let mostChinese = range.upperBound == .max ? "起" : " 至 \(range.upperBound)"
    return try parsed(
      name,
      "a whole number from \(range.lowerBound)\(most)",
      zh: "整数（\(range.lowerBound)\(mostChinese)）"
    ) { text in
      Int64(text).flatMap { range.contains($0) ? $0 : nil }
    }
  }

  /// The option's value as a finite number; nil when it was not given.
  func number(_ name: String) throws(CommandError) -> Double? {
    try parsed(name, "a number", zh: "数字") { text in
      Double(text).flatMap { $0.isFinite ? $0 : nil }
    }
  }

  /// The option's value as an instant: UNIX milliseconds or ISO 8601 such as
  /// `2026-01-31T12:00:00Z`, from 1970 to 9999; nil when it was not given.
  func date(_ name: String) throws(CommandError) -> Date? {
    let wanted = "a date such as 2026-01-31T12:00:00Z, or UNIX milliseconds"
    return try parsed(name, wanted, zh: "日期（如 2026-01-31T12:00:00Z）或 UNIX 毫秒") { text in
      guard let date = Self.instant(text), Self.instants.contains(date) else { return nil }
      return date
    }
  }

  /// The instants that certificates and calendars can name.
  private static let instants =
    Date(timeIntervalSince1970: 0)..<Date(timeIntervalSince1970: 253_402_300_800)

  private static func instant(_ text: String) -> Date? {
    if let milliseconds = Int64(text) {
      return Date(timeIntervalSince1970: Double(milliseconds) / 1000)
    }
    let reader = ISO8601DateFormatter()
    reader.formatOptions = [.withFullDate]
    // Foundation takes February 30 for March 2.
    let day = String(text.prefix(10))
    guard let midnight = reader.date(from: day), reader.string(from: midnight) == day else {
      return nil
    }
    if text == day { return midnight }
    reader.formatOptions = [.withInternetDateTime]
    if let date = reader.date(from: text) { return date }
    reader.formatOptions = [.withInternetDateTime, .withFractionalSeconds]
    return reader.date(from: text)
  }

  /// The option's value as a URL with a scheme and a host; nil when it was not given.
  func url(_ name: String) throws(CommandError) -> URL? {
    try parsed(name, "a URL such as http://127.0.0.1:8080", zh: "网址（如 http://127.0.0.1:8080）") {
      guard let url = URL(string: $0), let scheme = url.scheme, url.host != nil,
        ["http", "https"].contains(scheme.lowercased())
      else { return nil }
      return url
    }
  }

  /// The option's value as an address to listen on, `HOST:PORT`; nil when it was not given.
  func listenAddress(_ name: String) throws(CommandError) -> (host: String, port: UInt16)? {
    try parsed(name, "HOST:PORT such as 127.0.0.1:8080", zh: "HOST:PORT（如 127.0.0.1:8080）") {
      guard let colon = $0.lastIndex(of: ":"), colon > $0.startIndex,
        let port = UInt16($0[$0.index(after: colon)...])
      else { return nil }
      return (String($0[..<colon]), port)
    }
  }

  /// The option's value read by a closure; nil when it was not given.
  ///
  /// - Parameters:
  ///   - name: The option.
  ///   - wanted: What the value should have been, for the person who called.
  ///   - chinese: The same in Simplified Chinese.
  ///   - read: Turns the text into the value, or answers nil when it is none.
  /// - Returns: The value; nil when the option was not given.
  /// - Throws: ``CommandError`` with code `usage` when `read` answers nil.
  func parsed<Value>(
    _ name: String,
    _ wanted: String,
    zh chinese: String? = nil,
    _ read: (String) -> Value?
  ) throws(CommandError) -> Value? {
    guard let text = value(name) else { return nil }
    guard let value = read(text) else {
      throw .usage(
        Words(
          "--\(name) needs \(wanted), not '\(text)'.",
          zh: "--\(name) 需要\(chinese ?? wanted)，而不是“\(text)”。"
        )
      )
    }
    return value
  }
}

/// Walks over the words of a call.
private struct WordReader {
  let words: [String]
  let options: [CommandOption]
  var index = 0
  var operands: [String] = []
  var flags: Set<String> = []
  var values: [String: [String]] = [:]

  init(words: [String], options: [CommandOption]) {
    self.words = words
    self.options = options
  }

  mutating func readAll() throws(CommandError) {
    while index < words.count {
      let word = words[index]
      index += 1
      if word == "--" {
        operands += words[index...]
        return
      }
      if word.hasPrefix("-"), word != "-" {
        try readOption(word)
      } else {
        operands.append(word)
      }
    }
  }

  private mutating func readOption(_ word: String) throws(CommandError) {
    let parts = word.drop { $0 == "-" }.split(
      separator: "=",
      maxSplits: 1,
      omittingEmptySubsequences: false
    )
    let name = parts.first.map(String.init) ?? ""
    guard word.hasPrefix("--"), let option = options.first(where: { $0.name == name }) else {
      throw unknownOption(word.hasPrefix("--") ? "--\(name)" : word, name)
    }
    let inline = parts.count == 2 ? String(parts[1]) : nil
    switch option.shape {
    case .flag:
      guard inline == nil else {
        throw .usage(Words("--\(name) takes no value.", zh: "--\(name) 不接受值。"))
      }
      flags.insert(name)
    case .value(let placeholder):
      guard values[name] == nil else {
        throw .usage(Words("--\(name) is given twice.", zh: "--\(name) 出现了两次。"))
      }
      values[name] = [try value(inline, name, placeholder)]
    case .repeated(let placeholder):
      values[name, default: []].append(try value(inline, name, placeholder))
    }
  }

  private mutating func value(
    _ inline: String?,
    _ name: String,
    _ placeholder: String
  ) throws(CommandError) -> String {
    if let inline { return inline }
    guard index < words.count, !words[index].hasPrefix("--") else {
      throw .usage(
        Words("--\(name) needs a value: \(placeholder).", zh: "--\(name) 需要一个值：\(placeholder)。")
      )
    }
    defer { index += 1 }
    return words[index]
  }

  private func unknownOption(_ shown: String, _ name: String) -> CommandError {
    guard let near = nearestName(to: name, among: options.map(\.name)) else {
      return .usage(Words("There is no option \(shown).", zh: "没有选项 \(shown)。"))
    }
    return .usage(
      Words(
        "There is no option \(shown); did you mean --\(near)?",
        zh: "没有选项 \(shown)；您是不是要用 --\(near)？"
      )
    )
  }
}

/// The name that differs from a mistyped one by at most two letters; nil when none is that near.
func nearestName(to typed: String, among names: [String]) -> String? {
  names.map { ($0, editDistance(typed, $0)) }
    .filter { $0.1 <= 2 && $0.1 < $0.0.count }
    .min { $0.1 < $1.1 }?.0
}

private func editDistance(_ left: String, _ right: String) -> Int {
  let right = Array(right)
  var row = Array(0...right.count)
  for (leftIndex, leftCharacter) in left.enumerated() {
    var diagonal = row[0]
    row[0] = leftIndex + 1
    for (rightIndex, rightCharacter) in right.enumerated() {
      let replaced = diagonal + (leftCharacter == rightCharacter ? 0 : 1)
      diagonal = row[rightIndex + 1]
      row[rightIndex + 1] = min(replaced, diagonal + 1, row[rightIndex] + 1)
    }
  }
  return row[right.count]
}

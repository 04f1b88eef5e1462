import Foundation

/// One thing that `iap` can do, chosen by its name: `iap NAME …`.
///
/// The options are declared, so that one parser checks every call and `--help` cannot disagree
/// with what is understood. A command writes through its console and returns a status; it never
/// exits the process and never blocks the main thread.
protocol Command: Sendable {
  /// The word that chooses the command.
  static var name: String { get }
  /// One line for the list of commands.
  static var summary: Words { get }
  /// Paragraphs below the options in `--help`; may be empty.
  static var details: Words { get }
  /// What can be switched or set; `--help` is always understood and is not listed here.
  static var options: [CommandOption] { get }
  /// What stands without a name, in order.
  static var operands: [CommandOperand] { get }

  /// Does the work.
  ///
  /// - Returns: The exit status: 0 done or accepted, 1 failed or refused.
  /// - Throws: ``CommandError``; `usage` becomes status 2 with a hint at `--help`, every other
  ///   code status 1.
  static func run(
    _ arguments: CommandArguments,
    console: Console
  ) async throws(CommandError) -> ExitStatus
}

extension Command {
  static var details: Words { "" }
  static var options: [CommandOption] { [] }
  static var operands: [CommandOperand] { [] }
}

/// An option of a command: `--name`, `--name VALUE` or `--name=VALUE`.
struct CommandOption: Sendable {
  enum Shape: Sendable, Equatable {
    /// On when it is there.
    case flag
    /// Takes one value; given twice is an error.
    case value(String)
    /// Takes one value each time it is given.
    case repeated(String)
  }

  let name: String
  let shape: Shape
  let help: Words

  static func flag(_ name: String, _ help: Words) -> CommandOption {
    CommandOption(name: name, shape: .flag, help: help)
  }

  /// The flag with which a command answers with one JSON object in place of words.
  static let jsonFlag = flag("json", Words("Prints one JSON object.", zh: "输出一个 JSON 对象。"))

  static func value(_ name: String, _ placeholder: String, _ help: Words) -> CommandOption {
    CommandOption(name: name, shape: .value(placeholder), help: help)
  }

  static func repeated(_ name: String, _ placeholder: String, _ help: Words) -> CommandOption {
    CommandOption(name: name, shape: .repeated(placeholder), help: help)
  }

  /// How the option stands in the usage line and in the list.
  var usage: String {
    switch shape {
    case .flag: "--\(name)"
    case .value(let placeholder), .repeated(let placeholder): "--\(name) \(placeholder)"
    }
  }
}

/// A word of a call that has no option's name: a file, say.
struct CommandOperand: Sendable {
  let name: String
  let help: Words
  let isRequired: Bool
  /// Whether more of the same may follow; only the last operand of a command.
  let isRepeated: Bool
  /// The words that are understood, for a shell to offer; empty where any word will do.
  let choices: [String]

  init(
    _ name: String,
    _ help: Words,
    isRequired: Bool = true,
    isRepeated: Bool = false,
    choices: [String] = []
  ) {
    self.name = name
    self.help = help
    self.isRequired = isRequired
    self.isRepeated = isRepeated
    self.choices = choices
  }
}

/// The exit status of the process.
struct ExitStatus: RawRepresentable, Hashable, Sendable {
  let rawValue: Int32

  init(rawValue: Int32) { self.rawValue = rawValue }

  /// Done, or accepted.
  static let success = ExitStatus(rawValue: 0)
  /// Failed, or refused.
  static let failure = ExitStatus(rawValue: 1)
  /// The call itself cannot be understood.
  static let usage = ExitStatus(rawValue: 2)
}

/// Why a command could not do its work, in words for the person who called it.
struct CommandError: Error, Equatable, Sendable {
  /// What went wrong, as a stable word.
  struct Code: RawRepresentable, Hashable, Sendable {
    let rawValue: String
    init(rawValue: String) { self.rawValue = rawValue }

    /// The call cannot be understood.
    static let usage = Code(rawValue: "usage")
    /// A file cannot be read or written.
    static let file = Code(rawValue: "file")
    /// The work began and failed.
    static let failed = Code(rawValue: "failed")
  }

  let code: Code
  /// One sentence that says what was seen and what was expected, without secrets.
  let reason: Words

  init(_ code: Code, _ reason: Words) {
    self.code = code
    self.reason = reason
  }

  static func usage(_ reason: Words) -> CommandError { CommandError(.usage, reason) }

  var status: ExitStatus { code == .usage ? .usage : .failure }

  static func == (left: Self, right: Self) -> Bool { left.code == right.code }
}

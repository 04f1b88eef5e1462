import Foundation

/// Chooses a command by the first word of a call and runs it.
struct CommandLineTool: Sendable {
  /// The version that `--version` prints.
  static let version = "0.1.0"

  /// Understood by every command: nothing is coloured.
  static let plainOption = "--no-color"

  let commands: [any Command.Type]

  /// Runs one call.
  ///
  /// - Parameters:
  ///   - words: The words of the call without the process's own name.
  ///   - console: Where it reads and writes.
  /// - Returns: The exit status.
  func run(_ words: [String], console: Console) async -> ExitStatus {
    var (words, console) = (words, console)
    let end = words.firstIndex(of: "--") ?? words.endIndex
    if words[..<end].contains(Self.plainOption) {
      words = words[..<end].filter { $0 != Self.plainOption } + words[end...]
      console.isColored = false
    }
    guard let first = words.first else {
      console.errorLine(Words(overview(.english), zh: overview(.simplifiedChinese)))
      return .usage
    }
    switch first {
    case "--help", "-h":
      return showOverview(console)
    case "--version":
      console.line(verbatim: "iap \(Self.version)")
      return .success
    case "help":
      guard let name = words.dropFirst().first else { return showOverview(console) }
      guard let command = command(named: name) else { return refuse(name, console) }
      return show(command, console)
    default:
      guard let command = command(named: first) else { return refuse(first, console) }
      return await run(command, Array(words.dropFirst()), console)
    }
  }

  private func run(
    _ command: any Command.Type,
    _ words: [String],
    _ console: Console
  ) async -> ExitStatus {
    let options = words.prefix { $0 != "--" }
    if options.contains("--help") || options.contains("-h") { return show(command, console) }
    do throws(CommandError) {
      let arguments = try CommandArguments(words, for: command)
      return try await command.run(arguments, console: console)
    } catch {
      console.errorLine("iap \(command.name): \(error.reason(console.language))")
      if error.code == .usage { hint("iap \(command.name) --help", console) }
      return error.status
    }
  }

  private func command(named name: String) -> (any Command.Type)? {
    commands.first { $0.name == name }
  }

  private func refuse(_ name: String, _ console: Console) -> ExitStatus {
    let near = nearestName(to: name, among: commands.map { $0.name })
    let hintEnglish = near.map { "; did you mean '\($0)'?" } ?? "."
    let hintChinese = near.map { "；您是不是要用“\($0)”？" } ?? "。"
    console.errorLine(
      Words(
        "iap: there is no command '\(name)'\(hintEnglish)",
        zh: "iap：没有命令“\(name)”\(hintChinese)"
      )
    )
    hint("iap --help", console)
    return .usage
  }

  private func hint(_ call: String, _ console: Console) {
    console.errorLine(Words("'\(call)' shows what is possible.", zh: "运行“\(call)”查看用法。"))
  }

  private func showOverview(_ console: Console) -> ExitStatus {
    console.line(Words(overview(.english), zh: overview(.simplifiedChinese)))
    return .success
  }

  private func show(_ command: any Command.Type, _ console: Console) -> ExitStatus {
    console.line(Words(help(command, .english), zh: help(command, .simplifiedChinese)))
    return .success
  }

  private func overview(_ language: Language) -> String {
    let title = Words(
      "iap – in-app purchases on one machine: a simulated App Store, a server, and tools",
      zh: "iap – 在一台机器上运行应用内购买：模拟 App Store、服务器与工具"
    )
    let usage = Words("usage: iap COMMAND [OPTIONS]", zh: "用法：iap 命令 [选项]")
    let more = Words(
      "'iap COMMAND --help' explains a command; 'iap --version' prints the version.",
      zh: "“iap 命令 --help”查看某个命令的说明；“iap --version”显示版本。"
    )
    let rows = commands.map { ($0.name, $0.summary(language)) }
    return [title(language), usage(language), Self.table(rows), more(language)]
      .joined(separator: "\n\n")
  }

  private func help(_ command: any Command.Type, _ language: Language) -> String {
    let usageWord = Words("usage:", zh: "用法：")(language)
    let words =
      ["iap", command.name]
      + command.options.map { option in
        if case .repeated = option.shape { return "[\(option.usage)]..." }
        return "[\(option.usage)]"
      }
      + command.operands.map { operand in
        let name = operand.isRepeated ? operand.name + "..." : operand.name
        return operand.isRequired ? name : "[\(name)]"
      }
    var rows = command.operands.map { ($0.name, $0.help(language)) }
    rows += command.options.map { ($0.usage, $0.help(language)) }
    rows.append(("--help", Words("Prints this and ends.", zh: "显示本说明后退出。")(language)))
    let parts = [
      "\(usageWord) \(Self.wrapped(words))",
      command.summary(language),
      Self.table(rows),
      command.details(language),
    ]
    return parts.filter { !$0.isEmpty }.joined(separator: "\n\n")
  }

  private static func wrapped(_ words: [String]) -> String {
    var lines: [String] = []
    var line = ""
    for word in words {
      if !line.isEmpty, line.count + word.count > 84 {
        lines.append(line)
        line = "           "
      }
      line += line.isEmpty || line.hasSuffix(" ") ? word : " " + word
    }
    return (lines + [line]).joined(separator: "\n")
  }

  private static func table(_ rows: [(String, String)]) -> String {
    let width = min(rows.map(\.0.count).max() ?? 0, 28)
    return rows.map { name, text in
      let indented = text.split(separator: "\n", omittingEmptySubsequences: false)
        .joined(separator: "\n" + String(repeating: " ", count: width + 4))
      let gap = String(repeating: " ", count: max(width - name.count, 0) + 2)
      return "  \(name)\(gap)\(indented)"
    }.joined(separator: "\n")
  }
}

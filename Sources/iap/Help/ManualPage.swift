/// The manual page in the macros of man(7).
struct ManualPage {
  let commands: [any Command.Type]
  let language: Language

  /// The whole page.
  var text: String {
    var lines = [
      ".TH IAP 1 \"\" \"iap \(CommandLineTool.version)\" \"IAPKit\"",
      section("NAME", zh: "名称"),
      "iap \\- "
        + escaped(
          words(
            "in-app purchases: server, simulated App Store, tools",
            zh: "应用内购买：服务器、模拟 App Store 与工具"
          )
        ),
      section("SYNOPSIS", zh: "用法"),
      ".B iap",
      ".I COMMAND",
      escaped("[OPTIONS]"),
      section("COMMANDS", zh: "命令"),
    ]
    for command in commands { lines += described(command) }
    lines += [section("EXIT STATUS", zh: "退出状态")]
    for (status, meaning) in Self.statuses {
      lines += [".TP", ".B \(status)", escaped(meaning(language))]
    }
    lines += [section("ENVIRONMENT", zh: "环境变量")]
    for (name, meaning) in Self.variables {
      lines += [".TP", ".B \(name)", escaped(meaning(language))]
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private static let statuses: [(Int32, Words)] = [
    (ExitStatus.success.rawValue, Words("Done, or accepted.", zh: "完成，或已接受。")),
    (ExitStatus.failure.rawValue, Words("Failed, or refused.", zh: "失败，或被拒绝。")),
    (ExitStatus.usage.rawValue, Words("The call cannot be understood.", zh: "调用有误。")),
  ]

  private static let variables: [(String, Words)] = [
    (
      ServeSettingsReader.databaseVariable,
      Words("The ledger's place, where no option names it.", zh: "未用选项指定时账本的位置。")
    ),
    ("IAP_KEY", Words("The secret key with which a server is asked.", zh: "访问服务器所用的私密密钥。")),
    (
      "LC_ALL, LC_MESSAGES, LANG",
      Words("The language: Chinese where the name begins with zh.", zh: "语言：以 zh 开头时为中文。")
    ),
    (
      "NO_COLOR",
      Words(
        "When it is set, nothing is coloured; --no-color does the same.",
        zh: "设置后不使用颜色；等同 --no-color。"
      )
    ),
  ]

  private func described(_ command: any Command.Type) -> [String] {
    var lines = [
      ".SS \(escaped("iap \(command.name)"))",
      escaped(command.summary(language)),
    ]
    for operand in command.operands {
      let name = operand.isRepeated ? operand.name + "..." : operand.name
      lines += [".TP", ".I \(escaped(name))", escaped(operand.help(language))]
    }
    for option in command.options {
      lines += [".TP", ".B \(escaped(option.usage))", escaped(option.help(language))]
    }
    let details = command.details(language)
    guard !details.isEmpty else { return lines }
    for paragraph in details.split(separator: "\n\n", omittingEmptySubsequences: true) {
      lines.append(".PP")
      lines += laidOut(paragraph)
    }
    return lines
  }

  /// A paragraph; its indented lines keep their shape.
  private func laidOut(_ paragraph: Substring) -> [String] {
    var lines: [String] = []
    var isIndented = false
    for line in paragraph.split(separator: "\n") {
      if line.hasPrefix("  ") != isIndented {
        isIndented.toggle()
        lines += isIndented ? [".RS", ".nf"] : [".fi", ".RE"]
      }
      lines.append(escaped(String(line)))
    }
    return isIndented ? lines + [".fi", ".RE"] : lines
  }

  private func section(_ english: String, zh chinese: String) -> String {
    ".SH \(words(english, zh: chinese))"
  }

  private func words(_ english: String, zh chinese: String) -> String {
    Words(english, zh: chinese)(language)
  }

  /// A text in which nothing is a command or an escape of the formatter.
  private func escaped(_ text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      let plain = line.replacing("\\", with: "\\e").replacing("-", with: "\\-")
        .replacing("'", with: "\\(aq").replacing("\"", with: "\\(dq")
      return plain.hasPrefix(".") ? "\\&" + plain : plain
    }.joined(separator: "\n")
  }
}

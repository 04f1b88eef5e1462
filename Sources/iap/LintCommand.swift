import Foundation

/// `iap lint PATH`: looks for in-app-purchase mistakes in an app's sources.
///
/// The work is done by `iap-lint`, an executable of its own that is built where the toolchain
/// brings SwiftSyntax; this command passes the call on.
enum LintCommand: Command {
  static let name = "lint"
  static let summary = Words(
    "Looks for in-app-purchase mistakes in an app's Swift sources.",
    zh: "检查应用 Swift 源代码中的应用内购买错误。"
  )
  static let details = Words(
    """
    It starts iap-lint, which lies beside iap or in PATH. docs/lint explains every rule.

    Exit status: 0 nothing found, 1 something found, 2 could not look.
    """,
    zh: """
      会启动与 iap 同目录或 PATH 中的 iap-lint。docs/lint 说明每条规则。

      退出状态：0 没有发现，1 有发现，2 无法检查。
      """
  )
  static let options: [CommandOption] = [
    .flag("json", Words("Prints the findings as JSON.", zh: "以 JSON 输出。")),
    .flag("sarif", Words("Prints the findings as SARIF 2.1.0.", zh: "以 SARIF 2.1.0 输出。")),
    .repeated("rule", "RULE", Words("Only this rule.", zh: "只检查该规则。")),
    .flag("rules", Words("Lists the rules and ends.", zh: "列出规则后退出。")),
    .flag(
      "ids",
      Words(
        "Prints the product identifiers that the sources name, and ends.",
        zh: "输出源代码中的商品标识符后退出。"
      )
    ),
    .repeated("exclude", "PATTERN", Words("Leaves out paths.", zh: "排除路径。")),
    .value(
      "config",
      "FILE",
      Words(
        "The configuration; otherwise .iap-lint.json in PATH.",
        zh: "配置文件；默认读取路径中的 .iap-lint.json。"
      )
    ),
    .value("baseline", "FILE", Words("Findings to live with.", zh: "已接受的问题。")),
    .value(
      "write-baseline",
      "FILE",
      Words("Writes what is found now as the baseline.", zh: "把当前问题写成基线。")
    ),
  ]
  static let operands: [CommandOperand] = [
    CommandOperand(
      "PATH",
      Words("Folders or files; otherwise the current folder.", zh: "文件夹或文件；默认当前文件夹。"),
      isRequired: false,
      isRepeated: true
    )
  ]

  static func run(
    _ arguments: CommandArguments,
    console: Console
  ) async throws(CommandError) -> ExitStatus {
    guard let tool = LiveLintTool.find(path: console.environment["PATH"] ?? "") else {
      console.errorLine(
        Words(
          """
          iap lint: iap-lint is neither beside iap nor in PATH. It is built by
          'swift build --product iap-lint' with a Swift toolchain for Linux that has SwiftSyntax in
          lib/swift/host (the toolchains of swift.org do); IAP_SWIFT_SYNTAX names another folder.
          """,
          zh: """
            iap lint：与 iap 同目录及 PATH 中都没有 iap-lint。请用在 lib/swift/host 中带有 SwiftSyntax
            的 Linux 版 Swift 工具链（swift.org 的工具链即可）运行
            “swift build --product iap-lint”；也可用 IAP_SWIFT_SYNTAX 指定其他文件夹。
            """
        )
      )
      return .usage
    }
    guard let status = await LiveLintTool.run(tool, words(arguments)) else {
      throw CommandError(.failed, Words("iap-lint cannot be started.", zh: "无法启动 iap-lint。"))
    }
    return ExitStatus(rawValue: status)
  }

  /// The call as it was, with the options first.
  static func words(_ arguments: CommandArguments) -> [String] {
    var words: [String] = []
    for option in options {
      switch option.shape {
      case .flag:
        if arguments.flag(option.name) { words.append("--\(option.name)") }
      case .value, .repeated:
        words += arguments.values(option.name).map { "--\(option.name)=\($0)" }
      }
    }
    return words + ["--"] + arguments.operands
  }
}

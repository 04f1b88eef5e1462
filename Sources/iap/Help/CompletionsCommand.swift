import IAPModel

/// `iap completions SHELL`: what a shell needs to complete a call of `iap`.
enum CompletionsCommand: Command {
  static let name = "completions"
  static let summary = Words(
    "Prints what bash, zsh or fish needs to complete a call at the tabulator key.",
    zh: "输出 bash、zsh 或 fish 的命令补全脚本。"
  )
  static let details = Words(
    """
    For this shell only:  source <(iap completions bash)
    For good, for bash:   iap completions bash > ~/.local/share/bash-completion/completions/iap
    for zsh:              iap completions zsh > FOLDER/_iap, FOLDER being one of $fpath
    for fish:             iap completions fish > ~/.config/fish/completions/iap.fish

    The texts beside the options are in the language of the locale.
    """,
    zh: """
      仅当前 shell：  source <(iap completions bash)
      bash 长期使用： iap completions bash > ~/.local/share/bash-completion/completions/iap
      zsh：           iap completions zsh > 目录/_iap（目录须在 $fpath 中）
      fish：          iap completions fish > ~/.config/fish/completions/iap.fish

      选项旁的说明使用当前区域设置的语言。
      """
  )
  static let options: [CommandOption] = [.jsonFlag]
  static let operands: [CommandOperand] = [
    CommandOperand(
      "SHELL",
      Words("bash, zsh or fish.", zh: "bash、zsh 或 fish。"),
      choices: ShellCompletions.Shell.allCases.map(\.rawValue)
    )
  ]

  static func run(
    _ arguments: CommandArguments,
    console: Console
  ) async throws(CommandError) -> ExitStatus {
    guard let shell = ShellCompletions.Shell(rawValue: arguments.operands[0]) else {
      let shells = ShellCompletions.Shell.allCases.map(\.rawValue)
      throw .usage(
        Words(
          "'iap completions' knows \(shells.joined(separator: ", ")), "
            + "not '\(arguments.operands[0])'.",
          zh: "“iap completions”支持 \(shells.joined(separator: "、"))，"
            + "不支持“\(arguments.operands[0])”。"
        )
      )
    }
    let script = ShellCompletions(commands: CommandLineTool.all, language: console.language)
      .script(for: shell)
    if arguments.flag("json") {
      console.json(["shell": .string(shell.rawValue), "script": .string(script)])
    } else {
      console.output(Array(script.utf8))
    }
    return .success
  }
}

import IAPModel

/// `iap man`: the manual page, made of what every command says about itself.
enum ManCommand: Command {
  static let name = "man"
  static let summary = Words(
    "Prints the manual page for man(1), in the language of the locale.",
    zh: "以当前语言输出 man(1) 手册页。"
  )
  static let details = Words(
    """
    To read it:  iap man > iap.1 && man ./iap.1
    """,
    zh: """
      阅读：  iap man > iap.1 && man ./iap.1
      """
  )
  static let options: [CommandOption] = [.jsonFlag]

  static func run(
    _ arguments: CommandArguments,
    console: Console
  ) async throws(CommandError) -> ExitStatus {
    let page = ManualPage(commands: CommandLineTool.all, language: console.language).text
    if arguments.flag("json") {
      console.json(["section": 1, "page": .string(page)])
    } else {
      console.output(Array(page.utf8))
    }
    return .success
  }
}

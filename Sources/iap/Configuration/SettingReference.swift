/// The reference of every setting, as `docs/configuration.md` has it.
enum SettingReference {
  /// Tables in Markdown: the server's own settings, then those of an app.
  static var markdown: String {
    let own = ServeSettingTable.all.filter { !$0.path.hasPrefix("apps") }
    let apps = ServeSettingTable.all.filter { $0.path.hasPrefix("apps") }
    return """
      ### The server

      | Key | Wanted | Default | Variable | Option | Meaning |
      |---|---|---|---|---|---|
      \(own.map(row).joined(separator: "\n"))

      ### An app: the members of `apps`

      | Key | Wanted | Default | Meaning |
      |---|---|---|---|
      \(apps.map(appRow).joined(separator: "\n"))
      """
  }

  private static func row(_ setting: ServeSetting) -> String {
    let option = setting.option.map { "`--\($0)`" } ?? ""
    let variable = setting.variable.map { "`\($0)`" } ?? ""
    return "| `\(setting.path)` | \(wanted(setting)) | \(usual(setting)) | \(variable) | \(option) "
      + "| \(setting.meaning(.english)) |"
  }

  private static func appRow(_ setting: ServeSetting) -> String {
    "| `\(setting.path)` | \(wanted(setting)) | \(usual(setting)) | \(setting.meaning(.english)) |"
  }

  private static func wanted(_ setting: ServeSetting) -> String {
    setting.kind.wanted(.english) + (setting.isRequired ? "; needed" : "")
  }

  private static func usual(_ setting: ServeSetting) -> String {
    setting.usual.map { "`\($0)`" } ?? ""
  }
}

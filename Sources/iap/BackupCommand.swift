import Foundation
import IAPModel
import ServerStorage

/// `iap backup`: a copy of the ledger while servers go on writing it.
enum BackupCommand: Command {
  static let name = "backup"
  static let summary = Words(
    "Writes a ledger as it is at one instant into a file, while servers go on.",
    zh: "在服务器继续运行时，将账本某一时刻的完整状态写入文件。"
  )
  static let details = Words(
    """
    The file is a SQLite ledger, whatever the ledger is kept in: 'iap restore' takes it, and so does
    'iap serve'. It holds every fact, so it holds personal data as the ledger does. It appears under
    its name when it is whole. A large PostgreSQL is better kept with its own tools.
    """,
    zh: """
      无论账本存放在哪里，备份都是一个 SQLite 账本文件，可用于“iap restore”和“iap serve”。
      其中包含全部事实，因此也包含个人数据。写完后才以该名称出现。
      大型 PostgreSQL 建议使用其自带工具。
      """
  )
  static let options: [CommandOption] = [
    .value(
      "database",
      "PLACE",
      Words(
        "The ledger: a SQLite file or postgres://... Default IAP_DATABASE, else iap.sqlite.",
        zh: "账本：SQLite 文件或 postgres://...。默认取 IAP_DATABASE，否则为 iap.sqlite。"
      )
    ),
    .value("to", "FILE", Words("The new file.", zh: "新文件。")),
    .jsonFlag,
  ]

  static func run(
    _ arguments: CommandArguments,
    console: Console
  ) async throws(CommandError) -> ExitStatus {
    guard let path = arguments.value("to"), !path.isEmpty else {
      throw .usage(Words("'iap backup' needs --to FILE.", zh: "“iap backup”需要 --to 文件。"))
    }
    let place = LedgerPlace.named(arguments, console)
    try refuseExisting(path)
    do throws(StorageError) { try LedgerBackup.make(of: place, at: path) } catch {
      throw .ledger(error)
    }
    if arguments.flag("json") {
      console.json(["file": .string(path), "database": .string("\(place)")])
      return .success
    }
    console.line(
      Words("'\(path)' holds the ledger of '\(place)'", zh: "“\(path)”已保存“\(place)”的账本")
    )
    return .success
  }

  static func refuseExisting(_ path: String) throws(CommandError) {
    guard FileManager.default.fileExists(atPath: path) else { return }
    throw CommandError(
      .file,
      Words("'\(path)' is there already.", zh: "“\(path)”已存在。")
    )
  }
}

extension LedgerPlace {
  /// The ledger that a call names, else the environment, else the usual file.
  static func named(_ arguments: CommandArguments, _ console: Console) -> LedgerPlace {
    LedgerPlace(
      arguments.value("database") ?? console.environment[ServeSettingsReader.databaseVariable]
        ?? "iap.sqlite"
    )
  }
}

import Foundation
import IAPModel
import ServerStorage

/// `iap restore`: a ledger out of a backup.
enum RestoreCommand: Command {
  static let name = "restore"
  static let summary = Words(
    "Makes a ledger out of a backup.",
    zh: "从备份恢复账本。"
  )
  static let details = Words(
    """
    The place must hold no ledger yet: a file that is not there, or a PostgreSQL database without
    one. The backup is not changed. Afterwards 'iap reconcile' and 'iap notifications replay' fetch
    from the App Store what happened since.
    """,
    zh: """
      目标处不能已有账本：文件须不存在，或 PostgreSQL 数据库中没有账本。备份不会被改动。
      之后可用“iap reconcile”和“iap notifications replay”从 App Store 补齐此后发生的事。
      """
  )
  static let options: [CommandOption] = [
    .value("from", "FILE", Words("The backup.", zh: "备份文件。")),
    .value(
      "database",
      "PLACE",
      Words(
        "Where the ledger is to be: a SQLite file or postgres://...",
        zh: "恢复到何处：SQLite 文件或 postgres://...。"
      )
    ),
    .jsonFlag,
  ]

  static func run(
    _ arguments: CommandArguments,
    console: Console
  ) async throws(CommandError) -> ExitStatus {
    guard let backup = arguments.value("from"), !backup.isEmpty,
      let database = arguments.value("database"), !database.isEmpty
    else {
      throw .usage(
        Words(
          "'iap restore' needs --from FILE and --database PLACE.",
          zh: "“iap restore”需要 --from 文件 和 --database 位置。"
        )
      )
    }
    let place = LedgerPlace(database)
    var json: JSONObject = ["file": .string(backup), "database": .string("\(place)")]
    switch place {
    case .sqlite(let path):
      do throws(StorageError) {
        guard !FileManager.default.fileExists(atPath: path) else {
          throw StorageError(.readOnly, "'\(path)' is there already")
        }
        try LedgerBackup.restore(backup, to: path)
      } catch {
        throw .ledger(error)
      }
    case .postgres(let address), .postgresFile(_, let address):
      let report = try console.watched(Words("restoring", zh: "恢复中")) {
        step throws(StorageError) in
        try LedgerMove.restore(from: backup, to: address, now: console.now, progress: step)
      }
      if arguments.flag("json") {
        for member in report.json.members { json[member.name] = member.value }
      } else {
        console.report(report)
      }
    }
    if arguments.flag("json") {
      console.json(json)
      return .success
    }
    console.line(
      Words("the ledger of '\(backup)' is in '\(place)'", zh: "“\(backup)”的账本已恢复到“\(place)”")
    )
    return .success
  }
}

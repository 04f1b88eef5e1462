import Foundation
import IAPModel
import ServerStorage

/// `iap restore`: a ledger out of a backup, as it is there or as it was at an instant.
enum RestoreCommand: Command {
  static let name = "restore"
  static let summary = Words(
    "Makes a ledger out of a backup, as it was at any instant.",
    zh: "从备份恢复账本，可恢复到任一时刻。"
  )
  static let details = Words(
    """
    The place must hold no ledger yet: a file that is not there, or a PostgreSQL database without
    one. What it is made from is not changed. Afterwards 'iap reconcile' and 'iap notifications
    replay' fetch from the App Store what happened since.

    With --until the ledger is what it was at that instant: it holds the facts that had come by
    then, that millisecond included, and everything that follows from them is computed again.
    Orders, debits, owners, cases and notes of later are left out. Keys, secrets, catalogs,
    endpoints and second names are as in the backup, units that were handed over stay handed over,
    and customers who were erased stay erased. No event waits to be sent, so nothing is told twice.
    """,
    zh: """
      目标处不能已有账本：文件须不存在，或 PostgreSQL 数据库中没有账本。来源不会被改动。
      之后可用“iap reconcile”和“iap notifications replay”从 App Store 补齐此后发生的事。

      使用 --until 时恢复到该时刻：只含当时（含该毫秒）已到达的事实，其余状态据此重新计算。
      之后的订单、扣减、归属、待处理事项与审计记录不保留。密钥、机密、目录、Webhook 端点与
      别名取备份中的状态；已交付的单元仍视为已交付，已删除的客户仍保持删除。
      没有事件等待发送，因此不会重复通知。
      """
  )
  static let options: [CommandOption] = [
    .value(
      "from",
      "PLACE",
      Words(
        "The backup, or a ledger: a SQLite file or postgres://...",
        zh: "备份或账本：SQLite 文件或 postgres://...。"
      )
    ),
    .value(
      "database",
      "PLACE",
      Words(
        "Where the ledger is to be: a SQLite file or postgres://...",
        zh: "恢复到何处：SQLite 文件或 postgres://...。"
      )
    ),
    .value(
      "until",
      "TIME",
      Words(
        "Take only the facts that had come by then: 2026-01-31T12:00:00Z or UNIX milliseconds.",
        zh: "只取该时刻为止到达的事实：如 2026-01-31T12:00:00Z，或 UNIX 毫秒。"
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
          "'iap restore' needs --from PLACE and --database PLACE.",
          zh: "“iap restore”需要 --from 位置 和 --database 位置。"
        )
      )
    }
    let until = try instant(arguments, console)
    let (source, target) = (LedgerPlace(backup), LedgerPlace(database))
    if case .sqlite(let path) = target { try BackupCommand.refuseExisting(path) }
    let folder = try LiveScratch.makeFolder()
    defer { LiveScratch.remove(folder) }
    var restoring = LedgerRestoring(folder: folder, console: console)
    try restoring.run(from: source, to: target, until: until)
    if arguments.flag("json") {
      var json: JSONObject = ["file": .string("\(source)"), "database": .string("\(target)")]
      for member in restoring.json.members { json[member.name] = member.value }
      console.json(json)
      return .success
    }
    restoring.report()
    console.line(
      Words("the ledger of '\(source)' is in '\(target)'", zh: "“\(source)”的账本已恢复到“\(target)”")
    )
    return .success
  }

  /// The instant that a call names, which has to be over.
  private static func instant(
    _ arguments: CommandArguments,
    _ console: Console
  ) throws(CommandError) -> Date? {
    guard let until = try arguments.date("until") else { return nil }
    guard until <= console.now() else {
      throw .usage(
        Words(
          "--until lies in the future: a ledger can be made as it was, not as it will be.",
          zh: "--until 在未来：只能恢复到过去的时刻。"
        )
      )
    }
    return until
  }
}

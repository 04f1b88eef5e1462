import Foundation
import IAPModel
import PostgresStorage
import ServerStorage

/// `iap migrate`: moves a ledger from SQLite to PostgreSQL.
enum MigrateCommand: Command {
  static let name = "migrate"
  static let summary = Words(
    "Moves a server's ledger from a SQLite file to PostgreSQL while the server goes on.",
    zh: "在服务器继续运行时，将账本从 SQLite 文件迁移到 PostgreSQL。"
  )
  static let details = Words(
    """
    Rows are copied while the server answers requests. At the end the file is locked for a moment,
    the rest is copied and compared, and the file is marked: from then on nothing is written to it,
    and the old server answers "try again" until the new one takes its place. Start that one with
    --database postgres://... (see 'iap serve'). What was sent meanwhile is sent again: App Store
    notifications by Apple, purchases by the app.

    When anything goes wrong, the file goes on as the ledger, and the call may be made again.
    """,
    zh: """
      服务器应答期间即开始复制。最后短暂锁定文件，复制并核对其余数据，然后标记该文件：
      此后不再写入，旧服务器会回答“请重试”，直到新服务器接替。
      新服务器以 --database postgres://... 启动（见“iap serve”）。
      期间的请求会再次送达：Apple 重发通知，App 重发购买。

      若出现任何问题，原文件继续作为账本，可重新执行。
      """
  )
  static let options: [CommandOption] = [
    .value("from", "sqlite:FILE", Words("The file of the ledger.", zh: "账本文件。")),
    .value(
      "to",
      "postgres://...",
      Words(
        "The database; else the environment variable IAP_DATABASE.",
        zh: "目标数据库；未给出时取环境变量 IAP_DATABASE。"
      )
    ),
    .jsonFlag,
  ]

  static func run(
    _ arguments: CommandArguments,
    console: Console
  ) async throws(CommandError) -> ExitStatus {
    let target =
      arguments.value("to") ?? console.environment[ServeSettingsReader.databaseVariable] ?? ""
    guard case .sqlite(let path) = LedgerPlace(arguments.value("from") ?? ""), !path.isEmpty,
      PostgresLedger.isAddress(target)
    else {
      throw .usage(
        Words(
          "'iap migrate' goes --from sqlite:FILE --to postgres://..., and no other way.",
          zh: "“iap migrate”只支持 --from sqlite:文件 --to postgres://...。"
        )
      )
    }
    let report = try console.watched(Words("moving", zh: "迁移中")) {
      step throws(StorageError) in
      try LedgerMove.move(from: path, to: target, now: console.now, progress: step)
    }
    if arguments.flag("json") {
      console.json(report.json)
      return .success
    }
    console.report(report)
    let parts = report.seconds.map { $0.part + String(format: " %.1f s", $0.seconds) }
    console.line(verbatim: parts.joined(separator: ", "))
    let seconds = String(format: "%.3f", report.lockedSeconds)
    console.line(
      Words(
        "moved; \(report.rounds) round(s) while serving, \(seconds) s without writing",
        zh: "已迁移；运行期间复制 \(report.rounds) 轮，暂停写入 \(seconds) 秒"
      )
    )
    return .success
  }
}

extension CommandError {
  /// What a ledger could not do, in words for a person.
  static func ledger(_ error: StorageError) -> CommandError {
    CommandError(
      .failed,
      Words(
        "the ledger stays as it is (\(error.code)): \(error.reason).",
        zh: "账本保持不变（\(error.code)）：\(error.reason)。"
      )
    )
  }
}

extension LedgerMove.Report {
  /// The report as a program reads it.
  var json: JSONObject {
    let tables = rows.map { JSONMember($0.table, .integer($0.count)) }
    return [
      "rows": .object(JSONObject(tables)), "rounds": .integer(Int64(rounds)),
      "lockedMilliseconds": .integer(Int64((lockedSeconds * 1000).rounded())),
      "linesCompared": .integer(Int64(linesCompared)),
      "rowsCompared": .integer(rowsCompared),
      "purchasesCompared": .integer(Int64(purchasesCompared)),
      "milliseconds": .object(
        JSONObject(
          seconds.map { JSONMember($0.part, .integer(Int64(($0.seconds * 1000).rounded()))) }
        )
      ),
    ]
  }
}

extension Console {
  /// Copies a ledger, with a line that says how far it is.
  func watched(
    _ what: Words,
    _ copy: (@escaping (LedgerMove.Step) -> Void) throws(StorageError) -> LedgerMove.Report
  ) throws(CommandError) -> LedgerMove.Report {
    var line = ProgressLine(what, console: self)
    var done: Int64 = 0
    var total: Int64 = 0
    defer { line.end() }
    do throws(StorageError) {
      return try copy { step in
        switch step {
        case .found(let rows): total = rows
        case .copied(let rows): done += Int64(rows)
        }
        line.show(done, of: max(done, total))
      }
    } catch {
      throw .ledger(error)
    }
  }

  /// Says how many rows each table has, and what was compared.
  func report(_ report: LedgerMove.Report) {
    for (table, count) in report.rows { line(verbatim: "\(table) \(count)") }
    line(
      Words(
        """
        compared: \(report.rowsCompared) rows, \(report.purchasesCompared) purchases and \
        \(report.linesCompared) lines of state are the same
        """,
        zh: """
          已核对：\(report.rowsCompared) 行数据、\(report.purchasesCompared) 笔购买、\
          \(report.linesCompared) 行状态一致
          """
      )
    )
  }
}

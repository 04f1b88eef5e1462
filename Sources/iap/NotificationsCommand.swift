import Foundation
import HTTPValues
import IAPModel

/// `iap notifications replay`: has a running server read again what the App Store sent.
enum NotificationsCommand: Command {
  static let name = "notifications"
  static let summary = Words(
    "Has a running server read again the notifications that the App Store sent.",
    zh: "让运行中的服务器重新读取 App Store 发送过的通知。"
  )
  static let details = Words(
    """
    The first word is replay. The server asks the App Store for the history of what it sent, which
    goes back 180 days, and records what it does not have: verified like any other, and once. It
    keeps its progress: ending this command ends nothing, and --id shows a replay begun before.

    The secret key stands in the environment variable IAP_KEY.

    Exit status: 0 read to the end, 1 it failed or could not be asked, 2 the call cannot be used.
    """,
    zh: """
      第一个词是 replay。服务器向 App Store 查询发送历史（最多 180 天），并记录缺失的通知：同样经过验证，只记录一次。
      进度由服务器保存：结束本命令不会中断，--id 可查看之前开始的重放。

      私密密钥放在环境变量 IAP_KEY 中。

      退出状态：0 已读完，1 失败或无法询问，2 调用有误。
      """
  )
  static let options: [CommandOption] =
    ServerCall.options + [
      .value(
        "start",
        "DATE",
        Words("Sent at or after this. Default 180 days ago.", zh: "此时间起，默认 180 天前。")
      ),
      .value("end", "DATE", Words("Sent before this. Default now.", zh: "此时间前，默认现在。")),
      .value("type", "TYPE", Words("Only this type, as DID_RENEW.", zh: "仅此类型，如 DID_RENEW。")),
      .value("subtype", "TYPE", Words("Only this subtype of it.", zh: "仅此子类型。")),
      .value("transaction", "ID", Words("Only this customer's.", zh: "仅此交易的顾客。")),
      .flag("failures", Words("Only what did not arrive.", zh: "仅未送达的。")),
      .flag("dry-run", Words("Lists what is missing, records nothing.", zh: "只列出缺失，不记录。")),
      .value("id", "ID", Words("Shows a replay begun before.", zh: "查看之前开始的重放。")),
      .jsonFlag,
    ]
  static let operands: [CommandOperand] = [
    CommandOperand("replay", Words("What to do.", zh: "要做的事。"), choices: ["replay"])
  ]

  static func run(
    _ arguments: CommandArguments,
    console: Console
  ) async throws(CommandError) -> ExitStatus {
    guard arguments.operands == ["replay"] else {
      throw .usage(
        Words("'iap notifications' needs 'replay'.", zh: "“iap notifications”需要“replay”。")
      )
    }
    var body: JSONObject = [:]
    for name in ["start", "end"] {
      if let date = try arguments.date(name) { body[name] = .integer(date.milliseconds) }
    }
    for name in ["type", "subtype"] { body[name] = arguments.value(name).map { .string($0) } }
    body["originalTransactionId"] = arguments.value("transaction").map { .string($0) }
    if arguments.flag("failures") { body["onlyFailures"] = true }
    if arguments.flag("dry-run") { body["dryRun"] = true }
    let server = ServerCall(arguments, console)
    let begun: JSONObject
    if let id = arguments.value("id") {
      begun = try await server.object(.get, path(id))
    } else {
      begun = try await server.object(.post, "/v1/notifications/replays", body)
    }
    guard let id = begun["id"]?.stringValue else { throw ServerCall.strange }
    console.errors(Array((id + "\n").utf8))
    let report = try await server.wait(for: path(id), begun, console, ReconcileCommand.progress)
    if arguments.flag("json") {
      console.json(report)
    } else {
      ReconcileCommand.show(report, console)
    }
    return report["state"] == "done" ? .success : .failure
  }

  private static func path(_ id: String) -> String {
    "/v1/notifications/replays/" + PercentCoding.encode(id)
  }
}

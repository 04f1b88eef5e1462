import Foundation
import HTTPValues
import IAPModel

/// `iap reconcile`: has a running server compare its ledger with the App Store.
enum ReconcileCommand: Command {
  static let name = "reconcile"
  static let summary = Words(
    "Has a running server compare its ledger with the App Store, and shows what was missing.",
    zh: "让运行中的服务器与 App Store 对账，并列出缺失的内容。"
  )
  static let details = Words(
    """
    The server does the work and keeps its progress: ending this command ends nothing. What is
    found is verified, recorded and granted once, like a notification.

    The secret key stands in the environment variable IAP_KEY, so that no list of processes shows
    it.

    Exit status: 0 compared, 1 it failed or could not be asked, 2 the call cannot be used.
    """,
    zh: """
      工作由服务器完成并保存进度：结束本命令不会中断对账。找到的内容与通知一样经过验证、只记录一次、只发放一次。

      私密密钥放在环境变量 IAP_KEY 中，以免出现在进程列表里。

      退出状态：0 已对账，1 失败或无法询问，2 调用有误。
      """
  )
  static let options: [CommandOption] =
    ServerCall.options + [
      .value(
        "transaction",
        "ID",
        Words("Only this original transaction.", zh: "仅此原始交易。")
      ),
      .jsonFlag,
    ]

  static func run(
    _ arguments: CommandArguments,
    console: Console
  ) async throws(CommandError) -> ExitStatus {
    let server = ServerCall(arguments, console)
    var body: JSONObject = [:]
    if let id = arguments.value("transaction") { body["originalTransactionId"] = .string(id) }
    let begun = try await server.object(.post, "/v1/reconciliations", body)
    guard let id = begun["id"]?.stringValue else { throw ServerCall.strange }
    let path = "/v1/reconciliations/" + PercentCoding.encode(id)
    let report = try await server.wait(for: path, begun, console, progress)
    if arguments.flag("json") { console.json(report) } else { show(report, console) }
    return report["state"] == "done" ? .success : .failure
  }

  static func progress(_ report: JSONObject) -> String {
    let counts = report["counts"]?.objectValue?.members ?? []
    let words = counts.map { "\($0.name)=\($0.value.integerValue ?? 0)" }
    let stage = report["stage"]?.stringValue ?? report["state"]?.stringValue ?? ""
    let problem = report["problem"]?.stringValue.map { " (\($0))" } ?? ""
    return ([stage] + words).joined(separator: " ") + problem
  }

  static func show(_ report: JSONObject, _ console: Console) {
    console.line(verbatim: "\(report["state"]?.stringValue ?? "") \(progress(report))")
    for finding in report["findings"]?.arrayValue ?? [] {
      let words = finding.objectValue?.members.compactMap(\.value.stringValue) ?? []
      console.line(verbatim: words.joined(separator: " "))
    }
  }
}

import Foundation
import HTTPClient
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
  static let options: [CommandOption] = [
    .value(
      "server",
      "URL",
      Words(
        "The server's address. Default http://127.0.0.1:8080.",
        zh: "服务器地址，默认 http://127.0.0.1:8080。"
      )
    ),
    .value("app", "BUNDLE", Words("The app, where the server has several.", zh: "App（服务器有多个时）。")),
    .value(
      "environment",
      "NAME",
      Words("Production or Sandbox. Default Production.", zh: "Production 或 Sandbox，默认 Production。")
    ),
    .value(
      "transaction",
      "ID",
      Words("Only this original transaction.", zh: "仅此原始交易。")
    ),
  ]

  /// How often the server is asked how far it is, in seconds.
  private static let pauseSeconds = 1.0
  private static let timeout = Duration.seconds(30)

  static func run(
    _ arguments: CommandArguments,
    console: Console
  ) async throws(CommandError) -> ExitStatus {
    let server = arguments.value("server") ?? "http://127.0.0.1:8080"
    let base = server.hasSuffix("/") ? String(server.dropLast()) : server
    var query =
      "environment=" + PercentCoding.encode(arguments.value("environment") ?? "Production")
    if let app = arguments.value("app") { query += "&app=" + PercentCoding.encode(app) }
    var body: JSONObject = [:]
    if let id = arguments.value("transaction") { body["originalTransactionId"] = .string(id) }
    var report = try await ask(
      .post,
      "\(base)/v1/reconciliations?\(query)",
      body.serialized,
      console
    )
    guard let id = report["id"]?.stringValue else { throw strange() }
    let target = "\(base)/v1/reconciliations/\(PercentCoding.encode(id))?\(query)"
    var shown = ""
    while report["state"] == "running" {
      let line = progress(report)
      if line != shown {
        console.errors(Array((line + "\n").utf8))
        shown = line
      }
      await LivePause.wait(seconds: pauseSeconds)
      report = try await ask(.get, target, [], console)
    }
    show(report, console)
    return report["state"] == "done" ? .success : .failure
  }

  private static func ask(
    _ method: HTTPMethod,
    _ url: String,
    _ body: [UInt8],
    _ console: Console
  ) async throws(CommandError) -> JSONObject {
    var headers: HTTPHeaders = ["Content-Type": "application/json"]
    if let key = console.environment["IAP_KEY"] { headers["Authorization"] = "Bearer \(key)" }
    let response: HTTPResponse
    do {
      response = try await HTTPClient().send(
        HTTPOutgoingRequest(
          method: method,
          url: url,
          headers: headers,
          body: body,
          timeout: timeout
        )
      )
    } catch {
      throw CommandError(.failed, Words("the server does not answer.", zh: "服务器没有回答。"))
    }
    guard let object = try? JSONParser.parseObject(response.body, limits: .document) else {
      throw strange()
    }
    guard response.status == 200 else {
      let message = object["error"]?.objectValue?["message"]?.stringValue ?? "\(response.status)"
      throw CommandError(
        .failed,
        Words("the server refuses: \(message)", zh: "服务器拒绝：\(message)")
      )
    }
    return object
  }

  private static func strange() -> CommandError {
    CommandError(
      .failed,
      Words("what answers is no entitlement server.", zh: "回答者不是权益服务器。")
    )
  }

  private static func progress(_ report: JSONObject) -> String {
    let counts = report["counts"]?.objectValue?.members ?? []
    let words = counts.map { "\($0.name)=\($0.value.integerValue ?? 0)" }
    let stage = report["stage"]?.stringValue ?? ""
    let problem = report["problem"]?.stringValue.map { " (\($0))" } ?? ""
    return ([stage] + words).joined(separator: " ") + problem
  }

  private static func show(_ report: JSONObject, _ console: Console) {
    console.line(verbatim: "\(report["state"]?.stringValue ?? "") \(progress(report))")
    for finding in report["findings"]?.arrayValue ?? [] {
      let words = finding.objectValue?.members.compactMap(\.value.stringValue) ?? []
      console.line(verbatim: words.joined(separator: " "))
    }
  }
}

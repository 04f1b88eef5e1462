import Foundation
import IAPModel

/// `iap doctor`: looks at everything that a server needs, and says what to do.
enum DoctorCommand: Command {
  static let name = "doctor"
  static let summary = Words(
    "Looks at keys, clocks, hosts, database, catalog, notifications and webhooks; says what to do.",
    zh: "检查密钥、时钟、主机、数据库、商品、通知和 Webhook，并说明如何处理。"
  )
  static let details = Words(
    """
    It reads the settings of 'iap serve' (the same options, variables and file) and changes nothing:
    the ledger is only read, the App Store is only asked. --release also walks the check list before
    an app is released: it has the App Store send a TEST notification, waits for it, and lists what
    only a person can look at.

    --server asks a running server too; without it the one of publicURL, if that is set. --storekit
    compares the products of the settings and of the ledger with a .storekit file; --ids FILE also
    with a list of identifiers, one a line, and --app-sources FOLDER with those that the app's
    sources name (needs iap-lint beside iap).

    Exit status: 0 without errors (there may be warnings), 1 with errors, 2 the call cannot be used.
    """,
    zh: """
      它读取“iap serve”的设置（相同的选项、变量和文件），不做任何修改：只读账本，只询问 App Store。
      --release 还会逐项检查发布清单：请 App Store 发送 TEST 通知并等待，并列出只能由人检查的事项。

      --server 还会询问运行中的服务器；未给出时使用 publicURL。--storekit 将设置和账本中的商品与
      .storekit 文件比对；--ids FILE 再与标识符列表（每行一个，例如 App 源代码中出现的）比对。

      退出状态：0 没有错误（可能有警告），1 有错误，2 调用有误。
      """
  )
  static let options: [CommandOption] =
    ServeCommand.settingOptions + [
      .jsonFlag,
      .flag("release", Words("Walk the release check list.", zh: "逐项检查发布清单。")),
      .flag("problems", Words("Leave out what is good.", zh: "不显示正常的项目。")),
      .value(
        "server",
        "URL",
        Words("A running server to ask; default publicURL.", zh: "要询问的服务器；默认 publicURL。")
      ),
      .value(
        "storekit",
        "FILE",
        Words(
          "The .storekit file; default doctor.storekitFile.",
          zh: ".storekit 文件；默认 doctor.storekitFile。"
        )
      ),
      .value(
        "ids",
        "FILE",
        Words("Product identifiers that the app uses, one a line.", zh: "App 使用的商品标识符，每行一个。")
      ),
      .value(
        "app-sources",
        "FOLDER",
        Words(
          "The app's Swift sources, from which the linter reads the identifiers.",
          zh: "App 的 Swift 源代码文件夹，由 iap-lint 读取其中的标识符。"
        )
      ),
      .value(
        "hours",
        "N",
        Words(
          "How far back notifications are compared. Default 72.",
          zh: "比对多少小时以内的通知，默认 72。"
        )
      ),
      .value(
        "wait",
        "SECONDS",
        Words("How long to wait for the TEST notification. Default 60.", zh: "等待 TEST 通知的秒数，默认 60。")
      ),
      .value(
        "info-plist",
        "FILE",
        Words(
          "The app's Info.plist, as XML; with --release.",
          zh: "App 的 Info.plist（XML）；与 --release 同用。"
        )
      ),
      .value(
        "privacy-url",
        "URL",
        Words("The app's privacy policy; with --release.", zh: "App 的隐私政策；与 --release 同用。")
      ),
      .value(
        "terms-url",
        "URL",
        Words("The app's terms of use; with --release.", zh: "App 的使用条款；与 --release 同用。")
      ),
    ]

  /// The furthest back that notifications are compared, in hours: what the App Store remembers.
  static let hoursMax: Int64 = 179 * 24
  /// The longest wait for a TEST notification, in seconds.
  static let waitMax: Int64 = 3600

  static func run(
    _ arguments: CommandArguments,
    console: Console
  ) async throws(CommandError) -> ExitStatus {
    let reader = await ServeSettingsReader(arguments, console)
    var doctor = Doctor(
      reader: reader,
      console: console,
      world: .live(path: console.environment["PATH"] ?? ""),
      wishes: Doctor.Wishes(
        hours: Int(try arguments.integer("hours", in: 1...hoursMax) ?? 72),
        waitSeconds: Int(try arguments.integer("wait", in: 1...waitMax) ?? 60),
        server: try arguments.url("server")?.absoluteString ?? reader.settings.publicURL,
        storekit: arguments.value("storekit") ?? reader.settings.doctor.storekitFile,
        ids: arguments.value("ids"),
        sources: arguments.value("app-sources"),
        isRelease: arguments.flag("release"),
        infoPlist: arguments.value("info-plist"),
        privacyURL: arguments.value("privacy-url"),
        termsURL: arguments.value("terms-url")
      )
    )
    await doctor.examine()
    let hasErrors = doctor.findings.contains { $0.severity == .error }
    show(doctor.findings, arguments, console)
    return hasErrors ? .failure : .success
  }

  private static func show(
    _ findings: [DoctorFinding],
    _ arguments: CommandArguments,
    _ console: Console
  ) {
    func count(_ severity: DoctorFinding.Severity) -> Int {
      findings.count { $0.severity == severity }
    }
    if arguments.flag("json") {
      console.json([
        "errors": .integer(Int64(count(.error))), "warnings": .integer(Int64(count(.warning))),
        "findings": .array(findings.map { .object($0.object(console.language)) }),
      ])
      return
    }
    for finding in findings {
      if arguments.flag("problems"), finding.severity == .good { continue }
      var lines = finding.lines(console.language)
      if let color = finding.severity.color {
        let word = finding.severity.word(console.language)
        lines[0] = console.colored(word, color) + lines[0].dropFirst(word.count)
      }
      for line in lines { console.line(verbatim: line) }
    }
    console.line(
      Words(
        "\(count(.error)) errors, \(count(.warning)) warnings, \(count(.good)) good",
        zh: "\(count(.error)) 个错误，\(count(.warning)) 个警告，\(count(.good)) 项正常"
      )
    )
  }
}

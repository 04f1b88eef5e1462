import EntitlementServer
import Foundation
import IAPModel
import MicroHTTP

/// `iap serve`: the entitlement server.
struct ServeCommand: Command {
  static let name = "serve"
  static let summary = Words(
    "Runs the server that verifies purchases, takes Apple's notifications and knows who has what.",
    zh: "运行服务器：验证购买、接收 Apple 通知、记录谁拥有什么。"
  )
  static let details = Words(
    """
    The first line on standard output is 'listening http://HOST:PORT'; what happens is logged on
    standard error. Ctrl-C or a termination signal ends it after everything begun was answered.

    Every route stands in GET /openapi.json. The URL to enter in App Store Connect is
    /v1/notifications/apple (version 2).

    Who calls shows a key: Authorization: Bearer KEY. 'iap keys create' makes one, public for an app
    and secret for its backend. --insecure-no-keys lets everybody in, on this machine only.

    Apple's root certificates are built in. For a simulated store give --simulated and the store's
    certificates with --root; then every answer says "simulated": true. --clock makes the server
    follow the store's clock, so that access ends on both sides at the same time.

    Several servers may share a PostgreSQL database. Its address may hold a password, so it is best
    kept in a file of --database-file (databaseFile in the configuration); what it leaves out comes
    from PGUSER, PGPASSWORD, PGPASSFILE and the like. It is never logged.

    Settings come from options, then from variables of the environment (IAP_LISTEN, IAP_DATABASE,
    ...), then from the JSON file of --config or IAP_CONFIG; the first that speaks wins. All
    mistakes are named at once, each with its place, what was found and what is wanted.
      --check      only looks at them: prints each setting and where it comes from. Status 0 when
                   the server could start with them, 2 when it could not. With --json for programs.
      --reference  prints every setting with its key, variable, option and default.
    docs/configuration.md explains all of them.
    """,
    zh: """
      标准输出的第一行是“listening http://HOST:PORT”；运行日志写到标准错误。
      按 Ctrl-C 或收到终止信号后，已开始的请求都会得到回答，然后退出。

      所有路由见 GET /openapi.json。App Store Connect 中填写的通知网址是
      /v1/notifications/apple（第 2 版）。

      调用者须出示密钥：Authorization: Bearer KEY。用“iap keys create”创建：
      App 用公开密钥，后端用私密密钥。--insecure-no-keys 仅限本机，允许任何人访问。

      Apple 根证书已内置。对接模拟商店时请给出 --simulated，并用 --root 给出其证书；
      此时每个回答都带有 "simulated": true。--clock 让服务器跟随商店时钟，
      使权益在两边同时到期。

      设置依次取自：命令行选项、环境变量（IAP_LISTEN、IAP_DATABASE 等）、--config 或 IAP_CONFIG
      指定的 JSON 文件；先出现者优先。所有错误会一次列出，并说明位置、实际值和应有值。
        --check      只检查设置并列出每项及其来源；可以启动时退出状态为 0，否则为 2；可加 --json。
        --reference  列出每项设置的键、变量、选项和默认值。
      详见 docs/configuration.md。
      """
  )
  static let options: [CommandOption] =
    settingOptions + [
      .flag(
        "check",
        Words("Only look at the settings; nothing is started.", zh: "仅检查设置，不启动。")
      ),
      .flag(
        "json",
        Words(
          "Print the first line, or what --check says, as a JSON object.",
          zh: "首行（或 --check 的结果）以 JSON 输出。"
        )
      ),
      .flag(
        "reference",
        Words("Print every setting as Markdown and end.", zh: "以 Markdown 列出所有设置后退出。")
      ),
    ]

  /// The options that set something.
  static let settingOptions: [CommandOption] = [
    .value(
      "listen",
      "HOST:PORT",
      Words(
        "Where to listen; port 0 takes a free one. Default 127.0.0.1:8080.",
        zh: "监听地址；端口 0 表示任选空闲端口。默认 127.0.0.1:8080。"
      )
    ),
    .value(
      "database",
      "PLACE",
      Words(
        "A SQLite file, made if it is not there, or postgres://... Default iap.sqlite.",
        zh: "SQLite 文件（不存在则创建）或 postgres://...。默认 iap.sqlite。"
      )
    ),
    .value(
      "database-file",
      "FILE",
      Words("A file that holds the address of the database.", zh: "内含数据库地址的文件。")
    ),
    .repeated(
      "app",
      "BUNDLE=APPID",
      Words("An app, with its number at Apple.", zh: "App 的 Bundle ID 与 Apple ID。")
    ),
    .repeated(
      "environment",
      "NAME",
      Words(
        "Whose data the apps of --app take: Production, Sandbox. Default both, kept apart.",
        zh: "--app 接受的环境：Production、Sandbox。默认两者，彼此分开。"
      )
    ),
    .repeated(
      "root",
      "FILE",
      Words(
        "A simulated store's root certificate, DER or PEM; only with --simulated.",
        zh: "模拟商店的根证书（DER 或 PEM）；仅与 --simulated 同用。"
      )
    ),
    .flag(
      "simulated",
      Words(
        "Trust the certificates of --root in place of Apple's, and mark every answer.",
        zh: "以 --root 的证书代替 Apple 的根证书，并标记每个回答。"
      )
    ),
    .value(
      "clock",
      "URL",
      Words(
        "Follow the clock of the simulated store at this address; only with --simulated.",
        zh: "跟随该地址上模拟商店的时钟；仅与 --simulated 同用。"
      )
    ),
    .value(
      "apple",
      "URL",
      Words(
        "Where a simulated store stands in Apple's place; only with --simulated.",
        zh: "代替 Apple 的模拟商店地址；仅与 --simulated 同用。"
      )
    ),
    .flag(
      "ocsp",
      Words(
        "Ask the authorities whether their certificates were revoked; nobody answers: 503.",
        zh: "向证书机构查询证书是否已被吊销；无法查询时回答 503。"
      )
    ),
    .value(
      "config",
      "FILE",
      Words("Settings as JSON, see below. Default IAP_CONFIG.", zh: "JSON 配置，见下。默认取 IAP_CONFIG。")
    ),
    .flag(
      "insecure-no-keys",
      Words(
        "Let everybody in without a key; only when listening on this machine.",
        zh: "无需密钥即可访问；仅限监听本机时使用。"
      )
    ),
    .flag(
      "json-log",
      Words("Log JSON, one line an event.", zh: "以 JSON 记录日志，每行一个事件。")
    ),
    .flag("verbose", Words("Log every request.", zh: "记录每个请求。")),
  ]

  static func run(
    _ arguments: CommandArguments,
    console: Console
  ) async throws(CommandError) -> ExitStatus {
    if arguments.flag("reference") {
      console.line(verbatim: SettingReference.markdown)
      return .success
    }
    let reader = await ServeSettingsReader(arguments, console)
    if arguments.flag("check") {
      return ServeCheck(reader: reader).show(asJSON: arguments.flag("json"), console)
    }
    let settings = try reader.finished()
    let isVerbose = settings.logsRequests
    let logsJSON = settings.logsJSON
    let running = try await ServerComposition.start(settings) { event in
      guard isVerbose || event.level != .info else { return }
      let line = logsJSON ? event.json(at: console.now()) : "iap serve: \(event)"
      console.errors(Array((line + "\n").utf8))
    }
    // Listened for before anybody can know that the server runs.
    let interruption = await console.interruption()
    if arguments.flag("json") {
      console.json(["listening": .string(running.address.url)])
    } else {
      console.line(verbatim: "listening \(running.address.url)")
    }
    await interruption.wait()
    await running.stop()
    return .success
  }
}

import AppStoreSimulator
import Foundation
import HTTPClient
import HTTPValues
import IAPModel
import IAPSignatures
import MicroHTTP
import OpenSSLCrypto

/// `iap store`: the simulated App Store as a process of its own.
enum StoreCommand: Command {
  static let name = "store"
  static let summary = Words(
    "Runs a simulated App Store and answers over HTTP.",
    zh: "运行一个模拟 App Store，通过 HTTP 应答。"
  )

  /// The longest catalog that is read, in bytes.
  static let catalogBytesMax = 16 * 1024 * 1024
  /// The address when none is given: this machine only, a port of the system's choice.
  static let listenDefault = (host: "127.0.0.1", port: UInt16(0))

  static let options: [CommandOption] = [
    .value(
      "catalog",
      "FILE",
      Words(
        "The .storekit file of what is sold; the demonstration's catalog when it is left out.",
        zh: "商品的 .storekit 文件；省略时使用演示目录。"
      )
    ),
    .value(
      "listen",
      "HOST:PORT",
      Words(
        "Where to listen; 127.0.0.1 and a free port when it is left out.",
        zh: "监听地址；省略时为 127.0.0.1 的空闲端口。"
      )
    ),
    .flag(
      "insecure-no-keys",
      Words(
        "Allows to listen beyond this machine, where everybody may do everything.",
        zh: "允许监听本机以外的地址；届时任何人都可执行任何操作。"
      )
    ),
    .value("bundle", "ID", Words("The app that sells it.", zh: "销售商品的应用。")),
    .value("app-id", "N", Words("The app's number.", zh: "应用的编号。")),
    .value(
      "environment",
      "NAME",
      Words(
        "What signed data says: sandbox (as when it is left out) or production.",
        zh: "签名数据中的环境：sandbox（默认）或 production。"
      )
    ),
    .value(
      "seed",
      "N",
      Words(
        "What all keys, identifiers and chance come from; 1 when it is left out.",
        zh: "所有密钥、编号与随机数的来源；默认 1。"
      )
    ),
    .value(
      "rate",
      "R",
      Words(
        "How many seconds of the store pass in a real one; 1 when it is left out.",
        zh: "现实一秒对应商店的秒数；默认 1。"
      )
    ),
    .value(
      "start",
      "DATE",
      Words("Where the store's clock starts; now when it is left out.", zh: "商店时钟的起点；默认现在。")
    ),
    .value(
      "notify",
      "URL",
      Words("Where the app's server takes notifications.", zh: "应用服务器接收通知的地址。")
    ),
    .flag(
      "production-retries",
      Words(
        "Sends failed notifications again after 1, 12, 24, 48 and 72 hours, in the sandbox too.",
        zh: "沙盒环境也按 1、12、24、48、72 小时重发失败的通知。"
      )
    ),
  ]

  static let details = Words(
    """
    The first line is 'listening http://HOST:PORT'; then it serves until Ctrl-C.

    It speaks JSON; dates are UNIX milliseconds. A short tour with curl, U being the address:
      curl $U/control/roots/jws.pem        the root that signed data leads to; receipt.pem as well
      curl -d '{"account":"mia"}' $U/control/accounts
      curl -d '{"device":"phone","account":"mia"}' $U/control/devices
      curl -d '{"device":"phone","productId":"com.example.demo.coins"}' $U/control/purchases
      curl -d '{"seconds":2678400}' $U/control/clock/advance
      curl -X POST $U/control/transactions/ID/refund
    All of /control: apps, accounts, devices, purchases, pending/ID/approve|decline, transactions,
    subscriptions/ID/auto-renew, clock, clock/advance, clock/rate, faults, notifications,
    notifications/url|test|drain, history, roots, devices/ID/receipt|restore|refresh-receipt|
    unfinished|app-transaction. PUT sets clock/rate, faults, notifications/url and
    subscriptions/ID/auto-renew.

    Of Apple's server interface: GET /inApps/v1/transactions/ID, /inApps/v2/history/ID,
    /inApps/v1/subscriptions/ID, POST /inApps/v1/notifications/test and its status. A request needs
    a bearer token; that there is one is all that is looked at.
    """,
    zh: """
      第一行输出“listening http://HOST:PORT”，随后一直运行，直到按 Ctrl-C。

      使用 JSON，日期为 UNIX 毫秒。用 curl 试用（U 为上述地址）：
        curl $U/control/roots/jws.pem        签名数据的根证书；另有 receipt.pem
        curl -d '{"account":"mia"}' $U/control/accounts
        curl -d '{"device":"phone","account":"mia"}' $U/control/devices
        curl -d '{"device":"phone","productId":"com.example.demo.coins"}' $U/control/purchases
        curl -d '{"seconds":2678400}' $U/control/clock/advance
        curl -X POST $U/control/transactions/ID/refund

      苹果服务器接口的部分实现：GET /inApps/v1/transactions/ID、/inApps/v2/history/ID、
      /inApps/v1/subscriptions/ID、POST /inApps/v1/notifications/test 及其状态。
      请求须带 bearer 令牌；目前只检查是否存在。
      """
  )

  static func run(
    _ arguments: CommandArguments,
    console: Console
  ) async throws(CommandError) -> ExitStatus {
    let setup = try await StoreSetup(arguments, console)
    let store = try setup.open()
    let client = HTTPClient()
    store.setNotificationTransport { url, body in await NotificationPost.send(body, to: url, client)
    }
    let pace = LiveStorePace(clock: store.clock, rate: setup.rate)
    let face = StoreHTTPFace(store: store, pace: pace.face)
    let server: HTTPServer
    do throws(HTTPServerError) {
      server = try HTTPServer.start(
        host: setup.host,
        port: Int(setup.port),
        limits: setup.limits,
        handler: face.handler
      )
    } catch {
      let place = "\(setup.host):\(setup.port)"
      throw CommandError(
        .failed,
        Words(
          "cannot listen on \(place): \(error.reason).",
          zh: "无法监听 \(place)：\(error.reason)。"
        )
      )
    }
    console.line(verbatim: "listening \(server.address.url)")
    let ticking = Task { await pace.run() }
    await console.interruption()
    ticking.cancel()
    await server.stop()
    return .success
  }
}

/// What the call says about the store.
struct StoreSetup: Sendable {
  let configuration: StoreConfiguration
  let notificationURL: URL?
  let host: String
  let port: UInt16
  let rate: Double

  /// Catalogs arrive in bodies too.
  var limits: HTTPLimits {
    var limits = HTTPLimits.standard
    limits.bodyBytesMax = StoreCommand.catalogBytesMax
    return limits
  }

  init(_ arguments: CommandArguments, _ console: Console) async throws(CommandError) {
    let listen = try arguments.listenAddress("listen") ?? StoreCommand.listenDefault
    host = listen.host.trimmingCharacters(in: ["[", "]"])
    port = listen.port
    guard arguments.flag("insecure-no-keys") || ServeSettingsReader.isLoopback(host) else {
      throw .usage(
        Words(
          "Whoever reaches \(host) could do everything with this store; "
            + "say --insecure-no-keys if you mean it.",
          zh: "能访问 \(host) 的任何人都可操控此商店；确需如此请加 --insecure-no-keys。"
        )
      )
    }
    rate = try arguments.number("rate") ?? 1
    guard (0...ClockPace.rateMax).contains(rate) else {
      throw .usage(
        Words(
          "--rate is from 0 to \(Int(ClockPace.rateMax)).",
          zh: "--rate 的范围为 0 至 \(Int(ClockPace.rateMax))。"
        )
      )
    }
    notificationURL = try arguments.url("notify")
    let environment = try Self.environment(arguments)
    var options = StoreOptions(environment: environment)
    options.sendsNotificationsAtOnce = true
    if arguments.flag("production-retries") { options.retryTimetable = .production }
    let number = try arguments.integer("app-id", in: 1...Int64.max)
    configuration = StoreConfiguration(
      catalog: try await Self.catalog(arguments, console),
      bundleID: arguments.value("bundle").map { BundleID($0) } ?? DemoCatalog.bundleID,
      appAppleID: number.map { AppAppleID($0) } ?? DemoCatalog.appAppleID,
      environment: environment,
      seed: UInt64(try arguments.integer("seed") ?? 1),
      start: try arguments.date("start") ?? console.now(),
      options: options
    )
  }

  /// Makes the store, its keys included.
  func open() throws(CommandError) -> SimulatedAppStore {
    do {
      let store = try SimulatedAppStore(
        configuration: configuration,
        signing: try OpenSSLPrimitives()
      )
      try store.setNotificationURL(notificationURL)
      return store
    } catch {
      throw CommandError(.failed, Words("The store cannot be opened: \(error)."))
    }
  }

  private static func catalog(
    _ arguments: CommandArguments,
    _ console: Console
  ) async throws(CommandError) -> StoreCatalog {
    var bytes = Array(DemoCatalog.text.utf8)
    let path = arguments.value("catalog")
    if let path {
      bytes = try await console.contents(of: path, sizeBytesMax: StoreCommand.catalogBytesMax)
    }
    do throws(SimulatorError) {
      return try StoreCatalog(parsing: bytes, file: path ?? "Demo.storekit")
    } catch {
      throw CommandError(.file, Words("\(error.reason)."))
    }
  }

  private static func environment(
    _ arguments: CommandArguments
  ) throws(CommandError) -> StoreEnvironment {
    try arguments.parsed("environment", "sandbox or production", zh: "sandbox 或 production") {
      switch $0.lowercased() {
      case "sandbox": .sandbox
      case "production": .production
      default: nil
      }
    } ?? .sandbox
  }
}

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
        "What signed data says: sandbox (as when it is left out), production or xcode.",
        zh: "签名数据中的环境：sandbox（默认）、production 或 xcode。"
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
    .value(
      "notify-version",
      "N",
      Words(
        "The version of the notifications: 2 (as when it is left out) or 1.",
        zh: "通知的版本：2（默认）或 1。"
      )
    ),
    .value(
      "api-key",
      "FILE",
      Words(
        "A key of yours whose tokens are accepted: Apple's .p8 file, or the public key in PEM.",
        zh: "接受其令牌的密钥：苹果的 .p8 文件或 PEM 公钥。"
      )
    ),
    .value(
      "api-key-id",
      "ID",
      Words("What your tokens call the key; belongs to --api-key.", zh: "密钥 ID；与 --api-key 同用。")
    ),
    .value(
      "issuer",
      "ID",
      Words("Who your tokens say you are; belongs to --api-key.", zh: "签发者 ID；与 --api-key 同用。")
    ),
    .flag(
      "rate-limits",
      Words(
        "Counts requests to the server interface by the hour, as Apple does.",
        zh: "与苹果一样按小时限制服务器接口的请求数。"
      )
    ),
    .flag(
      "sandbox-orders",
      Words(
        "Lets orders of the sandbox be looked up, which Apple does not.",
        zh: "允许查询沙盒订单（苹果不支持）。"
      )
    ),
    .flag(
      "ocsp",
      Words(
        "Names the store in its certificates as who knows whether they were revoked; needs a port.",
        zh: "在证书中写明由本商店答复吊销状态；需指定端口。"
      )
    ),
    .flag(
      "production-retries",
      Words(
        "Sends failed notifications again after 1, 12, 24, 48 and 72 hours, in the sandbox too.",
        zh: "沙盒环境也按 1、12、24、48、72 小时重发失败的通知。"
      )
    ),
    .flag("json", Words("Print the first line as a JSON object.", zh: "首行以 JSON 输出。")),
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
    Under /control are apps, accounts, devices, families, purchases, pending, transactions,
    subscriptions, offer-codes, products, grace-period, clock, faults, notifications, history and
    roots;
    and for developers api-key, keys, offer-keys, shared-secret, rate-limits, refused-tokens,
    server-api/fault, verify-receipt/fault, consumption, extensions, offer-signatures.

    Apple's server interface is whole: everything under /inApps, and /verifyReceipt. A request needs
    a token; the store made a key for you, which /control/api-key gives you, and --api-key or
    /control/keys make it know yours. /production and /sandbox before a path stand for Apple's two
    addresses. docs/simulator-http.md describes every call.
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

      苹果服务器接口完整：/inApps 下的全部路径与 /verifyReceipt。请求须带令牌：
      商店已生成一对密钥，见 /control/api-key；--api-key 或 /control/keys 可登记你自己的密钥。
      路径前加 /production 或 /sandbox 表示苹果的两个地址。详见 docs/simulator-http.md。
      """
  )

  static func run(
    _ arguments: CommandArguments,
    console: Console
  ) async throws(CommandError) -> ExitStatus {
    let setup = try await StoreSetup(arguments, console)
    let store = try setup.open()
    let client = HTTPClient()
    store.setNotificationSender { url, body in await NotificationPost.send(body, to: url, client) }
    let pace = LiveStorePace(clock: store.clock, rate: setup.rate)
    let face = StoreHTTPFace(
      store: store,
      pace: pace.face,
      limits: RateLimits(areOn: arguments.flag("rate-limits")),
      wallClock: console.now
    )
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
    let interruption = await console.interruption()
    if arguments.flag("json") {
      console.json(["listening": .string(server.address.url)])
    } else {
      console.line(verbatim: "listening \(server.address.url)")
    }
    let ticking = Task { await pace.run() }
    await interruption.wait()
    ticking.cancel()
    await server.stop()
    return .success
  }
}

/// What the call says about the store.
struct StoreSetup: Sendable {
  let configuration: StoreConfiguration
  let notificationURL: URL?
  let notificationVersion: NotificationVersion
  let key: DeveloperKeyFile?
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
    let version = try arguments.integer("notify-version", in: 1...2) ?? 2
    notificationVersion = NotificationVersion(rawValue: Int(version)) ?? .version2
    key = try await DeveloperKeyFile(arguments, console)
    let environment = try Self.environment(arguments)
    var options = StoreOptions(environment: environment)
    options.sendsNotificationsAtOnce = true
    options.sandboxLooksUpOrders = arguments.flag("sandbox-orders")
    if arguments.flag("production-retries") { options.retryTimetable = .production }
    let number = try arguments.integer("app-id", in: 1...Int64.max)
    var configuration = StoreConfiguration(
      catalog: try await Self.catalog(arguments, console),
      bundleID: try Self.bundleID(arguments) ?? DemoCatalog.bundleID,
      appAppleID: number.map { AppAppleID($0) } ?? DemoCatalog.appAppleID,
      environment: environment,
      seed: UInt64(try arguments.integer("seed") ?? 1),
      start: try Self.start(arguments) ?? console.now(),
      options: options
    )
    if arguments.flag("ocsp") {
      guard port != 0 else {
        throw .usage(
          Words(
            "--ocsp puts the address into certificates: give a port with --listen.",
            zh: "--ocsp 会把地址写入证书：请用 --listen 指定端口。"
          )
        )
      }
      configuration.responder = "http://\(listen.host):\(port)/ocsp"
    }
    self.configuration = configuration
  }

  /// The latest start, in seconds since 1970: certificates need years of four digits beyond it.
  static let startMax: TimeInterval = 250_246_627_200

  private static func start(_ arguments: CommandArguments) throws(CommandError) -> Date? {
    guard let start = try arguments.date("start") else { return nil }
    guard (0...startMax).contains(start.timeIntervalSince1970) else {
      throw .usage(
        Words("--start is from 1970 to 9899.", zh: "--start 的范围为 1970 年至 9899 年。")
      )
    }
    return start
  }

  private static func bundleID(_ arguments: CommandArguments) throws(CommandError) -> BundleID? {
    try arguments.parsed("bundle", "an identifier such as com.example.app") { text in
      let isPlain = text.utf8.allSatisfy { byte in
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte)
          || (0x61...0x7A).contains(byte) || byte == 0x2D || byte == 0x2E
      }
      return isPlain && !text.isEmpty ? BundleID(text) : nil
    }
  }

  /// Makes the store, its keys included.
  func open() throws(CommandError) -> SimulatedAppStore {
    do {
      let store = try SimulatedAppStore(
        configuration: configuration,
        signing: try OpenSSLPrimitives()
      )
      try store.setNotificationURL(notificationURL)
      try store.setNotificationVersion(notificationVersion)
      if let key { try store.addDeveloperKey(key.id, issuer: key.issuer, pem: key.pem) }
      return store
    } catch let error as SimulatorError where key != nil && error.code == .badRequest {
      throw CommandError(
        .file,
        Words("--api-key: \(error.reason).", zh: "--api-key：文件中没有可用的密钥（\(error.reason)）。")
      )
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
    try arguments.parsed(
      "environment",
      "sandbox, production or xcode",
      zh: " sandbox、production 或 xcode"
    ) {
      switch $0.lowercased() {
      case "sandbox": .sandbox
      case "production": .production
      case "xcode": .xcode
      default: nil
      }
    } ?? .sandbox
  }
}

/// A key of the developer that the call names.
struct DeveloperKeyFile: Sendable {
  let id: DeveloperKeyID
  let issuer: IssuerID
  let pem: [UInt8]

  /// The longest file that is read, in bytes.
  static let sizeBytesMax = 16 * 1024

  /// Reads the file; nil when the call names none.
  init?(_ arguments: CommandArguments, _ console: Console) async throws(CommandError) {
    let words = ["api-key", "api-key-id", "issuer"].compactMap { arguments.value($0) }
    guard !words.isEmpty else { return nil }
    guard words.count == 3 else {
      throw .usage(
        Words(
          "--api-key, --api-key-id and --issuer belong together.",
          zh: "--api-key、--api-key-id 与 --issuer 须一起使用。"
        )
      )
    }
    id = DeveloperKeyID(words[1])
    issuer = IssuerID(words[2])
    pem = try await console.contents(of: words[0], sizeBytesMax: Self.sizeBytesMax)
  }
}

import AppStoreServerAPI
import EntitlementServer
import Foundation
import IAPEntitlements
import IAPModel
import IAPSignatures

/// What a server is composed from.
struct ServeSettings: Sendable {
  /// Where the present instant comes from.
  enum Clock: Sendable {
    /// This machine's clock.
    case wall
    /// A simulated store's, asked over HTTP.
    case followed(url: String)
    /// Any other; for a server in the process of its store.
    case given(any ServerClock)
  }

  var host = "127.0.0.1"
  var port = 8080
  /// Where the ledger is.
  var database = LedgerPlace("iap.sqlite")
  var apps: [ServerApp] = []
  /// The DER of the roots that a simulated server trusts.
  var roots: [[UInt8]] = []
  var isSimulated = false
  /// Whether who calls has to show a key.
  var requiresKeys = true
  /// The keys with which offers are signed, by app.
  var offerKeys: [BundleID: OfferKeyFile] = [:]
  /// How the App Store is reached, by app.
  var appleAccess: [BundleID: AppleAccessFiles] = [:]
  /// Where a simulated store stands in Apple's place; nil for Apple's own addresses.
  var appleAddress: String?
  /// Whether the authorities are asked whether their certificates were revoked.
  var asksAboutRevocation = false
  /// How many seconds lie between two comparisons with the App Store; nil for none by themselves.
  var reconcileEvery: TimeInterval? = 86_400
  /// Whether the log is JSON, a line an event.
  var logsJSON = false
  var clock = Clock.wall
  var limits = ServerLimits.standard
  /// Whether webhooks may be sent to this machine, as they may be with simulated stores.
  var allowsLoopbackWebhooks = false

  /// The file of a key that signs offers, and what App Store Connect calls it.
  struct OfferKeyFile: Sendable {
    var keyID: AppStoreKeyID
    var issuer: AppStoreIssuerID
    var pem: [UInt8]
  }

  /// Starts from what is usual.
  init() {}

  /// Reads a call's options and its configuration file; a mistake never hides another.
  ///
  /// - Throws: ``CommandError`` with code `usage` and every mistake.
  init(_ arguments: CommandArguments, _ console: Console) async throws(CommandError) {
    var reader = ServeSettingsReader()
    if let path = arguments.value("config") { await reader.readConfiguration(path, console) }
    reader.readOptions(arguments)
    await reader.readDatabase(arguments, console)
    await reader.readRoots(console)
    await reader.readOfferKeys(console)
    await reader.readAppleFiles(console)
    self = try reader.finished()
  }
}

/// Gathers settings and mistakes.
struct ServeSettingsReader {
  var settings = ServeSettings()
  var mistakes: [Words] = []
  var rootPaths: [String] = []
  /// The file that holds the database's address, as the configuration names it.
  var databasePath: String?
  var appleFiles: [AppleFile] = []
  var offerKeyPaths: [BundleID: (key: ServeSettings.OfferKeyFile, path: String)] = [:]

  mutating func mistake(_ english: String, zh chinese: String) {
    mistakes.append(Words(english, zh: chinese))
  }

  mutating func readOptions(_ arguments: CommandArguments) {
    if let text = arguments.value("listen") { setAddress(text, name: "--listen") }
    if arguments.flag("simulated") { settings.isSimulated = true }
    if arguments.flag("ocsp") { settings.asksAboutRevocation = true }
    if arguments.flag("insecure-no-keys") { settings.requiresKeys = false }
    if arguments.flag("json-log") { settings.logsJSON = true }
    if let url = arguments.value("clock") { setClock(url, name: "--clock") }
    if let url = arguments.value("apple") { setAppleAddress(url, name: "--apple") }
    rootPaths += arguments.values("root")
    let environments = readEnvironments(arguments.values("environment"), name: "--environment")
    for text in arguments.values("app") { addApp(text, environments) }
    if arguments.values("app").isEmpty, !arguments.values("environment").isEmpty {
      mistake(
        "--environment goes with --app; the configuration names environments for each app.",
        zh: "--environment 需与 --app 同用；配置文件中应为每个 App 指定环境。"
      )
    }
  }

  mutating func setAddress(_ text: String, name: String) {
    guard let colon = text.lastIndex(of: ":"), colon > text.startIndex,
      let port = UInt16(text[text.index(after: colon)...])
    else {
      mistake(
        "\(name) needs HOST:PORT such as 127.0.0.1:8080, not '\(text)'.",
        zh: "\(name) 需要 HOST:PORT（如 127.0.0.1:8080），而不是“\(text)”。"
      )
      return
    }
    // An IPv6 address stands in brackets.
    settings.host = text[..<colon].trimmingCharacters(in: CharacterSet(charactersIn: "[]"))
    settings.port = Int(port)
  }

  mutating func setClock(_ text: String, name: String) {
    guard let url = URL(string: text), ["http", "https"].contains(url.scheme ?? ""),
      url.host != nil
    else {
      mistake(
        "\(name) needs the address of a simulated store, not '\(text)'.",
        zh: "\(name) 需要模拟商店的地址，而不是“\(text)”。"
      )
      return
    }
    settings.clock = .followed(url: text)
  }

  mutating func readEnvironments(_ names: [String], name: String) -> Set<StoreEnvironment> {
    var result: Set<StoreEnvironment> = []
    for text in names {
      let environment = StoreEnvironment(rawValue: text)
      if [.production, .sandbox].contains(environment) {
        result.insert(environment)
      } else {
        mistake(
          "\(name) is Production or Sandbox, not '\(text)'.",
          zh: "\(name) 只能是 Production 或 Sandbox，而不是“\(text)”。"
        )
      }
    }
    return result.isEmpty ? [.production, .sandbox] : result
  }

  private mutating func addApp(_ text: String, _ environments: Set<StoreEnvironment>) {
    let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[0].isEmpty, let number = Int64(parts[1]), number > 0 else {
      mistake(
        "--app needs BUNDLE=APPID such as com.example.app=1234567890, not '\(text)'.",
        zh: "--app 需要 BUNDLE=APPID（如 com.example.app=1234567890），而不是“\(text)”。"
      )
      return
    }
    add(
      ServerApp(
        bundleID: BundleID(String(parts[0])),
        appAppleID: AppAppleID(number),
        environments: environments
      )
    )
  }

  /// Adds an app; one of the same name takes the number and environments of the later one.
  mutating func add(_ app: ServerApp) {
    guard let index = settings.apps.firstIndex(where: { $0.bundleID == app.bundleID }) else {
      settings.apps.append(app)
      return
    }
    settings.apps[index].appAppleID = app.appAppleID
    settings.apps[index].environments = app.environments
  }

  mutating func readOfferKeys(_ console: Console) async {
    for (app, file) in offerKeyPaths.sorted(by: { $0.key < $1.key }) {
      guard let bytes = await console.file(file.path, Self.rootSizeBytesMax) else {
        mistake(
          "offerKey of \(app): '\(file.path)' cannot be read.",
          zh: "\(app) 的 offerKey：无法读取“\(file.path)”。"
        )
        continue
      }
      var key = file.key
      key.pem = bytes
      settings.offerKeys[app] = key
    }
  }

  mutating func readRoots(_ console: Console) async {
    for path in rootPaths {
      guard let bytes = await console.file(path, Self.rootSizeBytesMax) else {
        mistake("--root: '\(path)' cannot be read.", zh: "--root：无法读取“\(path)”。")
        continue
      }
      // DER begins with a sequence; everything else is looked at as PEM.
      let blocks = PEM.blocks(bytes)?.filter { $0.label == "CERTIFICATE" } ?? []
      let certificates = bytes.first == 0x30 ? [bytes] : blocks.map(\.der)
      guard !certificates.isEmpty, (try? TrustAnchors.simulated(certificates)) != nil else {
        mistake(
          "--root: '\(path)' is no certificate in DER or PEM.",
          zh: "--root：“\(path)”不是 DER 或 PEM 格式的证书。"
        )
        continue
      }
      settings.roots += certificates
    }
  }

  /// The settings, when there is no mistake in them.
  func finished() throws(CommandError) -> ServeSettings {
    var reader = self
    reader.checkWhole()
    guard reader.mistakes.isEmpty else {
      let english = reader.mistakes.map { $0(.english) }.joined(separator: "\n  ")
      let chinese = reader.mistakes.map { $0(.simplifiedChinese) }.joined(separator: "\n  ")
      throw .usage(Words(english, zh: chinese))
    }
    return settings
  }

  private mutating func checkWhole() {
    if settings.apps.isEmpty {
      mistake(
        "at least one app is needed: --app BUNDLE=APPID.",
        zh: "至少需要一个 App：--app BUNDLE=APPID。"
      )
    }
    if !rootPaths.isEmpty, !settings.isSimulated {
      mistake(
        "--root is only for simulated stores: give --simulated as well.",
        zh: "--root 仅用于模拟商店：请同时给出 --simulated。"
      )
    }
    if settings.isSimulated, rootPaths.isEmpty {
      mistake(
        "--simulated needs the store's certificates: --root FILE.",
        zh: "--simulated 需要商店的证书：--root FILE。"
      )
    }
    if case .followed = settings.clock, !settings.isSimulated {
      mistake(
        "--clock is only for simulated stores: give --simulated as well.",
        zh: "--clock 仅用于模拟商店：请同时给出 --simulated。"
      )
    }
    checkApple()
    if !settings.requiresKeys, !Self.isLoopback(settings.host) {
      mistake(
        "--insecure-no-keys is for this machine only: listen on 127.0.0.1, or make keys with "
          + "'iap keys create'.",
        zh: "--insecure-no-keys 仅限本机：请监听 127.0.0.1，或用“iap keys create”创建密钥。"
      )
    }
  }

  static func isLoopback(_ host: String) -> Bool {
    if host == "localhost" || host == "::1" { return true }
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
  }

  /// The longest certificate file.
  private static let rootSizeBytesMax = 64 * 1024
}

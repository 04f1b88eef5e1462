import AppStoreServerAPI
import EntitlementServer
import Foundation
import IAPEntitlements
import IAPModel
import ServerStorage

/// Turns what was gathered into settings: reads the files that are named, and sees whether
/// everything goes together.
struct ServeSettingsReader {
  /// The environment variable that names the database.
  static let databaseVariable = "IAP_DATABASE"

  /// What file, environment and options say.
  let gathered: GatheredSettings
  var settings = ServeSettings()
  var mistakes: [SettingMistake]

  /// Reads a call, its environment and its configuration file.
  ///
  /// - Parameters:
  ///   - arguments: The call.
  ///   - console: The environment and the files.
  init(_ arguments: CommandArguments, _ console: Console) async {
    gathered = await GatheredSettings(arguments, console)
    mistakes = gathered.mistakes
    readServer()
    readLimits()
    readWebhooks()
    readRetention()
    readDoctor()
    for app in gathered.apps { readApp(app) }
    await readFiles(console)
    checkWhole()
  }

  /// The settings, when there is no mistake in them.
  func finished() throws(CommandError) -> ServeSettings {
    guard mistakes.isEmpty else {
      let english = mistakes.map { $0.words(.english) }.joined(separator: "\n  ")
      let chinese = mistakes.map { $0.words(.simplifiedChinese) }.joined(separator: "\n  ")
      throw .usage(Words(english, zh: chinese))
    }
    return settings
  }

  /// A file's path, meant from a folder unless it is absolute.
  static func path(_ text: String, in folder: URL) -> String {
    text.hasPrefix("/") ? text : folder.appendingPathComponent(text).path
  }

  /// Whether only this machine reaches a host.
  static func isLoopback(_ host: String) -> Bool { ListenAddress.isLoopback(host) }

  // MARK: Values

  func text(_ path: String) -> String? { gathered.values[path]?.value.stringValue }
  private func flag(_ path: String) -> Bool? { gathered.values[path]?.value.boolValue }
  private func number(_ path: String) -> Int? {
    gathered.values[path]?.value.integerValue.flatMap { Int(exactly: $0) }
  }

  private mutating func readServer() {
    if let address = text("listen").flatMap({ ListenAddress($0) }) {
      settings.host = address.host
      settings.port = address.port
    }
    settings.publicURL = text("publicURL").map { Self.withoutSlash($0) }
    if let place = gathered.values["database"], let text = place.value.stringValue {
      if case .file = place.source {
        settings.database = LedgerPlace(text, folder: gathered.folder)
      } else {
        settings.database = LedgerPlace(text)
      }
    }
    if let value = flag("insecureNoKeys") { settings.requiresKeys = !value }
    if let value = flag("ocsp") { settings.asksAboutRevocation = value }
    if let value = flag("simulated") { settings.isSimulated = value }
    if let value = flag("jsonLog") { settings.logsJSON = value }
    if let value = flag("verbose") { settings.logsRequests = value }
    if let value = number("slowQueryMilliseconds") { settings.slowQueryMilliseconds = value }
    if let hours = number("reconcileEveryHours") {
      settings.reconcileEvery = hours == 0 ? nil : TimeInterval(hours) * 3600
    }
    if let url = text("clock") { settings.clock = .followed(url: url) }
    settings.appleAddress = text("apple").map { Self.withoutSlash($0) }
  }

  private static func withoutSlash(_ text: String) -> String {
    text.hasSuffix("/") ? String(text.dropLast()) : text
  }

  private mutating func readLimits() {
    if let value = number("limits.claimLeaseSeconds") { settings.limits.claimLeaseSeconds = value }
    if let value = number("limits.requestsPerMinuteMax") {
      settings.limits.requestsPerMinuteMax = value
    }
    if let value = number("limits.receiptsPerMinuteMax") {
      settings.limits.receiptsPerMinuteMax = value
    }
    if let value = number("limits.connectionsPerAddressMax") {
      settings.limits.connectionsPerAddressMax = value
    }
  }

  private mutating func readRetention() {
    if let days = number("retention.outboxDays") { settings.limits.logs.outboxDays = days }
    if let days = number("retention.auditDays") { settings.limits.logs.auditDays = days }
  }

  private mutating func readWebhooks() {
    if let value = flag("webhooks.allowLoopback") { settings.allowsLoopbackWebhooks = value }
    if let count = number("webhooks.attemptsMax") { settings.limits.webhooks.attemptsMax = count }
    if let seconds = number("webhooks.timeoutSeconds") {
      settings.limits.webhooks.timeout = .seconds(seconds)
    }
    if let days = number("webhooks.keepDays") {
      settings.limits.webhooks.memorySeconds = TimeInterval(days) * 86_400
    }
    if let waits = gathered.values["webhooks.retrySeconds"]?.value.arrayValue {
      settings.limits.webhooks.retrySeconds = waits.compactMap(\.integerValue).map {
        TimeInterval($0)
      }
    }
  }

  private mutating func readDoctor() {
    settings.doctor.backupFolder = text("doctor.backupFolder")
    settings.doctor.storekitFile = text("doctor.storekitFile")
    if let hours = number("doctor.backupHoursMax") { settings.doctor.backupHoursMax = hours }
    if let size = number("doctor.freeMegabytesMin") { settings.doctor.freeMegabytesMin = size }
  }

  // MARK: Apps

  private mutating func readApp(_ said: GatheredSettings.App) {
    guard let bundle = said.object["bundle"]?.stringValue else { return }
    var app = ServerApp(bundleID: BundleID(bundle), appAppleID: nil)
    let names = said.object["environments"]?.arrayValue?.compactMap(\.stringValue) ?? []
    if !names.isEmpty { app.environments = Set(names.map { StoreEnvironment(rawValue: $0) }) }
    app.appAppleID = said.object["appAppleId"]?.integerValue.map { AppAppleID($0) }
    if let policy = said.object["transfers"]?.stringValue.flatMap({ TransferPolicy(rawValue: $0) })
    {
      app.transfers = policy
    }
    if let trust = said.object["accounts"]?.stringValue.flatMap({ AccountTrust(rawValue: $0) }) {
      app.accounts = trust
    }
    if let value = said.object["onlyHighestLevelCounts"]?.boolValue {
      app.catalog.onlyHighestLevelCounts = value
    }
    for product in said.object["products"]?.objectValue?.members ?? [] {
      app.catalog.rules[ProductID(product.name)] = Self.rule(product)
    }
    readAccess(said.object, of: app.bundleID)
    if app.appAppleID == nil, app.environments.contains(.production),
      !mistakes.contains(where: { $0.setting == said.place + ".appAppleId" })
    {
      mistakes.append(
        SettingMistake(
          said.source,
          said.place + ".appAppleId",
          found: nil,
          wanted: Words("the app's number at Apple", zh: "App 的 Apple ID")
        )
      )
    }
    guard !settings.apps.contains(where: { $0.bundleID == app.bundleID }) else {
      mistakes.append(
        SettingMistake(
          said.source,
          said.place + ".bundle",
          found: Words("\"\(bundle)\" a second time", zh: "重复的“\(bundle)”"),
          wanted: Words("each app once", zh: "每个 App 只出现一次")
        )
      )
      return
    }
    settings.apps.append(app)
  }

  private static func rule(_ product: JSONMember) -> EntitlementCatalog.Rule {
    var rule = EntitlementCatalog.Rule([EntitlementID(product.name)])
    let object = product.value.objectValue ?? [:]
    if let names = object["entitlements"]?.arrayValue?.compactMap(\.stringValue) {
      rule.entitlements = names.map { EntitlementID($0) }
    }
    if let level = object["level"]?.integerValue { rule.level = Int(level) }
    if let text = object["accessPeriod"]?.stringValue {
      rule.accessPeriod = SubscriptionPeriod(iso8601: text)
    }
    return rule
  }

  private mutating func readAccess(_ object: JSONObject, of app: BundleID) {
    if let value = object["verifyReceipt"]?.boolValue {
      settings.appleAccess[app, default: .init()].asksVerifyReceipt = value
    }
    guard let consumption = object["consumption"]?.objectValue,
      consumption["customersConsented"] == true,
      let sample = consumption["sampleProvided"]?.boolValue
    else { return }
    let wishes: [ConsumptionInformation.RefundPreference] = [.decline, .grantFull]
    let wish = consumption["refundPreference"]?.stringValue
    settings.appleAccess[app, default: .init()].consumption = ConsumptionConsent(
      wasSampleProvided: sample,
      preference: wishes.first { $0.rawValue == wish }
    )
  }
}

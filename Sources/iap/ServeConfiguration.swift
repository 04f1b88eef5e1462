import AppStoreServerAPI
import EntitlementServer
import Foundation
import IAPEntitlements
import IAPModel
import ServerStorage

// The configuration file of `iap serve`.
extension ServeSettingsReader {
  /// The longest configuration file.
  private static let configurationSizeBytesMax = 1024 * 1024

  mutating func readConfiguration(_ path: String, _ console: Console) async {
    guard let bytes = await console.file(path, Self.configurationSizeBytesMax) else {
      mistake("--config: '\(path)' cannot be read.", zh: "--config：无法读取“\(path)”。")
      return
    }
    do throws(PayloadError) {
      let limits = JSONLimits(sizeBytesMax: Self.configurationSizeBytesMax, depthMax: 8)
      let object = try JSONParser.parseObject(bytes, limits: limits)
      // Paths in the file are meant from where the file is.
      read(object, folder: URL(fileURLWithPath: path).deletingLastPathComponent())
    } catch {
      mistake(
        "--config: '\(path)' is no JSON object: \(error.reason).",
        zh: "--config：“\(path)”不是 JSON 对象：\(error.reason)。"
      )
    }
  }

  private mutating func read(_ object: JSONObject, folder: URL) {
    for member in object.members {
      switch member.name {
      case "listen": text(member) { reader, text in reader.setAddress(text, name: "listen") }
      case "database":
        text(member) { reader, text in
          reader.settings.database = LedgerPlace(text, folder: folder)
        }
      case "databaseFile":
        text(member) { reader, text in reader.databasePath = Self.path(text, in: folder) }
      case "clock": text(member) { reader, text in reader.setClock(text, name: "clock") }
      case "apple": text(member) { reader, text in reader.setAppleAddress(text, name: "apple") }
      case "simulated": bool(member) { reader, value in reader.settings.isSimulated = value }
      case "ocsp": bool(member) { reader, value in reader.settings.asksAboutRevocation = value }
      case "insecureNoKeys":
        bool(member) { reader, value in reader.settings.requiresKeys = !value }
      case "jsonLog": bool(member) { reader, value in reader.settings.logsJSON = value }
      case "reconcileEveryHours": readInterval(member)
      case "limits": readLimits(member)
      case "webhooks": readWebhooks(member)
      case "roots":
        list(member, of: "file names") { reader, value in
          guard let text = value.stringValue else { return false }
          reader.rootPaths.append(Self.path(text, in: folder))
          return true
        }
      case "apps":
        list(member, of: "apps") { reader, value in
          guard let app = value.objectValue else { return false }
          reader.readApp(app, folder: folder)
          return true
        }
      default: unknown(member.name, in: "")
      }
    }
  }

  static func path(_ text: String, in folder: URL) -> String {
    text.hasPrefix("/") ? text : folder.appendingPathComponent(text).path
  }

  private mutating func readApp(_ object: JSONObject, folder: URL) {
    guard let bundle = object["bundle"]?.stringValue, !bundle.isEmpty else {
      mistake("apps: an app needs \"bundle\".", zh: "apps：App 需要 \"bundle\"。")
      return
    }
    var app = ServerApp(bundleID: BundleID(bundle), appAppleID: nil)
    for member in object.members {
      switch member.name {
      case "bundle": break
      case "appAppleId":
        if let number = member.value.integerValue, number > 0 {
          app.appAppleID = AppAppleID(number)
        } else {
          wrong("appAppleId of \(bundle)", "the app's number at Apple", "App 的 Apple ID")
        }
      case "environments":
        let names = member.value.arrayValue?.compactMap(\.stringValue) ?? []
        if names.isEmpty || names.count != member.value.arrayValue?.count {
          wrong("environments of \(bundle)", "a list of names", "名称列表")
        } else {
          app.environments = readEnvironments(names, name: "environments of \(bundle)")
        }
      case "products":
        guard let products = member.value.objectValue else {
          wrong("products of \(bundle)", "an object", "对象")
          continue
        }
        for product in products.members {
          app.catalog.rules[ProductID(product.name)] = readRule(product)
        }
      case "onlyHighestLevelCounts":
        if let value = member.value.boolValue {
          app.catalog.onlyHighestLevelCounts = value
        } else {
          wrong("onlyHighestLevelCounts of \(bundle)", "true or false", "true 或 false")
        }
      case "transfers", "accounts", "offerKey":
        readPolicy(member, of: &app, folder: folder)
      case "appStoreKey", "sharedSecretFile", "verifyReceipt", "consumption":
        readApple(member, of: app.bundleID, folder: folder)
      default: unknown(member.name, in: " of \(bundle)")
      }
    }
    if app.appAppleID == nil, object["appAppleId"] == nil, app.environments.contains(.production) {
      wrong("appAppleId of \(bundle)", "the app's number at Apple", "App 的 Apple ID")
    }
    settings.apps.append(app)
    if settings.apps.count(where: { $0.bundleID == app.bundleID }) > 1 {
      settings.apps.removeLast()
      mistake("apps: \(bundle) stands twice.", zh: "apps：\(bundle) 出现了两次。")
    }
  }

  private mutating func readPolicy(_ member: JSONMember, of app: inout ServerApp, folder: URL) {
    let place = "\(member.name) of \(app.bundleID)"
    switch member.name {
    case "transfers":
      let allowed: [TransferPolicy] = [.keep, .transfer, .share]
      if let policy = allowed.first(where: { $0.rawValue == member.value.stringValue }) {
        app.transfers = policy
      } else {
        wrong(place, "keep, transfer or share", "keep、transfer 或 share")
      }
    case "accounts":
      if let trust = member.value.stringValue.flatMap({ AccountTrust(rawValue: $0) }) {
        app.accounts = trust
      } else {
        wrong(place, "claimed or proven", "claimed 或 proven")
      }
    default:
      guard let key = Self.keyFile(member.value) else {
        wrong(place, "an object of keyId, issuerId and file", "包含 keyId、issuerId 和 file 的对象")
        return
      }
      offerKeyPaths[app.bundleID] = (key.file, Self.path(key.path, in: folder))
    }
  }

  private mutating func readLimits(_ member: JSONMember) {
    guard let object = member.value.objectValue else {
      wrong("limits", "an object", "对象")
      return
    }
    for limit in object.members {
      let number = limit.value.integerValue.flatMap { Int(exactly: $0) }
      switch (limit.name, number) {
      case ("claimLeaseSeconds", let seconds?) where seconds > ServerLimits.claimLeaseSecondsMin:
        settings.limits.claimLeaseSeconds = seconds
      case ("claimLeaseSeconds", _):
        let hours = ServerLimits.claimLeaseSecondsMin / 3600
        wrong(
          "claimLeaseSeconds of limits",
          "more than \(ServerLimits.claimLeaseSecondsMin): clients ask again after \(hours) hours",
          "大于 \(ServerLimits.claimLeaseSecondsMin)：客户端会在 \(hours) 小时后再次询问"
        )
      case ("requestsPerMinuteMax", let count?) where count > 0:
        settings.limits.requestsPerMinuteMax = count
      case ("requestsPerMinuteMax", _):
        wrong("requestsPerMinuteMax of limits", "a whole number from 1", "从 1 起的整数")
      case ("receiptsPerMinuteMax", let count?) where count > 0:
        settings.limits.receiptsPerMinuteMax = count
      case ("receiptsPerMinuteMax", _):
        wrong("receiptsPerMinuteMax of limits", "a whole number from 1", "从 1 起的整数")
      case ("connectionsPerAddressMax", let count?) where count > 0:
        settings.limits.connectionsPerAddressMax = count
      case ("connectionsPerAddressMax", _):
        wrong("connectionsPerAddressMax of limits", "a whole number from 1", "从 1 起的整数")
      default: unknown(limit.name, in: " of limits")
      }
    }
  }

  private mutating func readRule(_ product: JSONMember) -> EntitlementCatalog.Rule {
    var rule = EntitlementCatalog.Rule([EntitlementID(product.name)])
    guard let object = product.value.objectValue else {
      wrong("products: \(product.name)", "an object", "对象")
      return rule
    }
    for member in object.members {
      let place = "\(member.name) of \(product.name)"
      switch member.name {
      case "entitlements":
        let names = member.value.arrayValue?.compactMap(\.stringValue)
        if let names, names.count == member.value.arrayValue?.count {
          rule.entitlements = names.map { EntitlementID($0) }
        } else {
          wrong(place, "a list of names", "名称列表")
        }
      case "level":
        if let level = member.value.integerValue, let value = Int(exactly: level), value > 0 {
          rule.level = value
        } else {
          wrong(place, "a whole number from 1, the highest", "从 1（最高）起的整数")
        }
      case "accessPeriod":
        if let period = member.value.stringValue.flatMap({ SubscriptionPeriod(iso8601: $0) }) {
          rule.accessPeriod = period
        } else {
          wrong(place, "a period such as P3M", "时长（如 P3M）")
        }
      default: unknown(member.name, in: " of \(product.name)")
      }
    }
    return rule
  }

  private mutating func text(
    _ member: JSONMember,
    _ use: (inout ServeSettingsReader, String) -> Void
  ) {
    if let text = member.value.stringValue, !text.isEmpty {
      use(&self, text)
    } else {
      wrong(member.name, "a text", "文本")
    }
  }

  private mutating func bool(
    _ member: JSONMember,
    _ use: (inout ServeSettingsReader, Bool) -> Void
  ) {
    if let value = member.value.boolValue {
      use(&self, value)
    } else {
      wrong(member.name, "true or false", "true 或 false")
    }
  }

  private mutating func list(
    _ member: JSONMember,
    of things: String,
    _ use: (inout ServeSettingsReader, JSONValue) -> Bool
  ) {
    guard let values = member.value.arrayValue else {
      wrong(member.name, "a list of \(things)", "列表")
      return
    }
    for value in values where !use(&self, value) {
      wrong(member.name, "a list of \(things)", "列表")
    }
  }

  mutating func wrong(_ place: String, _ wanted: String, _ chinese: String) {
    mistake("--config: \(place) has to be \(wanted).", zh: "--config：\(place) 应为\(chinese)。")
  }

  mutating func unknown(_ name: String, in place: String) {
    mistake(
      "--config: nothing is known of the member \"\(name)\"\(place).",
      zh: "--config：未知的成员 \"\(name)\"\(place)。"
    )
  }
}

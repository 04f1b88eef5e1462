import AppStoreServerAPI
import EntitlementServer
import Foundation
import HTTPClient
import HTTPValues
import IAPModel
import ServerStorage

// The check list before an app is released.
extension Doctor {
  /// How often the App Store is asked what became of a test notification, in seconds.
  private static let askSeconds: TimeInterval = 2
  /// The longest Info.plist, in bytes.
  private static let plistBytesMax = 1024 * 1024
  private static let timeout = Duration.seconds(15)

  mutating func examineRelease(_ clients: [BundleID: AppStoreServerClient]) async {
    examineReleaseSettings()
    await examineAPIKeys()
    for app in settings.apps {
      guard let client = clients[app.bundleID] else {
        add(
          .error,
          "release.test",
          app.bundleID.rawValue,
          Words("no TEST notification without an appStoreKey", zh: "没有 appStoreKey，无法发送 TEST 通知"),
          advice: Words("Set appStoreKey.", zh: "请设置 appStoreKey。")
        )
        continue
      }
      for environment in accepted[app.bundleID] ?? [] {
        await requestTest(client, app, environment)
      }
    }
    await examineInfoPlist()
    await examineLink(wishes.privacyURL, "release.privacy", Words("privacy policy", zh: "隐私政策"))
    await examineLink(wishes.termsURL, "release.terms", Words("terms of use", zh: "使用条款"))
    for item in ReleaseItem.all {
      add(.byHand, "release.\(item.code)", "", item.look, advice: item.place)
    }
  }

  private mutating func examineReleaseSettings() {
    if settings.isSimulated {
      add(
        .error,
        "release.simulated",
        "",
        Words("the server takes test certificates for Apple's", zh: "服务器将测试证书视为 Apple 证书"),
        advice: Words(
          "Take out simulated, roots, clock and apple.",
          zh: "请去掉 simulated、roots、clock 和 apple。"
        )
      )
    }
    for app in settings.apps where !app.environments.contains(.production) {
      add(
        .error,
        "release.production",
        app.bundleID.rawValue,
        Words("it takes no production data", zh: "不接受生产环境数据"),
        advice: Words("Add Production to environments.", zh: "请在 environments 中加入 Production。")
      )
    }
    for app in settings.apps where !app.environments.contains(.sandbox) {
      add(
        .error,
        "release.sandbox",
        app.bundleID.rawValue,
        Words("it takes no sandbox data", zh: "不接受沙盒数据"),
        advice: Words(
          "App Review and TestFlight buy in the sandbox: without it the review sees failing "
            + "purchases.",
          zh: "App 审核和 TestFlight 使用沙盒购买：否则审核员会看到购买失败。"
        )
      )
    }
  }

  private mutating func examineAPIKeys() async {
    guard let ledger else { return }
    for app in settings.apps {
      let documents = try? await ledger.read { reader throws(StorageError) in
        try reader.documents(
          .apiKey,
          app: nil,
          shelf: app.bundleID.rawValue,
          after: 0,
          limit: 1000
        )
      }
      let keys = (documents ?? []).compactMap { try? APIKeyRecord($0) }
        .filter { $0.revokedDate == nil }
      for (kind, why) in [
        (APIKeyRecord.Kind.public, Words("the app cannot call the server", zh: "App 无法调用服务器")),
        (.secret, Words("the backend cannot call the server", zh: "后端无法调用服务器")),
      ] where !keys.contains(where: { $0.kind == kind }) {
        add(
          settings.requiresKeys ? .error : .note,
          "release.keys",
          app.bundleID.rawValue,
          Words(
            "there is no \(kind.rawValue) key: \(why(.english))",
            zh: "没有 \(kind.rawValue) 密钥：\(why(.simplifiedChinese))"
          ),
          advice: Words(
            "iap keys create --app \(app.bundleID) --kind \(kind.rawValue)",
            zh: "iap keys create --app \(app.bundleID) --kind \(kind.rawValue)"
          )
        )
      }
    }
  }

  // MARK: The TEST notification

  private mutating func requestTest(
    _ client: AppStoreServerClient,
    _ app: ServerApp,
    _ environment: StoreEnvironment
  ) async {
    let subject = "\(app.bundleID), \(environment)"
    do throws(AppStoreServerError) {
      let token = try await client.answer(to: .testNotification, in: environment)
      let sent = try await waitForTest(client, token, environment)
      await judge(sent, app, environment, subject)
    } catch {
      guard error.apiCode == .serverNotificationURLNotFound else {
        add(
          .error,
          "release.test",
          subject,
          Words(
            "the TEST notification could not be requested (\(error))",
            zh: "无法请求 TEST 通知（\(error)）"
          ),
          advice: Words("Look at keys and hosts above.", zh: "请查看上方 keys 与 hosts。")
        )
        return
      }
      add(
        .error,
        "release.noURL",
        subject,
        Words("no notification URL is set in App Store Connect", zh: "App Store Connect 未设置通知网址"),
        advice: Words(
          "App Information, App Store Server Notifications, \(environment) URL: "
            + "https://YOUR-HOST/v1/notifications/apple, version 2.",
          zh: "请在“App 信息 > App Store 服务器通知”填写 \(environment) 网址："
            + "https://YOUR-HOST/v1/notifications/apple，版本 2。"
        )
      )
    }
  }

  /// Asks until there was an attempt, or the time is over.
  private func waitForTest(
    _ client: AppStoreServerClient,
    _ token: TestNotificationToken,
    _ environment: StoreEnvironment
  ) async throws(AppStoreServerError) -> SentNotification? {
    var latest: SentNotification?
    for _ in 0...Int(Double(wishes.waitSeconds) / Self.askSeconds) {
      // The App Store needs a moment for the attempt, and allows few questions.
      await world.pause(Self.askSeconds)
      do throws(AppStoreServerError) {
        latest = try await client.answer(to: .testNotification(token), in: environment)
        if latest?.attempts.isEmpty == false { return latest }
      } catch {
        guard error.apiCode == .testNotificationNotFound || error.code == .rateLimited else {
          throw error
        }
      }
    }
    return latest
  }

  private mutating func judge(
    _ sent: SentNotification?,
    _ app: ServerApp,
    _ environment: StoreEnvironment,
    _ subject: String
  ) async {
    guard let sent, let result = sent.attempts.max(by: { $0.date < $1.date })?.result else {
      add(
        .warning,
        "release.testPending",
        subject,
        Words(
          "the TEST notification was not tried within \(wishes.waitSeconds) s",
          zh: "\(wishes.waitSeconds) 秒内未尝试发送 TEST 通知"
        ),
        advice: Words("Give more time with --wait.", zh: "请用 --wait 延长等待。")
      )
      return
    }
    guard result == "SUCCESS" else {
      add(
        .error,
        "release.testFailed",
        subject,
        Words("the TEST notification did not arrive: \(result)", zh: "TEST 通知未送达：\(result)"),
        advice: Self.advice(result)
      )
      return
    }
    let uuid = Self.payload(sent.signedPayload)?["notificationUUID"]?.stringValue
    guard let uuid, await knows(uuid, app, environment) else {
      add(
        .error,
        "release.testElsewhere",
        subject,
        Words(
          "the TEST notification arrived, but not in this ledger",
          zh: "TEST 通知已送达，但不在此账本中"
        ),
        advice: Words(
          "The URL in App Store Connect leads to another server, or that one uses another "
            + "database.",
          zh: "App Store Connect 中的网址指向其他服务器，或该服务器使用其他数据库。"
        )
      )
      return
    }
    add(.good, "release.test", subject, Words("the TEST notification arrived", zh: "TEST 通知已送达"))
  }

  // MARK: The app

  private mutating func examineInfoPlist() async {
    guard let path = wishes.infoPlist else { return }
    guard let bytes = await console.file(path, Self.plistBytesMax),
      let plist = try? PropertyListSerialization.propertyList(from: Data(bytes), format: nil),
      let members = plist as? [String: Any]
    else {
      add(
        .error,
        "release.infoPlist",
        path,
        Words("it is no property list", zh: "不是属性列表"),
        advice: Words("Give the Info.plist of the built app.", zh: "请给出构建后 App 的 Info.plist。")
      )
      return
    }
    let bundle = members["CFBundleIdentifier"] as? String ?? ""
    let isNamed = settings.apps.contains { $0.bundleID.rawValue == bundle }
    if !isNamed, !bundle.contains("$(") {
      add(
        .error,
        "release.bundle",
        path,
        Words(
          "its bundle id is \"\(bundle)\"; the server knows no such app",
          zh: "Bundle ID 为“\(bundle)”；服务器没有该 App"
        ),
        advice: Words("Compare with apps[].bundle.", zh: "请与 apps[].bundle 核对。")
      )
    }
    let transport = members["NSAppTransportSecurity"] as? [String: Any]
    if transport?["NSAllowsArbitraryLoads"] as? Bool == true {
      add(
        .warning,
        "release.transport",
        path,
        Words("unencrypted connections are allowed everywhere", zh: "允许所有未加密连接"),
        advice: Words(
          "Take out NSAllowsArbitraryLoads: receipts and keys travel over these connections.",
          zh: "请去掉 NSAllowsArbitraryLoads：收据和密钥会经由这些连接传输。"
        )
      )
    }
    if members["ITSAppUsesNonExemptEncryption"] == nil {
      add(
        .note,
        "release.encryption",
        path,
        Words("it does not say whether it uses encryption", zh: "未声明是否使用加密"),
        advice: Words(
          "Set ITSAppUsesNonExemptEncryption, else each upload is asked about.",
          zh: "请设置 ITSAppUsesNonExemptEncryption，否则每次上传都会被询问。"
        )
      )
    }
  }

  private mutating func examineLink(_ address: String?, _ code: String, _ what: Words) async {
    guard let address else {
      add(
        .byHand,
        code,
        "",
        Words(
          "is there a link to the \(what(.english)) in the app and in App Store Connect?",
          zh: "App 内和 App Store Connect 中是否有\(what(.simplifiedChinese))链接？"
        ),
        advice: Words(
          "Have it looked at with --privacy-url and --terms-url.",
          zh: "可用 --privacy-url 和 --terms-url 检查。"
        )
      )
      return
    }
    var failure: String?
    do throws(HTTPClientError) {
      let request = HTTPOutgoingRequest(method: .get, url: address, timeout: Self.timeout)
      let status = try await world.send(request).status
      if !(200...399).contains(status) { failure = "\(status)" }
    } catch {
      failure = error.code.rawValue
    }
    if let failure {
      add(
        .error,
        code,
        address,
        Words("it does not open (\(failure))", zh: "无法打开（\(failure)）"),
        advice: Words(
          "App Review opens it: it has to be there for everybody.",
          zh: "审核员会打开它：必须人人可访问。"
        )
      )
    } else {
      add(.good, code, address, Words("it opens", zh: "可以打开"))
    }
  }
}

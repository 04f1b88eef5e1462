import AppStoreServerAPI
import EntitlementServer
import Foundation
import IAPModel

// Whether the App Store can be asked, and with which keys.
extension Doctor {
  /// How many letters and digits name a key.
  private static let keyIDLength = 10
  /// How many hexadecimal digits a shared secret has.
  private static let sharedSecretLength = 32

  mutating func examineKeys(_ clients: [BundleID: AppStoreServerClient]) async {
    for app in settings.apps {
      let subject = app.bundleID.rawValue
      examineNames(app)
      examineSharedSecret(app)
      guard let client = clients[app.bundleID] else {
        if settings.appleAccess[app.bundleID]?.key == nil { noKey(subject) }
        continue
      }
      var results: [(StoreEnvironment, KeyTestResult)] = []
      for environment in environments(of: app) {
        results.append((environment, await client.testKey(in: environment)))
      }
      accepted[app.bundleID] = results.filter { $0.1 == .accepted }.map(\.0)
      for (environment, result) in results {
        judge(result, subject, environment, acceptedElsewhere: accepted[app.bundleID] != [])
      }
    }
  }

  private mutating func noKey(_ subject: String) {
    add(
      .warning,
      "keys.missing",
      subject,
      Words(
        "there is no appStoreKey: bare ids, order numbers, comparison and answers about refunds do "
          + "not work",
        zh: "没有 appStoreKey：单独的 ID、订单号、对账和退款应答均不可用"
      ),
      advice: Words(
        "App Store Connect, Users and Access, Integrations, In-App Purchase: make a key and set "
          + "appStoreKey.",
        zh: "在 App Store Connect 的“用户和访问 > 集成 > App 内购买项目”中生成密钥，并设置 appStoreKey。"
      )
    )
  }

  private mutating func judge(
    _ result: KeyTestResult,
    _ app: String,
    _ environment: StoreEnvironment,
    acceptedElsewhere: Bool
  ) {
    let subject = "\(app), \(environment)"
    switch result {
    case .accepted:
      add(
        .good,
        "keys.accepted",
        subject,
        Words("the App Store takes the key", zh: "App Store 接受该密钥")
      )
    case .refused where environment == .production && acceptedElsewhere:
      add(
        .warning,
        "keys.notReleased",
        subject,
        Words(
          "production refuses the key that the sandbox takes",
          zh: "沙盒接受该密钥，但生产环境拒绝"
        ),
        advice: Words(
          "Apple answers so until the app was released for the first time. Released already? Then "
            + "the bundle id is another app's.",
          zh: "App 首次发布之前 Apple 会如此回答。若已发布，则 Bundle ID 可能属于其他 App。"
        )
      )
    case .refused:
      add(
        .error,
        "keys.refused",
        subject,
        Words("the App Store refuses the key", zh: "App Store 拒绝该密钥"),
        advice: Words(
          "Compare keyId, issuerId and bundle with App Store Connect (Users and Access, "
            + "Integrations, "
            + "In-App Purchase). It may have been revoked, be a key of the App Store Connect "
            + "API, or the clock may be wrong: see clock below.",
          zh: "请与 App Store Connect（用户和访问 > 集成 > App 内购买项目）核对 keyId、issuerId 和 bundle。"
            + "密钥可能已被撤销、属于 App Store Connect API，或本机时钟有误（见下方 clock）。"
        )
      )
    case .unknown(let code): judge(code, subject, environment)
    }
  }

  /// Judges that the App Store could not be asked.
  private mutating func judge(
    _ code: AppStoreServerError.Code,
    _ subject: String,
    _ environment: StoreEnvironment
  ) {
    let isNetwork = code == .unreachable
    add(
      .error,
      isNetwork ? "hosts.unreachable" : "hosts.strange",
      subject,
      Words(
        "the App Store could not be asked (\(reason(environment) ?? code.rawValue))",
        zh: "无法询问 App Store（\(reason(environment) ?? code.rawValue)）"
      ),
      advice: isNetwork
        ? Words(
          "Allow outgoing HTTPS to api.storekit.apple.com and api.storekit-sandbox.apple.com; "
            + "look at DNS, firewall and proxy.",
          zh:
            "请放行到 api.storekit.apple.com 和 api.storekit-sandbox.apple.com 的 HTTPS；检查 DNS、防火墙和代理。"
        )
        : Words(
          "Try again later; Apple's system status page tells of its own trouble.",
          zh: "请稍后重试；可查看 Apple 系统状态页面。"
        )
    )
  }

  /// Why an address did not answer.
  private func reason(_ environment: StoreEnvironment) -> String? {
    let hosts =
      settings.appleAddress.map { [$0] } ?? [
        environment == .production
          ? AppStoreServerHosts.apple.production : AppStoreServerHosts.apple.sandbox
      ]
    return hosts.lazy.compactMap { notes.all[DoctorNotes.host($0)]?.failure }.first
  }

  /// What names and files say about a mix-up before anybody is asked.
  private mutating func examineNames(_ app: ServerApp) {
    let keys = [
      ("appStoreKey", settings.appleAccess[app.bundleID]?.key),
      ("offerKey", settings.offerKeys[app.bundleID]),
    ]
    for (name, key) in keys {
      guard let key else { continue }
      let subject = "\(app.bundleID), \(name)"
      let id = key.keyID.rawValue
      if !settings.isSimulated, id.count != Self.keyIDLength || !id.allSatisfy(Self.isPlain) {
        add(
          .warning,
          "keys.id",
          subject,
          Words(
            "\"\(id)\" does not look like a key id: ten letters and digits",
            zh: "“\(id)”不像密钥 ID（十位字母或数字）"
          ),
          advice: Words(
            "Copy the key id from App Store Connect.",
            zh: "请从 App Store Connect 复制密钥 ID。"
          )
        )
      }
      if !settings.isSimulated, UUID(uuidString: key.issuer.rawValue) == nil {
        add(
          .warning,
          "keys.issuer",
          subject,
          Words("the issuer id is no UUID", zh: "Issuer ID 不是 UUID"),
          advice: Words(
            "It stands above the list of keys; a team id is something else.",
            zh: "它位于密钥列表上方；团队 ID 是另一回事。"
          )
        )
      }
      examineFileName(key, subject)
    }
  }

  private mutating func examineFileName(_ key: ServeSettings.OfferKeyFile, _ subject: String) {
    let file = URL(fileURLWithPath: key.path).lastPathComponent
    if file.hasPrefix("AuthKey_") || file.hasPrefix("ApiKey_") {
      add(
        .warning,
        "keys.kind",
        subject,
        Words(
          "\(file) is called like a key of another kind",
          zh: "\(file) 的名称像是其他类型的密钥"
        ),
        advice: Words(
          "In-App Purchase keys are downloaded as SubscriptionKey_ID.p8; keys of the App Store "
            + "Connect API or for push are not taken.",
          zh: "App 内购买项目密钥下载后名为 SubscriptionKey_ID.p8；App Store Connect API 或推送密钥不被接受。"
        )
      )
    }
    let prefix = "SubscriptionKey_"
    guard file.hasPrefix(prefix), file.hasSuffix(".p8") else { return }
    let named = file.dropFirst(prefix.count).dropLast(3)
    guard named != key.keyID.rawValue else { return }
    add(
      .warning,
      "keys.file",
      subject,
      Words(
        "the file is key \(named), and keyId says \(key.keyID)",
        zh: "文件是密钥 \(named)，而 keyId 为 \(key.keyID)"
      ),
      advice: Words("Set keyId to the key that the file holds.", zh: "请将 keyId 设为文件中的密钥。")
    )
  }

  private mutating func examineSharedSecret(_ app: ServerApp) {
    guard let secret = settings.appleAccess[app.bundleID]?.sharedSecret, !settings.isSimulated,
      secret.count != Self.sharedSecretLength || !secret.allSatisfy(\.isHexDigit)
    else { return }
    add(
      .warning,
      "keys.sharedSecret",
      app.bundleID.rawValue,
      Words(
        "the shared secret does not have 32 hexadecimal digits",
        zh: "共享密钥不是 32 位十六进制数字"
      ),
      advice: Words(
        "Copy it again: App Store Connect, App Information, App-Specific Shared Secret.",
        zh: "请重新复制：App Store Connect 的“App 信息 > App 专用共享密钥”。"
      )
    )
  }

  private static func isPlain(_ character: Character) -> Bool {
    character.isASCII && (character.isLetter || character.isNumber)
  }
}

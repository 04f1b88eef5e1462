import AppStoreServerAPI
import Foundation
import IAPModel
import IAPSignatures
import OpenSSLCrypto

// Keys and secrets are read from files of their own, so that the configuration can be shown to
// others; nobody else may read them.
extension ServeSettingsReader {
  /// The longest key, certificate or secret, in bytes.
  static let secretBytesMax = 64 * 1024
  /// What neither others nor, for writing, the group may do with a secret file.
  static let forbiddenMode: UInt16 = 0o027

  mutating func readFiles(_ console: Console) async {
    await readDatabaseFile(console)
    await readRoots(console)
    for app in gathered.apps {
      guard let bundle = app.object["bundle"]?.stringValue else { continue }
      await readKeys(app, of: BundleID(bundle), console)
    }
  }

  /// The bytes of a file that a setting names; nil, with a mistake, when they cannot be had.
  private mutating func bytes(
    _ path: String,
    _ source: SettingMistake.Source,
    _ place: String,
    isSecret: Bool,
    _ console: Console
  ) async -> [UInt8]? {
    func refuse(_ english: String, _ chinese: String, _ wanted: Words) {
      mistakes.append(
        SettingMistake(
          source,
          place,
          found: Words("'\(path)', \(english)", zh: "“\(path)”，\(chinese)"),
          wanted: wanted
        )
      )
    }
    guard let mode = console.mode(path) else {
      refuse("which is not there", "不存在", Words("a file", zh: "文件"))
      return nil
    }
    // A simulated store's keys are nobody's secret.
    if isSecret, !settings.isSimulated, mode & Self.forbiddenMode != 0 {
      let digits = String(mode, radix: 8)
      refuse(
        "which others may read or change (mode \(digits))",
        "其他用户可读或可改（权限 \(digits)）",
        Words("mode 600 or 640: chmod 600 '\(path)'", zh: "权限 600 或 640：chmod 600 “\(path)”")
      )
    }
    guard let bytes = await console.file(path, Self.secretBytesMax), !bytes.isEmpty,
      bytes.count <= Self.secretBytesMax
    else {
      refuse(
        "which cannot be read or is empty",
        "无法读取或为空",
        Words("a file that this user may read", zh: "当前用户可读的文件")
      )
      return nil
    }
    return bytes
  }

  /// Reads an address from a file, so that a password stands in no list of processes.
  private mutating func readDatabaseFile(_ console: Console) async {
    guard let named = gathered.values["databaseFile"], let path = named.value.stringValue,
      let bytes = await bytes(path, named.source, named.place, isSecret: true, console)
    else { return }
    let text = Self.line(bytes)
    guard !text.isEmpty else {
      mistakes.append(
        SettingMistake(
          named.source,
          named.place,
          found: Words("'\(path)', which holds nothing", zh: "“\(path)”，内容为空"),
          wanted: Words("the address of the database in it", zh: "其中写有数据库地址")
        )
      )
      return
    }
    let place = LedgerPlace(text)
    if case .postgres(let address) = place {
      settings.database = .postgresFile(path: path, address: address)
    } else {
      settings.database = place
    }
  }

  private mutating func readRoots(_ console: Console) async {
    guard let named = gathered.values["roots"] else { return }
    for path in named.value.arrayValue?.compactMap(\.stringValue) ?? [] {
      guard
        let bytes = await bytes(path, named.source, named.place, isSecret: false, console)
      else { continue }
      // DER begins with a sequence; everything else is looked at as PEM.
      let blocks = PEM.blocks(bytes)?.filter { $0.label == "CERTIFICATE" } ?? []
      let certificates = bytes.first == 0x30 ? [bytes] : blocks.map(\.der)
      guard !certificates.isEmpty, (try? TrustAnchors.simulated(certificates)) != nil else {
        mistakes.append(
          SettingMistake(
            named.source,
            named.place,
            found: Words("'\(path)', which is none", zh: "“\(path)”，不是证书"),
            wanted: Words("certificates in DER or PEM", zh: "DER 或 PEM 格式的证书")
          )
        )
        continue
      }
      settings.roots += certificates
    }
  }

  private mutating func readKeys(
    _ app: GatheredSettings.App,
    of bundle: BundleID,
    _ console: Console
  ) async {
    if let key = await readKey("appStoreKey", app, console) {
      settings.appleAccess[bundle, default: .init()].key = key
    }
    if let key = await readKey("offerKey", app, console) { settings.offerKeys[bundle] = key }
    guard let path = app.object["sharedSecretFile"]?.stringValue else { return }
    let place = app.place + ".sharedSecretFile"
    guard let bytes = await bytes(path, app.source, place, isSecret: true, console) else { return }
    let text = Self.line(bytes)
    guard !text.isEmpty else {
      mistakes.append(
        SettingMistake(
          app.source,
          place,
          found: Words("'\(path)', which holds nothing", zh: "“\(path)”，内容为空"),
          wanted: Words("the shared secret in it", zh: "其中写有共享密钥")
        )
      )
      return
    }
    settings.appleAccess[bundle, default: .init()].sharedSecret = text
  }

  private mutating func readKey(
    _ name: String,
    _ app: GatheredSettings.App,
    _ console: Console
  ) async -> ServeSettings.OfferKeyFile? {
    guard let object = app.object[name]?.objectValue, let id = object["keyId"]?.stringValue,
      let issuer = object["issuerId"]?.stringValue, let path = object["file"]?.stringValue
    else { return nil }
    let place = "\(app.place).\(name).file"
    guard let pem = await bytes(path, app.source, place, isSecret: true, console) else {
      return nil
    }
    let file = ServeSettings.OfferKeyFile(
      keyID: AppStoreKeyID(id),
      issuer: AppStoreIssuerID(issuer),
      pem: pem,
      path: path
    )
    do {
      _ = try file.key()
      return file
    } catch {
      mistakes.append(
        SettingMistake(
          app.source,
          place,
          found: Words(
            "'\(path)', which cannot be used: \(error.reason)",
            zh: "“\(path)”，无法使用：\(error.reason)"
          ),
          wanted: Words(
            "the .p8 file of an In-App Purchase key",
            zh: "App 内购买项目密钥的 .p8 文件"
          )
        )
      )
      return nil
    }
  }

  private static func line(_ bytes: [UInt8]) -> String {
    String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
  }

  // MARK: Together

  mutating func checkWhole() {
    if settings.apps.isEmpty {
      wrong(
        "at least one app is needed: \"apps\" in the file, IAP_APP or --app BUNDLE=APPID.",
        "至少需要一个 App：配置文件的 \"apps\"、IAP_APP 或 --app BUNDLE=APPID。"
      )
    }
    for (path, option) in [("roots", "--root"), ("clock", "--clock"), ("apple", "--apple")]
    where gathered.values[path] != nil && !settings.isSimulated {
      wrong(
        "\(path) (\(option)) is only for simulated stores: set simulated (--simulated) as well.",
        "\(path)（\(option)）仅用于模拟商店：请同时设置 simulated（--simulated）。"
      )
    }
    if settings.isSimulated, gathered.values["roots"] == nil {
      wrong(
        "simulated needs the store's certificates: roots, or --root FILE.",
        "simulated 需要商店的证书：roots 或 --root FILE。"
      )
    }
    checkApple()
    if !settings.requiresKeys, !ListenAddress.isLoopback(settings.host) {
      wrong(
        "insecureNoKeys (--insecure-no-keys) is for this machine only: listen on 127.0.0.1, or "
          + "make keys with 'iap keys create'.",
        "insecureNoKeys（--insecure-no-keys）仅限本机：请监听 127.0.0.1，或用“iap keys create”创建密钥。"
      )
    }
  }

  private mutating func wrong(_ english: String, _ chinese: String) {
    mistakes.append(SettingMistake(Words(english, zh: chinese)))
  }

  /// A server that trusts a simulated store must not take it for Apple's, nor ask Apple about it.
  private mutating func checkApple() {
    guard settings.isSimulated, gathered.values["apple"] == nil else { return }
    if settings.asksAboutRevocation {
      wrong(
        "ocsp with simulated asks the simulated store: give its address with apple (--apple URL).",
        "ocsp 与 simulated 同用时会询问模拟商店：请以 apple（--apple URL）给出其地址。"
      )
    }
    if settings.appleAccess.values.contains(where: { $0.key != nil || $0.asksVerifyReceipt }) {
      wrong(
        "with simulated the store's address is needed in Apple's place: apple (--apple URL).",
        "使用 simulated 时需要以 apple（--apple URL）给出代替 Apple 的商店地址。"
      )
    }
  }
}

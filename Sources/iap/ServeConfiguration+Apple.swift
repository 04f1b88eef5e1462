import AppStoreServerAPI
import EntitlementServer
import Foundation
import IAPModel

// How the App Store is reached: keys and secrets are read from files of their own, so that the
// configuration can be shown to others.
extension ServeSettingsReader {
  /// A file that an app's access needs, and what it is for.
  struct AppleFile: Sendable {
    enum Role: Sendable {
      case key(ServeSettings.OfferKeyFile)
      case sharedSecret
    }

    let app: BundleID
    let role: Role
    let path: String
  }

  /// The longest key or secret.
  private static let secretBytesMax = 64 * 1024

  /// Reads a member of an app that says how the App Store is reached.
  ///
  /// - Parameters:
  ///   - member: The member.
  ///   - app: The app.
  ///   - folder: Where the paths begin.
  mutating func readApple(_ member: JSONMember, of app: BundleID, folder: URL) {
    let place = "\(member.name) of \(app)"
    switch member.name {
    case "appStoreKey":
      guard let key = Self.keyFile(member.value) else {
        wrong(place, "an object of keyId, issuerId and file", "包含 keyId、issuerId 和 file 的对象")
        return
      }
      appleFiles.append(
        AppleFile(app: app, role: .key(key.file), path: Self.path(key.path, in: folder))
      )
    case "sharedSecretFile":
      guard let path = member.value.stringValue, !path.isEmpty else {
        wrong(place, "the name of a file", "文件名")
        return
      }
      appleFiles.append(
        AppleFile(app: app, role: .sharedSecret, path: Self.path(path, in: folder))
      )
    case "consumption": readConsumption(member, of: app)
    default:
      guard let flag = member.value.boolValue else {
        wrong(place, "true or false", "true 或 false")
        return
      }
      settings.appleAccess[app, default: .init()].asksVerifyReceipt = flag
    }
  }

  /// Reads what is said about purchases for which a refund was asked.
  private mutating func readConsumption(_ member: JSONMember, of app: BundleID) {
    let known: Set<String> = ["customersConsented", "sampleProvided", "refundPreference"]
    let wishes: [ConsumptionInformation.RefundPreference] = [.decline, .grantFull]
    let wish = member.value.objectValue?["refundPreference"]?.stringValue
    guard let object = member.value.objectValue,
      object.members.allSatisfy({ known.contains($0.name) }),
      object["customersConsented"] == true, let sample = object["sampleProvided"]?.boolValue,
      object["refundPreference"] == nil || wishes.contains(where: { $0.rawValue == wish })
    else {
      wrong(
        "consumption of \(app)",
        "an object of customersConsented (true), sampleProvided and refundPreference (DECLINE or "
          + "GRANT_FULL)",
        "包含 customersConsented（true）、sampleProvided 和 refundPreference（DECLINE 或 GRANT_FULL）的对象"
      )
      return
    }
    settings.appleAccess[app, default: .init()].consumption = ConsumptionConsent(
      wasSampleProvided: sample,
      preference: wishes.first { $0.rawValue == wish }
    )
  }

  /// A key as the configuration names it.
  static func keyFile(
    _ value: JSONValue
  ) -> (file: ServeSettings.OfferKeyFile, path: String)? {
    guard let object = value.objectValue, object.members.count == 3,
      let id = object["keyId"]?.stringValue, !id.isEmpty,
      let issuer = object["issuerId"]?.stringValue, !issuer.isEmpty,
      let file = object["file"]?.stringValue, !file.isEmpty
    else { return nil }
    let key = ServeSettings.OfferKeyFile(
      keyID: AppStoreKeyID(id),
      issuer: AppStoreIssuerID(issuer),
      pem: []
    )
    return (key, file)
  }

  /// Reads how often the ledger is compared with the App Store.
  mutating func readInterval(_ member: JSONMember) {
    guard let hours = member.value.integerValue, (0...Self.intervalHoursMax).contains(hours) else {
      wrong(
        member.name,
        "a whole number from 0, for never, to \(Self.intervalHoursMax)",
        "0（从不）到 \(Self.intervalHoursMax) 的整数"
      )
      return
    }
    settings.reconcileEvery = hours == 0 ? nil : TimeInterval(hours) * 3600
  }

  /// Half of how far back the App Store remembers what it sent.
  private static let intervalHoursMax: Int64 = 90 * 24

  mutating func setAppleAddress(_ text: String, name: String) {
    guard let url = URL(string: text), ["http", "https"].contains(url.scheme ?? ""),
      url.host != nil
    else {
      mistake(
        "\(name) needs the address of a simulated store, not '\(text)'.",
        zh: "\(name) 需要模拟商店的地址，而不是“\(text)”。"
      )
      return
    }
    settings.appleAddress = text.hasSuffix("/") ? String(text.dropLast()) : text
  }

  mutating func readAppleFiles(_ console: Console) async {
    for file in appleFiles {
      guard let bytes = await console.file(file.path, Self.secretBytesMax),
        bytes.count <= Self.secretBytesMax
      else {
        mistake(
          "the App Store access of \(file.app): '\(file.path)' cannot be read.",
          zh: "\(file.app) 的 App Store 访问：无法读取“\(file.path)”。"
        )
        continue
      }
      switch file.role {
      case .key(var key):
        key.pem = bytes
        settings.appleAccess[file.app, default: .init()].key = key
      case .sharedSecret:
        let text = String(decoding: bytes, as: UTF8.self)
          .trimmingCharacters(in: .whitespacesAndNewlines)
        guard !text.isEmpty else {
          mistake(
            "the shared secret of \(file.app): '\(file.path)' is empty.",
            zh: "\(file.app) 的共享密钥：“\(file.path)”为空。"
          )
          continue
        }
        settings.appleAccess[file.app, default: .init()].sharedSecret = text
      }
    }
  }

  mutating func checkApple() {
    if settings.appleAddress != nil, !settings.isSimulated {
      mistake(
        "--apple is only for simulated stores: give --simulated as well.",
        zh: "--apple 仅用于模拟商店：请同时给出 --simulated。"
      )
    }
    // A server that trusts a simulated store must not take it for Apple's, nor ask Apple about it.
    let asks = settings.appleAccess.values.contains { $0.key != nil || $0.asksVerifyReceipt }
    if settings.isSimulated, settings.asksAboutRevocation, settings.appleAddress == nil {
      mistake(
        "--ocsp with --simulated asks the simulated store: give its address with --apple URL.",
        zh: "--ocsp 与 --simulated 同用时会询问模拟商店：请以 --apple URL 给出其地址。"
      )
    }
    if settings.isSimulated, asks, settings.appleAddress == nil {
      mistake(
        "with --simulated the store's address is needed in Apple's place: --apple URL.",
        zh: "使用 --simulated 时需要以 --apple URL 给出代替 Apple 的商店地址。"
      )
    }
  }
}

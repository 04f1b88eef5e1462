#if canImport(CryptoKit) && canImport(Security)
import Foundation
import IAPModel
import IAPSignatures
import Security

extension DeviceTrust {
  /// Trusts Apple's roots.
  static func apple(
    bundleID: BundleID,
    environments: Set<StoreEnvironment>,
    appVersion: String?,
    deviceID: Data?
  ) -> DeviceTrust {
    var trust = DeviceTrust(
      anchors: .apple,
      origin: ExpectedOrigin(
        apps: [ExpectedOrigin.App(bundleID: bundleID, appAppleID: nil)],
        environments: environments
      ),
      crypto: LivePrimitives()
    )
    trust.appVersion = appVersion
    trust.deviceID = deviceID.map { [UInt8]($0) }
    return trust
  }

  /// Trusts Apple's roots for the app that runs; nil for a program that is none.
  static var ofThisApp: DeviceTrust? {
    guard let bundle = Bundle.main.bundleIdentifier else { return nil }
    #if os(macOS) || targetEnvironment(macCatalyst)
    let key = "CFBundleShortVersionString"
    #else
    let key = "CFBundleVersion"
    #endif
    return apple(
      bundleID: BundleID(bundle),
      environments: [.production, .sandbox],
      appVersion: Bundle.main.object(forInfoDictionaryKey: key) as? String,
      deviceID: nil
    )
  }
}

/// Secrets in the keychain of this device: they outlive the app and never leave the device.
struct LiveSecrets: ClientSecrets {
  private func query(_ name: String) -> [CFString: Any] {
    [
      kSecClass: kSecClassGenericPassword,
      kSecAttrService: "IAPKit.\(Bundle.main.bundleIdentifier ?? "")",
      kSecAttrAccount: name,
      kSecUseDataProtectionKeychain: true,
    ]
  }

  func read(_ name: String) throws(IAPError) -> [UInt8]? {
    var found: CFTypeRef?
    let asked = query(name).merging([kSecReturnData: true]) { _, new in new }
    switch SecItemCopyMatching(asked as CFDictionary, &found) {
    case errSecSuccess: return (found as? Data).map { [UInt8]($0) }
    case errSecItemNotFound: return nil
    default: throw .storage(.inputOutput)
    }
  }

  func write(_ bytes: [UInt8]?, as name: String) throws(IAPError) {
    let old = SecItemDelete(query(name) as CFDictionary)
    guard old == errSecSuccess || old == errSecItemNotFound else { throw .storage(.inputOutput) }
    guard let bytes else { return }
    let item = query(name).merging([
      kSecValueData: Data(bytes),
      kSecAttrAccessible: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly,
    ]) { _, new in new }
    guard SecItemAdd(item as CFDictionary, nil) == errSecSuccess else {
      throw .storage(.inputOutput)
    }
  }
}
#endif

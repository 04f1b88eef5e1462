import AppStoreServerAPI
import EntitlementServer
import Foundation
import IAPModel
import IAPSignatures
import OpenSSLCrypto

extension ServeSettings {
  /// The simulated store's host, with its port, where certificates name it as their responder.
  var simulatedHosts: Set<String> {
    guard let address = appleAddress, let url = URL(string: address), let host = url.host else {
      return []
    }
    return [url.port.map { "\(host):\($0)" } ?? host]
  }

  /// How the App Store is reached for one app, as the configuration says.
  struct AppleAccessFiles: Sendable {
    /// The key that asks; nil when nothing is asked.
    var key: OfferKeyFile?
    /// The app's shared secret; nil when there is none.
    var sharedSecret: String?
    /// Whether Apple's old service is asked about receipts.
    var asksVerifyReceipt = false
    /// What is said about purchases for which a refund was asked; nil without consent.
    var consumption: ConsumptionConsent?
  }
}

extension ServerComposition {
  /// Makes what asks the App Store, for each app that is set up for it.
  ///
  /// - Parameters:
  ///   - settings: The settings.
  ///   - world: Time, chance and the network.
  /// - Returns: The access by app.
  /// - Throws: ``CommandError`` with code `file` for a key that cannot be used.
  static func makeAppleAccess(
    _ settings: ServeSettings,
    _ world: AppStoreServerWorld = .live()
  ) throws(CommandError) -> [BundleID: AppleAccess] {
    let hosts = settings.appleAddress.map {
      AppStoreServerHosts(production: $0 + "/production", sandbox: $0 + "/sandbox")
    }
    // Who waits for an answer waits shortly; both together keep to Apple's rates.
    let quick = CallPolicy(attemptsMax: 2, waitMax: 3, timeout: 10, rateShare: 0.4)
    let patient = CallPolicy(rateShare: 0.4)
    var result: [BundleID: AppleAccess] = [:]
    for (app, files) in settings.appleAccess {
      var access = AppleAccess()
      if let file = files.key {
        let key = try appleKey(file, app)
        func client(_ policy: CallPolicy) -> AppStoreServerClient {
          AppStoreServerClient(
            bundleID: app,
            key: key,
            hosts: hosts ?? .apple,
            policy: policy,
            world: world
          )
        }
        access.client = client(quick)
        access.background = client(patient)
      }
      access.consumption = files.consumption
      access.sharedSecret = files.sharedSecret.map { SharedSecret($0) }
      if files.asksVerifyReceipt {
        access.receipts = VerifyReceiptClient(
          hosts: hosts ?? .appleReceipts,
          sharedSecret: files.sharedSecret,
          policy: quick,
          world: world
        )
      }
      result[app] = access
    }
    return result
  }

  private static func appleKey(
    _ file: ServeSettings.OfferKeyFile,
    _ app: BundleID
  ) throws(CommandError) -> AppStoreServerKey {
    let reason: String
    do throws(AppStoreServerError) { return try file.key() } catch { reason = error.reason }
    throw CommandError(
      .file,
      Words(
        "the appStoreKey of \(app) cannot be used: \(reason).",
        zh: "\(app) 的 appStoreKey 无法使用：\(reason)。"
      )
    )
  }
}

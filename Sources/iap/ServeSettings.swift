import AppStoreServerAPI
import EntitlementServer
import Foundation
import IAPEntitlements
import IAPModel
import IAPSignatures
import OpenSSLCrypto

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
  /// Whether every request is logged.
  var logsRequests = false
  /// From how many milliseconds the database's work is logged as slow; 0 for never.
  var slowQueryMilliseconds = 500
  /// Where the server is reached from outside; nil when nobody said.
  var publicURL: String?
  /// What `iap doctor` is told.
  var doctor = Doctor()
  var clock = Clock.wall
  var limits = ServerLimits.standard
  /// Whether webhooks may be sent to this machine, as they may be with simulated stores.
  var allowsLoopbackWebhooks = false

  /// The file of a key that signs offers, and what App Store Connect calls it.
  struct OfferKeyFile: Sendable {
    var keyID: AppStoreKeyID
    var issuer: AppStoreIssuerID
    var pem: [UInt8]
    /// Where it was read; what it is called says something about it.
    var path = ""

    /// The key itself.
    func key() throws(AppStoreServerError) -> AppStoreServerKey {
      let key: any SigningKey
      do throws(CryptoError) { key = try OpenSSLPrimitives().readSigningKey(pem: pem) } catch {
        throw AppStoreServerError(.keyUnusable, error.reason)
      }
      return try AppStoreServerKey(id: keyID, issuer: issuer, key: key)
    }
  }

  /// What `iap doctor` is told.
  struct Doctor: Sendable {
    /// Where backups are put; nil when nobody said.
    var backupFolder: String?
    /// How old the newest backup may be, in hours.
    var backupHoursMax = 26
    /// How much room has to be left on disks, in megabytes.
    var freeMegabytesMin = 1024
    /// The file that the products are compared with.
    var storekitFile: String?
  }

  /// Starts from what is usual.
  init() {}

  /// Reads a call's options, its environment and its configuration file; a mistake never hides
  /// another.
  ///
  /// - Throws: ``CommandError`` with code `usage` and every mistake.
  init(_ arguments: CommandArguments, _ console: Console) async throws(CommandError) {
    self = try await ServeSettingsReader(arguments, console).finished()
  }
}

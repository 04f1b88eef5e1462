import AppStoreSimulator
import Foundation
import HTTPValues
import IAPModel
import MicroHTTP

/// Apple's addresses over HTTP, with a store of this process behind them, and the configuration of
/// a server that asks there.
final class ServedApple: Sendable {
  let http: HTTPServer
  /// The configuration file.
  let configuration: String
  private let served: ServedStore

  init(
    _ served: ServedStore,
    notifications: Bool = true,
    key: Bool = true,
    more: JSONObject = [:]
  ) throws {
    self.served = served
    let face = StoreHTTPFace(store: served.store, wallClock: { Date() })
    http = try HTTPServer.start(host: "127.0.0.1", port: 0, handler: face.handler)
    let issued = try served.store.issuedDeveloperKey()
    let folder = served.folder
    try Data(issued.p8.utf8).write(to: folder.appendingPathComponent("key.p8"))
    let secret = try served.store.sharedSecret(of: DemoCatalog.bundleID)
    try Data(secret.utf8).write(to: folder.appendingPathComponent("secret.txt"))
    let keyFile: JSONValue = [
      "keyId": .string(issued.id.rawValue), "issuerId": .string(issued.issuer.rawValue),
      "file": "key.p8",
    ]
    var app: JSONObject = [
      "bundle": .string(DemoCatalog.bundleID.rawValue),
      "appAppleId": .integer(DemoCatalog.appAppleID.rawValue), "offerKey": keyFile,
      "sharedSecretFile": "secret.txt", "verifyReceipt": true,
      "consumption": ["customersConsented": true, "sampleProvided": false],
    ]
    if key { app["appStoreKey"] = keyFile }
    let receiptRoot = try served.store.receiptRootCertificate()
    try Data(receiptRoot).write(to: folder.appendingPathComponent("receipts.der"))
    var object: JSONObject = [
      "database": "ledger.sqlite", "simulated": true, "roots": ["root.der", "receipts.der"],
      "insecureNoKeys": true, "reconcileEveryHours": 0, "apps": [.object(app)],
    ]
    for member in more.members { object[member.name] = member.value }
    let file = folder.appendingPathComponent("config.json")
    try Data(object.serialized).write(to: file)
    configuration = file.path
  }

  /// The words of a call that serves the store and asks here.
  var words: [String] {
    [
      "serve", "--config", configuration, "--listen", "127.0.0.1:0", "--apple", http.address.url,
      "--clock", http.address.url,
    ]
  }
}

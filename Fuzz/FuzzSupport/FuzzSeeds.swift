package import AppStoreSimulator
package import Foundation
package import IAPModel
package import IAPSignatures
package import OpenSSLCrypto

/// What the fuzzers begin with: signed texts, receipts and files of our own generators.
///
/// The keys come from seeds, so that every run begins with the same bytes.
package struct FuzzSeeds: Sendable {
  /// The folder that a fuzzer reads its first inputs from, by the environment.
  private static let folderVariable = "IAP_FUZZ_CORPUS"

  package static let bundleID: BundleID = "com.example.app"
  package static let appAppleID = AppAppleID(1_234_567_890)
  /// The instant of everything that is signed.
  package static let now = Date(timeIntervalSince1970: 1_790_000_000)

  package let crypto: OpenSSLPrimitives
  package let chain: SigningChain
  package let transaction: [UInt8]
  package let renewal: [UInt8]
  package let notification: [UInt8]
  package let appTransaction: [UInt8]

  package init() throws {
    crypto = try OpenSSLPrimitives()
    let year: TimeInterval = 365 * 86_400
    let now = Self.now
    chain = try SigningChain(
      shape: .transactions(validity: now.addingTimeInterval(-year)...now.addingTimeInterval(year)),
      seed: Array("fuzz".utf8),
      signing: crypto
    )
    let writer = CompactJWSWriter(chain: chain)
    var sale = TransactionPayload(
      transactionID: "2000000000000002",
      originalTransactionID: "2000000000000001",
      bundleID: Self.bundleID,
      productID: "com.example.app.pro.monthly",
      purchaseDate: now
    )
    sale.type = .autoRenewable
    sale.webOrderLineItemID = "2000000000000003"
    sale.subscriptionGroupID = "20000001"
    sale.expiresDate = now.addingTimeInterval(30 * 86_400)
    sale.quantity = 1
    sale.signedDate = now
    sale.environment = .production
    sale.priceMilliunits = 9_990
    sale.currency = "USD"
    var info = RenewalInfoPayload(
      originalTransactionID: sale.originalTransactionID,
      productID: sale.productID
    )
    info.willAutoRenew = true
    info.signedDate = now
    info.environment = .production
    let sold = try writer.sign(sale.object)
    let renewed = try writer.sign(info.object)
    var notice = NotificationPayload(type: .didRenew, uuid: "002e14d5-51f5-4503-b5a8-c3a1af68eb20")
    notice.version = "2.0"
    notice.signedDate = now
    var data = NotificationPayload.Data()
    data.appAppleID = Self.appAppleID
    data.bundleID = Self.bundleID
    data.environment = .production
    data.signedTransactionInfo = sold
    data.signedRenewalInfo = renewed
    notice.data = data
    transaction = Array(sold.utf8)
    renewal = Array(renewed.utf8)
    notification = Array(try writer.sign(notice.object).utf8)
    let app: JSONObject = [
      "receiptType": "Production", "appAppleId": 1_234_567_890, "bundleId": "com.example.app",
      "applicationVersion": "1", "originalApplicationVersion": "1",
      "receiptCreationDate": 1_790_000_000_000, "originalPurchaseDate": 1_790_000_000_000,
    ]
    appTransaction = Array(try writer.sign(app).utf8)
  }

  /// The rules that the seeds pass.
  package var origin: ExpectedOrigin {
    ExpectedOrigin(
      apps: [.init(bundleID: Self.bundleID, appAppleID: Self.appAppleID)],
      environments: [.production]
    )
  }

  package func verifier() throws -> JWSVerifier {
    JWSVerifier(
      anchors: try .simulated([chain.root]),
      origin: origin,
      crypto: crypto,
      cache: BoundedChainCache()
    )
  }

  /// A simulated store after one purchase, for its receipts.
  package func store() throws -> SimulatedAppStore {
    let store = try SimulatedAppStore(
      configuration: StoreConfiguration(
        catalog: try DemoCatalog.load(),
        bundleID: DemoCatalog.bundleID,
        appAppleID: DemoCatalog.appAppleID,
        start: Self.now
      ),
      signing: crypto
    )
    try store.addAccount("mia")
    try store.addDevice("phone", account: "mia")
    _ = try store.purchase(PurchaseRequest(device: "phone", productID: DemoCatalog.lifetime))
    return store
  }

  /// Writes the first inputs to the folder that the environment names, if it names one.
  package static func write(_ inputs: [[UInt8]]) {
    guard let path = ProcessInfo.processInfo.environment[folderVariable] else { return }
    let folder = URL(fileURLWithPath: path)
    try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for (number, bytes) in inputs.enumerated() {
      try? Data(bytes).write(to: folder.appendingPathComponent("seed-\(number)"))
    }
  }
}

/// The bytes of an input.
package func fuzzBytes(_ start: UnsafePointer<UInt8>?, _ count: Int) -> [UInt8] {
  Array(UnsafeBufferPointer(start: start, count: count))
}

/// What was made; a fuzzer that cannot begin ends at once.
package func made<Value>(_ body: () throws -> Value) -> Value {
  do { return try body() } catch { fatalError("the fuzzer cannot begin: \(error)") }
}

import AppStoreSimulator
import Foundation
import IAPModel
import IAPSignatures
import OpenSSLCrypto

/// Keys, a chain and signed texts, all made up: what is verified by the measurements, and by other
/// programs that are compared with them.
struct BenchmarkInputs: Sendable {
  static let bundleID: BundleID = "com.example.app"
  static let appAppleID = AppAppleID(1_234_567_890)

  let chain: SigningChain
  let payload: [UInt8]
  let transaction: [UInt8]
  let notification: [UInt8]
  private let writer: CompactJWSWriter

  init(now: Date, crypto: OpenSSLPrimitives) throws(CryptoError) {
    let year: TimeInterval = 365 * 86_400
    chain = try SigningChain(
      shape: .transactions(validity: now.addingTimeInterval(-year)...now.addingTimeInterval(year)),
      seed: Array("iap bench".utf8),
      signing: crypto
    )
    writer = CompactJWSWriter(chain: chain)
    let sale = Self.sale(number: 2, now: now)
    payload = sale.object.serialized
    transaction = Array(try writer.sign(payload).utf8)
    notification = try Self.notification(number: 2, now: now, writer)
  }

  /// A notification of a renewal, different for each number.
  func notification(number: Int, now: Date) throws(CryptoError) -> [UInt8] {
    try Self.notification(number: number, now: now, writer)
  }

  /// A transaction, different for each number.
  func transaction(number: Int, now: Date) throws(CryptoError) -> String {
    try writer.sign(Self.sale(number: number, now: now).object)
  }

  private static func sale(number: Int, now: Date) -> TransactionPayload {
    var sale = TransactionPayload(
      transactionID: TransactionID("\(2_000_000_000_000_000 + number)"),
      originalTransactionID: OriginalTransactionID("\(2_000_000_000_000_000 + number)"),
      bundleID: bundleID,
      productID: "com.example.app.pro.monthly",
      purchaseDate: now
    )
    sale.type = .autoRenewable
    sale.webOrderLineItemID = WebOrderLineItemID("\(2_000_000_000_000_003 + number)")
    sale.subscriptionGroupID = "20000001"
    sale.originalPurchaseDate = now
    sale.expiresDate = now.addingTimeInterval(30 * 86_400)
    sale.quantity = 1
    sale.ownershipType = .purchased
    sale.signedDate = now
    sale.environment = .production
    sale.storefront = "USA"
    sale.storefrontID = "143441"
    sale.transactionReason = .purchase
    sale.priceMilliunits = 9_990
    sale.currency = "USD"
    sale.appTransactionID = "700000000000001"
    return sale
  }

  private static func notification(
    number: Int,
    now: Date,
    _ writer: CompactJWSWriter
  ) throws(CryptoError) -> [UInt8] {
    let sale = sale(number: number, now: now)
    var renewal = RenewalInfoPayload(
      originalTransactionID: sale.originalTransactionID,
      productID: sale.productID
    )
    renewal.autoRenewProductID = sale.productID
    renewal.willAutoRenew = true
    renewal.signedDate = now
    renewal.environment = .production
    renewal.renewalDate = sale.expiresDate

    let uuid = String(format: "002e14d5-51f5-4503-b5a8-%012d", number)
    var notice = NotificationPayload(type: .didRenew, uuid: NotificationUUID(uuid))
    notice.version = "2.0"
    notice.signedDate = now
    var data = NotificationPayload.Data()
    data.appAppleID = appAppleID
    data.bundleID = sale.bundleID
    data.environment = .production
    data.status = .active
    data.signedTransactionInfo = try writer.sign(sale.object)
    data.signedRenewalInfo = try writer.sign(renewal.object)
    notice.data = data
    return Array(try writer.sign(notice.object).utf8)
  }

  /// Writes the root's certificate and the signed texts, for programs that are compared.
  static func write(to folder: URL, now: Date) throws(CommandError) {
    do {
      let inputs = try BenchmarkInputs(now: now, crypto: try OpenSSLPrimitives())
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      let files = [
        ("root.der", inputs.chain.root), ("transaction.jws", inputs.transaction),
        ("notification.jws", inputs.notification),
      ]
      for (name, bytes) in files { try Data(bytes).write(to: folder.appendingPathComponent(name)) }
    } catch {
      throw CommandError(
        .file,
        Words("the inputs cannot be written: \(error)", zh: "无法写入输入文件：\(error)")
      )
    }
  }

  func verifier(
    _ crypto: OpenSSLPrimitives,
    cache: (any ChainCache)?
  ) throws(CryptoError) -> JWSVerifier {
    JWSVerifier(
      anchors: try .simulated([chain.root]),
      origin: ExpectedOrigin(
        apps: [.init(bundleID: Self.bundleID, appAppleID: Self.appAppleID)],
        environments: [.production]
      ),
      crypto: crypto,
      cache: cache
    )
  }
}

import Foundation
import IAPModel
import IAPSignatures
import OpenSSLCrypto

/// How fast signed data is verified, with keys and payloads made for the run.
enum VerificationBenchmarks {
  /// The name of the raw limit: one signature check.
  static let limit = "es256"

  static func make(now: Date) throws(CryptoError) -> [Benchmark] {
    let crypto = try OpenSSLPrimitives()
    let material = try Material(now: now, crypto: crypto)
    let cached = try material.verifier(crypto, cache: BoundedChainCache())
    let uncached = try material.verifier(crypto, cache: nil)
    let everySignature = NotificationVerifier(verifier: cached, depth: .everySignature)
    let outerSignature = NotificationVerifier(verifier: cached, depth: .outerSignature)
    let cores = ProcessorCount.live
    let transaction: @Sendable () -> Bool = { cached.accepts(material.transaction, now) }
    return [
      try material.bareCheck(crypto),
      Benchmark(
        "transaction",
        Words("transaction: verify and decode", zh: "交易：验证并解码"),
        limit: limit,
        operation: transaction
      ),
      Benchmark(
        "transactionAllCores",
        Words("transaction: verify and decode, \(cores) at a time", zh: "交易：验证并解码，\(cores) 路并行"),
        workers: cores,
        limit: limit,
        operation: transaction
      ),
      Benchmark(
        "transactionNewChain",
        Words("transaction: certificate chain checked anew", zh: "交易：重新检查证书链"),
        limit: limit
      ) { uncached.accepts(material.transaction, now) },
      Benchmark(
        "notification",
        Words("notification: all three signatures", zh: "通知：检查全部三个签名"),
        limit: limit
      ) { everySignature.accepts(material.notification, now) },
      Benchmark(
        "notificationOuter",
        Words("notification: outer signature only", zh: "通知：仅检查外层签名"),
        limit: limit
      ) { outerSignature.accepts(material.notification, now) },
      Benchmark(
        "decode",
        Words("transaction: decode only", zh: "交易：仅解码"),
        limit: limit
      ) {
        guard let object = try? JSONParser.parseObject(material.payload) else { return false }
        return (try? TransactionPayload(object)) != nil
      },
    ]
  }
}

/// Keys, a chain and signed texts, all made up.
private struct Material: Sendable {
  let chain: SigningChain
  let payload: [UInt8]
  let transaction: [UInt8]
  let notification: [UInt8]

  init(now: Date, crypto: OpenSSLPrimitives) throws(CryptoError) {
    let year: TimeInterval = 365 * 86_400
    chain = try SigningChain(
      shape: .transactions(validity: now.addingTimeInterval(-year)...now.addingTimeInterval(year)),
      seed: Array("iap bench".utf8),
      signing: crypto
    )
    let writer = CompactJWSWriter(chain: chain)
    var sale = TransactionPayload(
      transactionID: "2000000000000002",
      originalTransactionID: "2000000000000001",
      bundleID: "com.example.app",
      productID: "com.example.app.pro.monthly",
      purchaseDate: now
    )
    sale.type = .autoRenewable
    sale.webOrderLineItemID = "2000000000000003"
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
    payload = sale.object.serialized
    let signedSale = try writer.sign(payload)

    var renewal = RenewalInfoPayload(
      originalTransactionID: sale.originalTransactionID,
      productID: sale.productID
    )
    renewal.autoRenewProductID = sale.productID
    renewal.willAutoRenew = true
    renewal.signedDate = now
    renewal.environment = .production
    renewal.renewalDate = sale.expiresDate

    var notice = NotificationPayload(type: .didRenew, uuid: "002e14d5-51f5-4503-b5a8-c3a1af68eb20")
    notice.version = "2.0"
    notice.signedDate = now
    var data = NotificationPayload.Data()
    data.appAppleID = AppAppleID(1_234_567_890)
    data.bundleID = sale.bundleID
    data.environment = .production
    data.status = .active
    data.signedTransactionInfo = signedSale
    data.signedRenewalInfo = try writer.sign(renewal.object)
    notice.data = data
    transaction = Array(signedSale.utf8)
    notification = Array(try writer.sign(notice.object).utf8)
  }

  func verifier(
    _ crypto: OpenSSLPrimitives,
    cache: (any ChainCache)?
  ) throws(CryptoError) -> JWSVerifier {
    JWSVerifier(
      anchors: try .simulated([chain.root]),
      origin: ExpectedOrigin(
        apps: [.init(bundleID: "com.example.app", appAppleID: AppAppleID(1_234_567_890))],
        environments: [.production]
      ),
      crypto: crypto,
      cache: cache
    )
  }

  /// One signature check on a key that is ready: nothing can be faster.
  func bareCheck(_ crypto: OpenSSLPrimitives) throws(CryptoError) -> Benchmark {
    let key = try crypto.makeVerificationKey(
      subjectPublicKeyInfo: chain.leafKey.subjectPublicKeyInfo
    )
    let message = payload
    let signature = try chain.leafKey.sign(message, digest: .sha256, form: .raw)
    return Benchmark(
      VerificationBenchmarks.limit,
      Words("one bare ES256 check: the limit", zh: "单次 ES256 检查：上限"),
      limit: VerificationBenchmarks.limit
    ) {
      key.isValid(signature: signature, over: message, digest: .sha256, form: .raw)
    }
  }
}

extension JWSVerifier {
  fileprivate func accepts(_ text: [UInt8], _ now: Date) -> Bool {
    (try? transaction(text, instant: .at(now)))?.accepted != nil
  }
}

extension NotificationVerifier {
  fileprivate func accepts(_ text: [UInt8], _ now: Date) -> Bool {
    (try? verify(text, instant: .at(now)))?.accepted != nil
  }
}

import Foundation
import IAPModel
import IAPSignatures
import OpenSSLCrypto

/// How fast signed data is verified, with keys and payloads made for the run.
enum VerificationBenchmarks {
  /// The name of the raw limit: one signature check.
  static let limit = "es256"

  /// The name of the raw limit of receipts: one RSA check.
  static let receiptLimit = "rs256"

  static func make(now: Date) throws(CryptoError) -> [Benchmark] {
    let crypto = try OpenSSLPrimitives()
    let material = try BenchmarkInputs(now: now, crypto: crypto)
    let cached = try material.verifier(crypto, cache: BoundedChainCache())
    let uncached = try material.verifier(crypto, cache: nil)
    let everySignature = NotificationVerifier(verifier: cached, depth: .everySignature)
    let outerSignature = NotificationVerifier(verifier: cached, depth: .outerSignature)
    let cores = ProcessorCount.live
    let transaction: @Sendable () -> Bool = { cached.accepts(material.transaction, now) }
    return [
      try bareCheck(material, crypto),
      Benchmark(
        "transaction",
        Words("transaction: verify and decode", zh: "交易：验证并解码"),
        limit: limit,
        target: 0.85,
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
        limit: limit,
        target: 0.6
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

  /// One check of the transaction's own signature on a key that is ready: nothing can be faster.
  private static func bareCheck(
    _ material: BenchmarkInputs,
    _ crypto: OpenSSLPrimitives
  ) throws(CryptoError) -> Benchmark {
    let leaf = material.chain.leafKey
    let key = try crypto.makeVerificationKey(subjectPublicKeyInfo: leaf.subjectPublicKeyInfo)
    let parts = material.transaction.split(separator: UInt8(ascii: "."))
    let message = Array(parts.prefix(2).joined(separator: [UInt8(ascii: ".")]))
    let signature = try leaf.sign(message, digest: .sha256, form: .raw)
    return Benchmark(
      limit,
      Words("one bare ES256 check: the limit", zh: "单次 ES256 检查：上限"),
      limit: limit
    ) {
      key.isValid(signature: signature, over: message, digest: .sha256, form: .raw)
    }
  }

  /// One check with an RSA key as receipts are signed with, on a key that is ready.
  static func bareReceiptCheck(_ crypto: OpenSSLPrimitives) throws(CryptoError) -> Benchmark {
    let signing = try crypto.makeSigningKey(.rsa(bits: 2048), seed: Array("iap bench".utf8))
    let key = try crypto.makeVerificationKey(subjectPublicKeyInfo: signing.subjectPublicKeyInfo)
    let message = [UInt8](repeating: 0x33, count: 2_000)
    let signature = try signing.sign(message, digest: .sha256, form: .der)
    return Benchmark(
      receiptLimit,
      Words("one bare RSA-2048 check: the limit", zh: "单次 RSA-2048 检查：上限"),
      limit: receiptLimit
    ) {
      key.isValid(signature: signature, over: message, digest: .sha256, form: .der)
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

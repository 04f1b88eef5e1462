import AppStoreSimulator
import Foundation
import IAPKit
import IAPModel
import IAPSignatures
import SimulatedApp
import SimulatedDevice
import Testing

@Suite("The device's own check", .timeLimit(.minutes(1)))
struct LocalReceiptValidatorTests {
  private func validator(
    of shop: Shop,
    bundleID: BundleID = DemoCatalog.bundleID
  ) throws -> LocalReceiptValidator {
    try .trusting(shop, bundleID: bundleID)
  }

  @Test("accepts what the store signed", arguments: generations)
  func accepts(generation: StoreGeneration) async throws {
    let shop = try Shop(generation)
    let app = try shop.install()
    let validator = try validator(of: shop)
    app.update { $0.judge = .validator(validator) }
    try await app.launch()
    guard case .delivered = try await app.buy(Shop.coins) else {
      Issue.record("not delivered")
      return
    }
    await app.waitUntilQueueIsEmpty()
    #expect(app.count(of: Shop.coins) == 1)
  }

  @Test("refuses what was sold to another app, and says why", arguments: generations)
  func anotherApp(generation: StoreGeneration) async throws {
    let shop = try Shop(generation)
    let app = try shop.install()
    let validator = try validator(of: shop, bundleID: "com.example.other")
    app.update { $0.judge = .validator(validator) }
    try await app.launch()
    #expect(try await app.buy(Shop.coins) == .failed(.receiptValidationFailed))
    let verdict = try await validator.validate(try evidence(of: app, shop))
    #expect(verdict.isValid == false)
    #expect(verdict.reasons.map(\.rule) == ["bundle"])
  }

  @Test("refuses a proof that was changed", arguments: generations)
  func changedProof(generation: StoreGeneration) async throws {
    let shop = try Shop(generation)
    let app = try await shop.launch()
    _ = try await app.buy(Shop.lifetime)
    var evidence = try evidence(of: app, shop)
    evidence.receipt?[200] ^= 1
    if let text = evidence.signedTransaction {
      let parts = text.split(separator: ".")
      evidence.signedTransaction = "\(parts[0]).\(parts[1]).\(String(parts[2].reversed()))"
    }
    #expect(try await validator(of: shop).validate(evidence).isValid == false)
  }

  @Test("does not judge a receipt that does not hold the purchase")
  func staleReceipt() async throws {
    let shop = try Shop(.storekit1)
    let app = try await shop.launch()
    _ = try await app.buy(Shop.lifetime)
    var evidence = try evidence(of: app, shop)
    evidence.transactionId = "1"
    await #expect(throws: IAPError.staleReceipt) {
      _ = try await validator(of: shop).validate(evidence)
    }
  }

  @Test("takes the bare receipt or the bare signed text", arguments: generations)
  func bareProof(generation: StoreGeneration) async throws {
    let shop = try Shop(generation)
    let app = try await shop.launch()
    _ = try await app.buy(Shop.lifetime)
    let evidence = try evidence(of: app, shop)
    let data = evidence.receipt ?? Data((evidence.signedTransaction ?? "").utf8)
    let verdict = try await validator(of: shop).validate(receiptData: data, isSandbox: false)
    #expect(verdict.isValid)
    #expect(verdict.productId == Shop.lifetime.rawValue)
  }

  private func evidence(of app: SimulatedApp, _ shop: Shop) throws -> TransactionEvidence {
    let record = try #require(shop.store.transactions(of: Shop.account).last)
    var evidence = TransactionEvidence(
      transactionId: record.transactionID.rawValue,
      originalTransactionId: record.originalTransactionID.rawValue,
      productId: record.productID.rawValue,
      isSandbox: true
    )
    switch shop.generation {
    case .storekit1: evidence.receipt = app.device.receipt.map { Data($0) }
    case .storekit2:
      evidence.signedTransaction = try shop.store.signedTransaction(record.transactionID)
    }
    return evidence
  }
}

extension LocalReceiptValidator {
  /// One that trusts the shop's store.
  static func trusting(
    _ shop: Shop,
    bundleID: BundleID = DemoCatalog.bundleID
  ) throws -> LocalReceiptValidator {
    LocalReceiptValidator(trust: try .of(shop, bundleID: bundleID))
  }
}

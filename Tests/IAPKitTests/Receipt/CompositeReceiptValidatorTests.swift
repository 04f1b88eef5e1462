import AppStoreSimulator
import Foundation
import IAPKit
import IAPModel
import SimulatedApp
import Testing

@Suite("The server, else the device", .timeLimit(.minutes(1)))
struct CompositeReceiptValidatorTests {
  private func install(
    _ shop: Shop,
    local: LocalReceiptValidator? = nil,
    _ provisional: CompositeReceiptValidator.Provisional = .opensAccess
  ) async throws -> SimulatedApp {
    let app = try shop.install()
    let validator = CompositeReceiptValidator(
      server: ServerOfTheShop(server: shop.server),
      local: try local ?? .trusting(shop),
      provisional: provisional
    )
    app.update { $0.judge = .validator(validator) }
    try await app.launch()
    return app
  }

  @Test(
    "opens access while the server is silent, and waits for it with the goods",
    arguments: generations
  )
  func provisionalAccess(generation: StoreGeneration) async throws {
    let shop = try Shop(generation)
    let app = try await install(shop)
    shop.server.mood = .down
    guard case .processing = try await app.buy(Shop.lifetime) else {
      Issue.record("a provisional verdict is no acceptance")
      return
    }
    #expect(app.access(to: Shop.lifetime) == .yes(until: nil, source: .device, provisional: true))
    #expect(app.effects == [])
    #expect(!app.isQueueEmpty)
    let record = try #require(app.manager.store.records().first)
    #expect(record.state == .received)
    #expect(record.rejections == 0)
    shop.server.mood = .truthful
    try await app.enterForeground()
    await app.waitUntilQueueIsEmpty()
    #expect(app.count(of: Shop.lifetime) == 1)
    #expect(app.access(to: Shop.lifetime) == .yes(until: nil, source: .server, provisional: false))
  }

  @Test("hands over on the device's word when the policy says so", arguments: generations)
  func handsOver(generation: StoreGeneration) async throws {
    let shop = try Shop(generation)
    let app = try await install(shop, .handsOver)
    shop.server.mood = .down
    guard case .delivered = try await app.buy(Shop.lifetime) else {
      Issue.record("not delivered")
      return
    }
    await app.waitUntilQueueIsEmpty()
    #expect(app.count(of: Shop.lifetime) == 1)
    #expect(app.access(to: Shop.lifetime) == .yes(until: nil, source: .device, provisional: true))
    shop.server.mood = .rejecting
    try await app.enterForeground()
    #expect(app.access(to: Shop.lifetime).isGranted == false, "the server has the last word")
  }

  @Test("takes no device's no for an answer", arguments: generations)
  func localNo(generation: StoreGeneration) async throws {
    let shop = try Shop(generation)
    let app = try await install(shop, local: .trusting(shop, bundleID: "com.example.other"))
    shop.server.mood = .down
    guard case .processing = try await app.buy(Shop.coins) else {
      Issue.record("the device's no is no refusal")
      return
    }
    #expect(app.manager.store.records().map(\.rejections) == [0])
    shop.server.mood = .truthful
    #expect(await app.letTimePass { app.count(of: Shop.coins) == 1 })
  }

  @Test("takes the server's no, whatever the device says", arguments: generations)
  func serverNo(generation: StoreGeneration) async throws {
    let shop = try Shop(generation)
    let app = try await install(shop, .handsOver)
    shop.server.mood = .rejecting
    #expect(try await app.buy(Shop.coins) == .failed(.receiptValidationFailed))
    #expect(app.effects == [])
  }

  @Test("needs no more of a custom validator than a verdict on bytes")
  func plainMembers() async throws {
    struct Plain: ReceiptValidator {
      var verdict: Bool?
      func validate(receiptData: Data, isSandbox: Bool) async throws -> ReceiptValidationResult {
        guard let verdict else { throw CancellationError() }
        return ReceiptValidationResult(isValid: verdict)
      }
    }
    let evidence = TransactionEvidence(
      signedTransaction: "a.b.c",
      transactionId: "1",
      originalTransactionId: "1",
      productId: "p",
      isSandbox: true
    )
    let silent = CompositeReceiptValidator(server: Plain(), local: Plain(verdict: true))
    #expect(try await silent.validate(evidence).isProvisional)
    #expect(try await silent.validate(receiptData: Data([1]), isSandbox: true).isValid)
    let nobody = CompositeReceiptValidator(server: Plain(), local: Plain(verdict: false))
    await #expect(throws: CancellationError.self) { _ = try await nobody.validate(evidence) }
    let speaking = CompositeReceiptValidator(server: Plain(verdict: true), local: Plain())
    #expect(try await speaking.validate(evidence).isProvisional == false)
  }
}

/// The shop's truthful server as a validator.
struct ServerOfTheShop: ReceiptValidator {
  let server: TruthfulServer

  func validate(receiptData: Data, isSandbox: Bool) async throws -> ReceiptValidationResult {
    throw IAPError.unknown
  }

  func validate(_ evidence: TransactionEvidence) async throws -> ReceiptValidationResult {
    try await server.judge(evidence)
  }
}

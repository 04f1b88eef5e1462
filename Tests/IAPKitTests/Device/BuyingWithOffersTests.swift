import AppStoreSimulator
import Foundation
import IAPKit
import IAPModel
import SimulatedApp
import SimulatedDevice
import Testing

@Suite("Buying with an offer", .timeLimit(.minutes(1)))
struct BuyingWithOffersTests {
  /// A shop with plans, a signer for its offers, and an app that uses it.
  private struct Stand {
    let shop: Shop
    let signer: TestSigner
    let app: SimulatedApp

    init(_ generation: StoreGeneration) async throws {
      shop = try Shop(generation, catalog: PlanCatalog.text)
      let signer = try TestSigner(shop.store)
      self.signer = signer
      app = try await shop.launch { configuration in
        configuration.productTypes = PlanCatalog.types
        configuration.offerSigner = signer
      }
    }

    /// Subscribes and lets it end.
    func lapse() async throws {
      _ = try await app.buy(PlanCatalog.silver)
      await app.waitUntilQueueIsEmpty()
      let first = try #require(shop.store.transactions(of: Shop.account).last)
      try shop.store.setAutoRenew(false, of: first.originalTransactionID)
      shop.store.clock.advance(by: 40 * 86_400)
    }

    /// The newest sale.
    var newest: StoreTransactionRecord? { shop.store.transactions(of: Shop.account).last }
  }

  @Test("has it signed for the order's token", arguments: generations)
  func promotional(generation: StoreGeneration) async throws {
    let stand = try await Stand(generation)
    try await stand.lapse()
    let options = PurchaseOptions(
      orderReference: "half",
      offer: .promotional(id: "half")
    )
    guard case .delivered = try await stand.app.buy(PlanCatalog.silver, options: options) else {
      Issue.record("not delivered")
      return
    }
    let newest = try #require(stand.newest)
    #expect(newest.offer?.reference == OfferReference(type: .promotional, id: "half"))
    let order = try #require(stand.app.manager.store.order("half"))
    #expect(newest.appAccountToken == order.accountToken)
    #expect(
      stand.signer.requests == [
        OfferSignatureRequest(
          format: .promotional,
          productId: PlanCatalog.silver.rawValue,
          offerId: "half",
          accountToken: order.accountToken.rawValue
        )
      ]
    )
  }

  @Test("has it signed as a JWS on StoreKit 2")
  func promotionalJWS() async throws {
    let stand = try await Stand(.storekit2)
    try await stand.lapse()
    let options = PurchaseOptions(offer: .promotionalJWS(id: "half", jws: nil))
    guard
      case .delivered(let result) = try await stand.app.buy(
        PlanCatalog.silver,
        options: options
      )
    else {
      Issue.record("not delivered")
      return
    }
    #expect(result.offerId == "half")
    #expect(stand.signer.requests.map(\.format) == [.promotionalJWS])
  }

  @Test("with a wrong signature sells nothing, and the next tap works", arguments: generations)
  func forged(generation: StoreGeneration) async throws {
    let stand = try await Stand(generation)
    try await stand.lapse()
    let count = stand.shop.store.transactions(of: Shop.account).count
    stand.signer.mood = .forging
    let options = PurchaseOptions(offer: .promotional(id: "half"))
    let outcome = try await stand.app.buy(PlanCatalog.silver, options: options)
    guard case .failed(.offerRefused(let problem)) = outcome else {
      Issue.record("not refused: \(outcome)")
      return
    }
    #expect(problem == .invalidSignature)
    #expect(stand.shop.store.transactions(of: Shop.account).count == count)
    stand.signer.mood = .honest
    guard case .delivered = try await stand.app.buy(PlanCatalog.silver, options: options) else {
      Issue.record("not delivered")
      return
    }
  }

  @Test("while the signer is silent may be tried again", arguments: generations)
  func silent(generation: StoreGeneration) async throws {
    let stand = try await Stand(generation)
    stand.signer.mood = .down
    let options = PurchaseOptions(offer: .promotional(id: "half"))
    guard case .failed(let error) = try await stand.app.buy(PlanCatalog.silver, options: options)
    else {
      Issue.record("no error")
      return
    }
    #expect(error == .network(underlying: URLError(.timedOut)))
    #expect(error.isRetryable)
    #expect(stand.app.manager.store.orders.map(\.state) == [.failed])
    #expect(stand.newest == nil)
  }

  @Test("for whoever may not have it is refused", arguments: generations)
  func ineligible(generation: StoreGeneration) async throws {
    let stand = try await Stand(generation)
    for (id, expected) in [("half", OfferProblem.ineligible), ("no", .invalidIdentifier)] {
      let outcome = try await stand.app.buy(
        PlanCatalog.silver,
        options: PurchaseOptions(offer: .promotional(id: id))
      )
      guard case .failed(.offerRefused(let problem)) = outcome else {
        Issue.record("not refused: \(outcome)")
        return
      }
      #expect(problem == expected)
    }
  }

  @Test("on the plan that runs is scheduled for its renewal", arguments: generations)
  func scheduled(generation: StoreGeneration) async throws {
    let stand = try await Stand(generation)
    _ = try await stand.app.buy(PlanCatalog.silver)
    await stand.app.waitUntilQueueIsEmpty()
    let options = PurchaseOptions(orderReference: "half", offer: .promotional(id: "half"))
    guard case .scheduled = try await stand.app.buy(PlanCatalog.silver, options: options) else {
      Issue.record("not scheduled")
      return
    }
    #expect(stand.app.manager.store.order("half")?.state == .scheduled)
  }

  @Test("to come back is listed and bought on StoreKit 2")
  func winBack() async throws {
    let stand = try await Stand(.storekit2)
    let ids = { try await stand.app.perform { try await $0.winBackOffers("silver").map(\.id) } }
    #expect(try await ids() == [])
    try await stand.lapse()
    #expect(try await ids() == ["please"])
    let options = PurchaseOptions(offer: .winBack(id: "please"))
    guard case .delivered = try await stand.app.buy(PlanCatalog.silver, options: options) else {
      Issue.record("not delivered")
      return
    }
    #expect(stand.newest?.offer?.reference == OfferReference(type: .winBack, id: "please"))
    #expect(try await ids() == [])
    let unknown = try await stand.app.buy(
      PlanCatalog.silver,
      options: PurchaseOptions(offer: .winBack(id: "no"))
    )
    #expect(unknown == .failed(.offerRefused(.invalidIdentifier)))
  }

  @Test("to come back does not exist on StoreKit 1")
  func noWinBack() async throws {
    let stand = try await Stand(.storekit1)
    await #expect(throws: IAPError.unsupported(reason: "")) {
      _ = try await stand.app.perform { try await $0.winBackOffers("silver") }
    }
  }

  @Test("heeds the server's word on the introductory offer", arguments: [true, false])
  func introductory(isAllowed: Bool) async throws {
    let stand = try await Stand(.storekit2)
    guard case .delivered(let coins) = try await stand.app.buy(PlanCatalog.coins) else {
      Issue.record("not delivered")
      return
    }
    var options = PurchaseOptions()
    options.introductoryEligibility = .signed(
      isAllowed: isAllowed,
      transactionId: coins.transactionId
    )
    _ = try await stand.app.buy(PlanCatalog.silver, options: options)
    #expect((stand.newest?.offer?.type == .introductory) == isAllowed)
    #expect(stand.signer.requests.map(\.format) == [.introductoryEligibilityJWS])
  }

  // MARK: Eligibility

  @Test("tells who may have the introductory offer", arguments: generations)
  func eligibility(generation: StoreGeneration) async throws {
    let stand = try await Stand(generation)
    let ask = { (id: ProductID) in
      try await stand.app.perform { await $0.introductoryOfferEligibility(id.rawValue) }
    }
    // StoreKit 1 has nothing but the receipt, and a new device has none.
    #expect(try await ask(PlanCatalog.silver) == (generation == .storekit1 ? .unknown : .eligible))
    _ = try await stand.app.buy(PlanCatalog.coins)
    #expect(try await ask(PlanCatalog.silver) == .eligible)
    #expect(try await ask(PlanCatalog.coins) == .notEligible)
    _ = try await stand.app.buy(PlanCatalog.gold)
    await stand.app.waitUntilQueueIsEmpty()
    #expect(try await ask(PlanCatalog.silver) == .notEligible)
    stand.app.device.isInAirplaneMode = true
    #expect(try await ask("nothing") == .unknown)
  }
}

import AppStoreSimulator
import Foundation
import IAPKit
import IAPModel
import SimulatedApp
import SimulatedDevice
import Synchronization
import Testing

/// A store of an app's own, as it would keep records in a database that it has anyway.
private final class OwnStorage: RecordStorage {
  private struct State {
    var rows: [StorageKey: [UInt8]] = [:]
    var order: [StorageKey] = []
    var isFull = false
    var writes = 0
  }

  private let state = Mutex(State())

  var isFull: Bool {
    get { state.withLock { $0.isFull } }
    set { state.withLock { $0.isFull = newValue } }
  }

  var kinds: Set<String> { state.withLock { Set($0.order.map(\.kind)) } }
  var writes: Int { state.withLock { $0.writes } }

  func load() throws -> StorageContents {
    state.withLock { state in
      StorageContents(entries: state.order.map { StorageEntry($0, state.rows[$0]) })
    }
  }

  func write(_ entries: [StorageEntry]) throws {
    try state.withLock { state in
      // An error of the app's own, not one of the client's.
      guard !state.isFull else { throw CocoaError(.fileWriteOutOfSpace) }
      state.writes += 1
      for entry in entries {
        if state.rows[entry.key] == nil, entry.body != nil { state.order.append(entry.key) }
        state.rows[entry.key] = entry.body
        if entry.body == nil { state.order.removeAll { $0 == entry.key } }
      }
    }
  }

  func close() {}
}

@Suite("A store of the app's own", .timeLimit(.minutes(1)))
struct OwnStorageTests {
  private func install(
    _ shop: Shop,
    _ storage: OwnStorage,
    hasHandler: Bool = true
  ) throws -> SimulatedApp {
    try shop.install { configuration in
      configuration.storage = storage
      if !hasHandler { configuration.delivery = nil }
    }
  }

  @Test("keeps orders and purchases over a restart", arguments: generations)
  func restart(generation: StoreGeneration) async throws {
    let shop = try Shop(generation)
    let storage = OwnStorage()
    let app = try install(shop, storage, hasHandler: false)
    try await app.launch()
    let options = PurchaseOptions(quantity: 2, orderReference: "A-1", context: ["level": "7"])
    let result = try await app.perform {
      try await $0.purchase(productId: Shop.coins.rawValue, options: options)
    }
    #expect(result.quantity == 2)
    #expect(storage.writes > 0)
    #expect(app.device.disk.flushedBytes(of: "iapkit.journal") == nil, "nothing beside it")
    try await app.launch()
    let store = app.manager.store
    #expect(store.pendingRecords().map(\.transactionId) == [result.transactionId])
    #expect(store.order("A-1")?.context == ["level": "7"])
    try await app.perform { try $0.store.markConsumed(result.transactionId) }
    await app.waitUntilQueueIsEmpty()
    try await app.launch()
    #expect(app.manager.store.pendingRecords() == [])
    #expect(app.manager.store.record(result.transactionId)?.isConsumed == true)
    #expect(storage.kinds.isSuperset(of: ["order", "transaction"]))
  }

  @Test("that cannot write lets nothing be bought", arguments: generations)
  func full(generation: StoreGeneration) async throws {
    let shop = try Shop(generation)
    let storage = OwnStorage()
    let app = try install(shop, storage)
    try await app.launch()
    _ = try await app.buy(Shop.lifetime)
    storage.isFull = true
    #expect(try await app.buy(Shop.coins) == .failed(.storage(.inputOutput)))
    #expect(shop.store.transactions(of: Shop.account).count == 1, "the sheet was not opened")
    storage.isFull = false
    guard case .delivered = try await app.buy(Shop.coins) else {
      Issue.record("not delivered")
      return
    }
  }

  @Test("is in memory where the app keeps nothing", arguments: generations)
  func memory(generation: StoreGeneration) async throws {
    let shop = try Shop(generation)
    let app = try await shop.launch { $0.storage = MemoryStorage() }
    guard case .delivered(let result) = try await app.buy(Shop.coins) else {
      Issue.record("not delivered")
      return
    }
    await app.waitUntilQueueIsEmpty()
    #expect(app.manager.store.record(result.transactionId) != nil)
    #expect(app.device.disk.flushedBytes(of: "iapkit.journal") == nil)
  }
}

/// Promotional offers by the usual form, which throws.
@Suite("The usual code with an offer", .timeLimit(.minutes(1)))
struct UsualOfferTests {
  @Test("buys a plan at the offer's price, signed by the app's server", arguments: generations)
  func promotional(generation: StoreGeneration) async throws {
    let shop = try Shop(generation, catalog: PlanCatalog.text)
    let signer = try TestSigner(shop.store)
    let app = try await shop.launch { configuration in
      configuration.productTypes = PlanCatalog.types
      configuration.offerSigner = signer
    }
    _ = try await app.buy(PlanCatalog.silver)
    await app.waitUntilQueueIsEmpty()
    let first = try #require(shop.store.transactions(of: Shop.account).last)
    try shop.store.setAutoRenew(false, of: first.originalTransactionID)
    shop.store.clock.advance(by: 40 * 86_400)
    let (offers, result) = try await app.perform { manager in
      let plan = try #require(try await manager.loadProducts(ids: ["silver"]).first)
      var options = PurchaseOptions()
      options.offer = .promotional(id: "half")
      return (
        plan.promotionalOffers,
        try await manager.purchase(productId: plan.id, options: options)
      )
    }
    #expect(offers.map(\.id) == ["half"])
    #expect(offers.first?.price == Decimal(string: "2.5"))
    #expect(result.productId == "silver")
    let newest = try #require(shop.store.transactions(of: Shop.account).last)
    #expect(newest.offer?.reference == OfferReference(type: .promotional, id: "half"))
    if generation == .storekit2 { #expect(result.offerId == "half") }
  }

  @Test("that was signed before takes the app's own token", arguments: generations)
  func signedBefore(generation: StoreGeneration) async throws {
    let shop = try Shop(generation, catalog: PlanCatalog.text)
    let signer = try TestSigner(shop.store)
    let app = try await shop.launch { $0.productTypes = PlanCatalog.types }
    _ = try await app.buy(PlanCatalog.silver)
    await app.waitUntilQueueIsEmpty()
    let first = try #require(shop.store.transactions(of: Shop.account).last)
    try shop.store.setAutoRenew(false, of: first.originalTransactionID)
    shop.store.clock.advance(by: 40 * 86_400)
    let token = UUID()
    let proof = try await signer.sign(
      OfferSignatureRequest(
        format: .promotional,
        productId: "silver",
        offerId: "half",
        accountToken: token
      )
    )
    guard case .signature(let signature) = proof else {
      Issue.record("no signature")
      return
    }
    let options = PurchaseOptions(accountToken: token, offer: .signed(id: "half", signature))
    let result = try await app.perform {
      try await $0.purchase(productId: "silver", options: options)
    }
    #expect(result.appAccountToken == token)
    #expect(shop.store.transactions(of: Shop.account).last?.offer?.reference.type == .promotional)
  }
}

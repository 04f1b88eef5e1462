import AppStoreSimulator
import Foundation
import IAPKit
import SimulatedApp
import SimulatedDevice
import Testing

@Suite("Both generations", .timeLimit(.minutes(1)))
struct FieldsTests {
  @Test("fill a product's fields with the same values, and leave out what they do not know")
  func products() async throws {
    let ids = [
      Shop.coins, Shop.lifetime, DemoCatalog.season, Shop.monthly, DemoCatalog.yearly,
    ]
    let old = try await Shop(.storekit1).launch().products(ids).products
    let new = try await Shop(.storekit2).launch().products(ids).products
    #expect(old.count == ids.count)
    #expect(new.count == ids.count)
    for (old, new) in zip(old, new) {
      // StoreKit 1 knows neither levels nor offers for lapsed subscribers.
      #expect(old.subscriptionGroupLevel == nil)
      #expect((new.subscriptionGroupLevel == nil) == (new.type != .autoRenewable))
      #expect(old.winBackOffers == [])
      let isSubscription = new.type == .autoRenewable
      let sameFields = IAPProduct(
        id: new.id,
        type: new.type,
        displayName: new.displayName,
        description: new.description,
        price: new.price,
        currency: new.currency,
        displayPrice: new.displayPrice,
        priceLocale: new.priceLocale,
        isFamilyShareable: new.isFamilyShareable,
        subscription: isSubscription
          ? IAPProduct.Subscription(
            groupID: new.subscriptionGroupID,
            period: new.subscriptionPeriod,
            introductoryOffer: new.introductoryOffer,
            promotionalOffers: new.promotionalOffers
          )
          : nil
      )
      #expect(old == sameFields)
    }
  }

  @Test("fill a transaction's fields with what they know, and invent nothing")
  func transactions() async throws {
    for generation in generations {
      let shop = try Shop(generation)
      let app = try await shop.launch()
      guard case .delivered(let result) = try await app.buy(Shop.monthly) else {
        Issue.record("not delivered")
        return
      }
      let record = try #require(shop.store.transactions(of: Shop.account).first)
      let order = try #require(app.manager.store.orders.first)
      #expect(result.transactionId == record.transactionID.rawValue)
      #expect(result.originalTransactionId == result.transactionId)
      #expect(result.productId == Shop.monthly.rawValue)
      #expect(result.productType == .autoRenewable)
      #expect(result.purchaseDate == record.purchaseDate)
      #expect(result.quantity == 1)
      #expect(result.revocationDate == nil)
      #expect(result.appAccountToken == order.accountToken.rawValue)
      #expect(result.orderNumber == order.id)
      #expect(result.generation == generation)
      // Only signed data name these.
      let isSigned = generation == .storekit2
      #expect((result.jws != nil) == isSigned)
      #expect(result.environment == (isSigned ? .sandbox : nil))
      #expect(result.ownership == (isSigned ? .purchased : nil))
      #expect(result.price == (isSigned ? Decimal(string: "4.99") : nil))
      #expect(result.currency == (isSigned ? "USD" : nil))
      #expect((result.webOrderLineItemId != nil) == isSigned)
      #expect(result.offerType == nil)
    }
  }

  @Test("write log and journal where the configuration says")
  func logAndFolder() async throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("iapkit-log-\(UUID().uuidString)", isDirectory: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let device = try SimulatedDevice(
      store: try Shop(.storekit2).store,
      account: Shop.account,
      id: "phone"
    )
    for level in [LogLevel.info, .warning] {
      let lines = EventLog<LogLine>()
      try await device.launch().run {
        var configuration = IAPConfiguration(productIds: [Shop.coins.rawValue], isSandbox: true)
        configuration.storeDirectory = folder.appendingPathComponent("\(level)")
        configuration.logLevel = level
        configuration.logHandler = { lines.append($0) }
        let manager = IAPManager(configuration: configuration)
        _ = try await manager.products(ids: [Shop.coins.rawValue, "two words"])
        _ = try await manager.purchase(productId: Shop.coins.rawValue)
        await lines.wait { $0.level == .error }
        if level == .info { await lines.wait { $0.message.hasPrefix("started: ") } }
      }
      #expect(lines.elements.allSatisfy { $0.level >= level })
      #expect(lines.elements.contains { $0.level == .info } == (level == .info))
      let place = folder.appendingPathComponent("\(level)").path
      let names = try FileManager.default.contentsOfDirectory(atPath: place)
      #expect(names.contains("iapkit.journal"))
    }
  }
}

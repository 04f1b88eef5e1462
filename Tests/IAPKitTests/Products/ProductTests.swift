import AppStoreSimulator
import Foundation
import IAPKit
import IAPModel
import SimulatedApp
import SimulatedDevice
import Testing

@Suite("Products on a device", .timeLimit(.minutes(1)))
struct ProductTests {
  @Test(
    "come in the order asked for, among so many ids that the store does not know",
    arguments: generations,
    [0, 1, 96, 97, 996]
  )
  func manyIDs(generation: StoreGeneration, unknown: Int) async throws {
    let app = try await Shop(generation).launch()
    let known = [Shop.monthly, Shop.coins, DemoCatalog.yearly, Shop.lifetime].map(\.rawValue)
    let others = (0..<unknown).map { "com.example.unknown.\($0)" }
    let half = unknown / 2
    let ids = [known[0]] + others[..<half] + known[1...] + others[half...] + known
    let answer = try await app.perform { try await $0.products(ids: ids) }
    #expect(answer.products.map(\.id) == known)
    #expect(answer.missing == others)
    #expect(answer.report?.ids == (others.isEmpty ? nil : others))
  }

  @Test("that cannot exist are reported loudly and harm nobody", arguments: generations)
  func impossibleIDs(generation: StoreGeneration) async throws {
    let app = try await Shop(generation).launch()
    let bad = ["", " ", "two words", "coins🪙"]
    let answer = try await app.perform {
      try await $0.products(ids: bad + [Shop.coins.rawValue] + bad)
    }
    #expect(answer.products.map(\.id) == [Shop.coins.rawValue])
    #expect(answer.missing == bad)
    #expect(answer.report?.impossibleIds == bad)
    #expect(answer.report?.causes == [.impossibleId])
    let text = try #require(answer.report?.text(.english))
    #expect(app.lines.elements.contains(LogLine(.error, text)))
    #expect(try await app.perform { try await $0.products(ids: []) }.products.isEmpty)
    for id in bad {
      #expect(try await app.perform { await $0.buy(id) } == .failed(.productNotFound(id: id)))
    }
  }

  @Test("that are missing are explained to the app and in the log", arguments: generations)
  func explained(generation: StoreGeneration) async throws {
    let app = try await Shop(generation).launch()
    let none = try await app.perform { try await $0.products(ids: ["nothing.here"]) }
    #expect(none.report?.causes.first == .agreementMissing)
    #expect(none.report?.surroundings.storefront == "USA")
    #expect(none.report?.surroundings.generation == generation)
    let text = try #require(none.report?.text(.english))
    #expect(text.contains("the kind of account cannot be read"))
    #expect(app.lines.elements.contains(LogLine(.warning, text)))
    let some = try await app.perform {
      try await $0.products(ids: [Shop.coins.rawValue, "nothing.here"])
    }
    #expect(some.report?.causes.first == .wrongId)
    #expect(some.report?.text(.simplifiedChinese).contains("无法读取账户类型") == true)
  }

  @Test("are used again as the policy says", arguments: generations)
  func cache(generation: StoreGeneration) async throws {
    let shop = try Shop(generation)
    let app = try await shop.launch()
    let ids = [Shop.coins.rawValue, Shop.monthly.rawValue]
    let load: @Sendable (ProductCachePolicy?) async throws -> [String] = { policy in
      try await app.perform { try await $0.products(ids: ids, cache: policy).products.map(\.id) }
    }
    #expect(try await load(nil) == ids)
    app.device.isInAirplaneMode = true
    #expect(try await load(.use) == ids)
    #expect(try await load(nil) == ids)
    await #expect(throws: IAPError.productLoadFailed(underlying: CancellationError())) {
      _ = try await load(.reload)
    }
    // What is not known is asked for, whatever the policy.
    await #expect(throws: IAPError.productLoadFailed(underlying: CancellationError())) {
      _ = try await app.perform {
        try await $0.products(ids: [Shop.lifetime.rawValue], cache: .use)
      }
    }
    shop.store.clock.advance(by: 60)
    #expect(try await load(.maxAge(60)) == ids)
    await #expect(throws: IAPError.productLoadFailed(underlying: CancellationError())) {
      _ = try await load(.maxAge(59))
    }
    shop.store.clock.advance(by: 3541)
    await #expect(throws: IAPError.productLoadFailed(underlying: CancellationError())) {
      _ = try await load(nil)
    }
    #expect(try await load(.use) == ids)
  }

  @Test("are forgotten when the storefront changes, and so are StoreKit's", arguments: generations)
  func storefrontChange(generation: StoreGeneration) async throws {
    let shop = try Shop(generation)
    let app = try await shop.launch()
    let changes = app.manager.storefrontStream
    #expect(try await app.products([Shop.coins]).products.map(\.currency) == ["USD"])
    let before = try await app.perform { await $0.storefront() }
    #expect(
      before
        == IAPStorefront(
          id: "143441",
          countryCode: "USA",
          currency: generation == .storekit2 ? "USD" : nil
        )
    )
    try shop.store.setStorefront(.of(countryCode: "JPN"), of: Shop.account)
    // Whoever asks first sees it, also before StoreKit has announced it.
    let answer = try await app.perform {
      try await $0.products(ids: [Shop.coins.rawValue], cache: .use)
    }
    #expect(answer.products.map(\.currency) == ["JPY"])
    var iterator = changes.makeAsyncIterator()
    #expect(await iterator.next()?.countryCode == "JPN")
    _ = try await app.buy(Shop.coins)
    let bought = try #require(shop.store.transactions(of: Shop.account).first)
    #expect(bought.storefront.countryCode == "JPN")
  }

  @Test("that were not loaded are loaded before they are bought", arguments: generations)
  func uncached(generation: StoreGeneration) async throws {
    let app = try await Shop(generation).launch()
    guard case .delivered = try await app.buy(Shop.coins) else {
      Issue.record("not delivered")
      return
    }
    app.device.isInAirplaneMode = true
    // It is known now; the purchase itself fails without a network.
    #expect(
      try await app.perform { try await $0.products(ids: [Shop.coins.rawValue], cache: .use) }
        .products.count == 1
    )
    #expect(
      try await app.buy(Shop.lifetime)
        == .failed(.productLoadFailed(underlying: CancellationError()))
    )
  }

  @Test("are priced in the store's locale and format, and per period", arguments: generations)
  func prices(generation: StoreGeneration) async throws {
    let rows: [(locale: String, storefront: Storefront, month: String)] = [
      ("ja_JP", try .of(countryCode: "JPN"), "4"),
      ("ar_KW", Storefront(countryCode: "KWT", id: "143493", currency: "KWD"), "4.166"),
      ("he_IL", Storefront(countryCode: "ISR", id: "143491", currency: "ILS"), "4.17"),
      ("de_DE", try .of(countryCode: "DEU"), "4.17"),
    ]
    for row in rows {
      let shop = try Shop(
        generation,
        catalog: DemoCatalog.text.replacing(
          #""_locale" : "en_US""#,
          with: #""_locale" : "\#(row.locale)""#
        ),
        storefront: row.storefront
      )
      let product = try #require(
        try await shop.launch().products([DemoCatalog.yearly]).products.first
      )
      let style = Decimal.FormatStyle.Currency(
        code: row.storefront.currency,
        locale: Locale(identifier: "\(row.locale)@currency=\(row.storefront.currency)")
      )
      #expect(product.currency == row.storefront.currency)
      #expect(product.displayPrice == product.price.formatted(style))
      let month = try #require(product.price(per: .month))
      #expect(month.amount == Decimal(string: row.month))
      #expect(month.displayPrice == month.amount.formatted(style))
    }
  }

  @Test("tell their trial in words", arguments: generations)
  func trial(generation: StoreGeneration) async throws {
    let app = try await Shop(generation).launch()
    let yearly = try #require(try await app.products([DemoCatalog.yearly]).products.first)
    #expect(yearly.offerText(.english) == "1 week free, then $49.99 per year")
    #expect(yearly.offerText(.simplifiedChinese) == "免费试用 1 周，之后每年 $49.99")
  }

  @Test("stand in the line that opens the log, with where they are sold", arguments: generations)
  func startLine(generation: StoreGeneration) async throws {
    let shop = try Shop(generation)
    let app = try await shop.launch()
    let ids = [Shop.coins, Shop.lifetime, DemoCatalog.season, Shop.monthly]
      .map(\.rawValue).joined(separator: " ")
    let place = "(the kind of account cannot be read), storefront USA, \(generation)"
    let first =
      "started: environment hint sandbox \(place), 4 products \(ids), open orders 0,"
      + " unfinished records 0"
    await app.lines.wait { $0 == LogLine(.info, first) }
    shop.server.mood = .down
    _ = try await app.buy(Shop.coins)
    try await app.launch()
    // What is signed names the environment.
    let environment = generation == .storekit2 ? "Sandbox" : "hint sandbox"
    let second =
      "started: environment \(environment) \(place), 4 products \(ids), open orders 0,"
      + " unfinished records 1"
    await app.lines.wait { $0 == LogLine(.info, second) }
    #expect(app.lines.elements.contains(LogLine(.info, second)))
  }
}

@Suite("The download of the app", .timeLimit(.minutes(1)))
struct AppTransactionTests {
  @Test("is known on both generations, and says nothing about money in the sandbox")
  func sandbox() async throws {
    for generation in generations {
      let app = try await Shop(generation).launch()
      // StoreKit 1 reads the receipt, which a device may not have before somebody asks.
      let found = try await app.perform { try await $0.refreshAppTransaction() }
      #expect(found.integrity == .verified)
      #expect(found.bundleId == DemoCatalog.bundleID.rawValue)
      #expect(found.originalAppVersion == "1.0")
      #expect(found.environment == .sandbox)
      #expect(found.originalPurchaseDate != nil)
      #expect((found.jws != nil) == (generation == .storekit2))
      #expect(
        BusinessModelChange(version: "2").customer(found, acceptsUnchecked: true)
          == .unknown(.notProduction)
      )
      #expect(try await app.perform { await $0.surroundings() }.environment == .sandbox)
      let again = try await app.perform { try await $0.appTransaction() }
      #expect(again.bundleId == found.bundleId)
    }
  }

  @Test("is read from a receipt that nobody can check, and says so")
  func unchecked() async throws {
    let app = try Shop(.storekit1).install()
    app.update { $0.trust = nil }
    try await app.launch()
    let found = try await app.perform { try await $0.refreshAppTransaction() }
    #expect(found.integrity == .unchecked)
    #expect(BusinessModelChange(version: "2").customer(found) == .unknown(.notVerified))
  }

  @Test("is not believed when the receipt was changed")
  func changedReceipt() async throws {
    let app = try Shop(.storekit1).install()
    app.update { setup in
      setup.receipt = { device in
        guard var bytes = device.receipt else { return nil }
        bytes[bytes.count - 1] ^= 1
        return bytes
      }
    }
    try await app.launch()
    let found = try await app.perform { try await $0.refreshAppTransaction() }
    guard case .unverified = found.integrity else {
      Issue.record("believed: \(found.integrity)")
      return
    }
  }

  @Test("is missing where there is neither a signed text nor a receipt")
  func missing() async throws {
    let app = try Shop(.storekit1).install()
    app.update { $0.receipt = { _ in nil } }
    try await app.launch()
    await #expect(throws: IAPError.verificationFailed(underlying: CancellationError())) {
      _ = try await app.perform { try await $0.appTransaction() }
    }
  }

  @Test("is not believed when its signature does not hold")
  func tampered() async throws {
    let shop = try Shop(.storekit2)
    let app = try await shop.launch()
    shop.store.changeFaults { $0.signature = .broken }
    let found = try await app.perform { try await $0.appTransaction() }
    guard case .unverified = found.integrity else {
      Issue.record("believed: \(found.integrity)")
      return
    }
    #expect(BusinessModelChange(version: "2").customer(found) == .unknown(.notVerified))
  }

  @Test("is asked for anew only when somebody taps, who may refuse to sign in")
  func refused() async throws {
    let app = try await Shop(.storekit2).launch()
    app.device.person.signsIn = false
    #expect(try await app.perform { try await $0.appTransaction() }.integrity == .verified)
    await #expect(throws: IAPError.userCancelled) {
      _ = try await app.perform { try await $0.refreshAppTransaction() }
    }
  }
}

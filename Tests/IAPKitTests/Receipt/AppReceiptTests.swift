import AppStoreSimulator
import Foundation
import IAPKit
import IAPModel
import SimulatedApp
import SimulatedDevice
import Testing

@Suite("The app receipt", .timeLimit(.minutes(1)))
struct AppReceiptTests {
  private func receipt(_ app: SimulatedApp) async throws -> AppReceipt? {
    try await app.perform { try $0.appReceipt() }
  }

  @Test("says which app, which version and which purchases, once there is one")
  func content() async throws {
    for generation in generations {
      let shop = try Shop(generation)
      let app = try await shop.launch()
      #expect(try await receipt(app) == nil, "the sandbox has none before the first purchase")
      _ = try await app.buy(Shop.lifetime)
      _ = try await app.buy(Shop.monthly)
      await app.waitUntilQueueIsEmpty()
      let found = try await app.perform { try await $0.refreshedAppReceipt() }
      let receipt = try #require(found)
      #expect(receipt.bundleID == DemoCatalog.bundleID)
      #expect(receipt.environment == .sandbox)
      #expect(receipt.appVersion != nil)
      #expect(receipt.creationDate.map { $0 >= Shop.start } == true)
      let lifetime = try #require(receipt.purchases.first { $0.productID == Shop.lifetime })
      let monthly = try #require(receipt.purchases.first { $0.productID == Shop.monthly })
      let sold = shop.store.transactions(of: Shop.account)
      #expect(Set(receipt.purchases.map(\.id)) == Set(sold.map(\.transactionID)))
      #expect(lifetime.type == .nonConsumable)
      #expect(lifetime.quantity == 1)
      #expect(lifetime.expiresDate == nil)
      #expect(monthly.type == .autoRenewable)
      #expect(monthly.webOrderLineItemID != nil)
      #expect(monthly.expiresDate.map { $0 > Shop.start } == true)
      #expect(monthly.cancellationDate == nil)
    }
  }

  @Test("counts only with the right signature, app, device and version")
  func refused() async throws {
    let shop = try Shop(.storekit1)
    let app = try shop.install()
    let vendor = withUnsafeBytes(of: app.device.identifierForVendor.uuid) { Array($0) }
    var trust = try DeviceTrust.of(shop)
    trust.deviceID = vendor
    app.update { [trust] in $0.trust = trust }
    try await app.launch()
    _ = try await app.buy(Shop.lifetime)
    let genuine = try #require(try await receipt(app))
    let bytes = try #require(app.device.receipt)

    func launch(_ trust: DeviceTrust?, reading bytes: [UInt8]) async throws {
      app.update {
        $0.trust = trust
        $0.receipt = { _ in bytes }
      }
      try await app.launch()
    }
    let wrong = IAPError.verificationFailed(underlying: SignatureNotVerified())

    var changed = bytes
    changed[bytes.count / 2] ^= 1
    try await launch(trust, reading: changed)
    await #expect(throws: wrong) { _ = try await receipt(app) }
    try await launch(trust, reading: Array("<html>".utf8))
    await #expect(throws: wrong) { _ = try await receipt(app) }
    try await launch(.of(shop, bundleID: "com.example.other"), reading: bytes)
    await #expect(throws: wrong) { _ = try await receipt(app) }
    trust.deviceID?[0] ^= 1
    try await launch(trust, reading: bytes)
    await #expect(throws: wrong) { _ = try await receipt(app) }
    trust.deviceID = vendor
    trust.appVersion = (genuine.appVersion ?? "") + ".1"
    try await launch(trust, reading: bytes)
    await #expect(throws: IAPError.staleReceipt) { _ = try await receipt(app) }
    trust.appVersion = genuine.appVersion
    try await launch(trust, reading: bytes)
    #expect(try await receipt(app) == genuine)
    try await launch(nil, reading: bytes)
    #expect(try await receipt(app) == nil, "who cannot check it says nothing about it")
  }

  @Test("that is older than the app delays a purchase and never refuses it")
  func olderVersion() async throws {
    let shop = try Shop(.storekit1)
    let app = try shop.install()
    var trust = try DeviceTrust.of(shop)
    trust.appVersion = "a later one"
    app.update { [trust] in $0.judge = .validator(LocalReceiptValidator(trust: trust)) }
    try await app.launch()
    guard case .processing = try await app.buy(Shop.coins) else {
      Issue.record("no verdict is no refusal")
      return
    }
    #expect(app.manager.store.records().map(\.rejections) == [0])
    #expect(!app.isQueueEmpty)
  }

  @Test("may be stood in for in debug builds only, and proves nothing by that")
  func standIn() async throws {
    let shop = try Shop(.storekit1)
    let donor = try await shop.launch(on: "donor")
    _ = try await donor.buy(Shop.lifetime)
    let other = try #require(donor.device.receipt)
    let app = try shop.install { $0.standInReceipt = Data(other) }
    app.update { $0.receipt = { _ in nil } }
    try await app.launch()
    let found = try await receipt(app)
    #if DEBUG
    #expect(found?.purchases.map(\.productID) == [Shop.lifetime])
    #else
    #expect(found == nil)
    #endif
    let junk = try shop.install(on: "junk") { $0.standInReceipt = Data("junk".utf8) }
    let trust = try DeviceTrust.of(shop)
    junk.update {
      $0.receipt = { _ in nil }
      $0.judge = .validator(LocalReceiptValidator(trust: trust))
    }
    try await junk.launch()
    let outcome = try await junk.buy(Shop.coins)
    #expect(junk.effects == [])
    #if DEBUG
    #expect(outcome == .failed(.receiptValidationFailed))
    #endif
  }

  @Test("is asked for at most every half minute, however often the app asks")
  func throttled() async throws {
    let app = try await Shop(.storekit1).launch()
    _ = try await app.buy(Shop.lifetime)
    let first = try await app.perform { try await $0.refreshedAppReceipt() }
    app.device.store.clock.advance(by: DeliveryFunnel.receiptRequestSecondsMin - 1)
    let second = try await app.perform { try await $0.refreshedAppReceipt() }
    #expect(second?.creationDate == first?.creationDate)
    app.device.store.clock.advance(by: 1)
    let third = try await app.perform { try await $0.refreshedAppReceipt() }
    #expect(third?.creationDate != first?.creationDate)
  }
}

@Suite("What Xcode signs", .timeLimit(.minutes(1)))
struct LocalTestEvidenceTests {
  @Test("is neither accepted nor refused without its certificate")
  func transaction() async throws {
    let shop = try Shop(.storekit2)
    let header = Data(#"{"alg":"ES256","kid":"Apple_Xcode_Key","x5c":["AA=="]}"#.utf8)
    let claims = Data(
      #"""
      {"transactionId":"0","originalTransactionId":"0","bundleId":"\#(DemoCatalog.bundleID)",
      "productId":"coins","purchaseDate":1700000000000.25,"environment":"Xcode"}
      """#.utf8
    )
    let text = [header, claims, Data([1])].map { data in
      data.base64EncodedString().replacingOccurrences(of: "+", with: "-")
        .replacingOccurrences(of: "/", with: "_").replacingOccurrences(of: "=", with: "")
    }
    let validator = try LocalReceiptValidator.trusting(shop)
    await #expect(throws: IAPError.verificationFailed(underlying: SignatureNotVerified())) {
      _ = try await validator.validate(
        receiptData: Data(text.joined(separator: ".").utf8),
        isSandbox: true
      )
    }
  }
}

import AppStoreSimulator
import Foundation
import IAPModel
import SimulatedDevice
import StoreKit
import Testing

/// The parts of StoreKit that few apps use.
@Suite(.timeLimit(.minutes(1))) struct StoreKit2RareTests {
  @Test func purchasesOutsideOfTheStoreAreForEntitledAppsOnly() async throws {
    let process = try DeviceWorld().device().launch()
    try await process.run {
      #expect(await ExternalPurchase.canPresent == false)
      #expect(await ExternalPurchaseLink.canOpen == false)
      #expect(await ExternalPurchaseLink.eligibleURLs == nil)
      #expect(await ExternalPurchaseCustomLink.isEligible == false)
      let token = try await ExternalPurchaseCustomLink.token(for: "ACQUISITION")
      #expect(token == nil)
      #expect(await ExternalLinkAccount.canOpen == false)
      await expectNotEntitled { _ = try await ExternalPurchase.presentNoticeSheet() }
      await expectNotEntitled { try await ExternalPurchaseLink.open() }
      await expectNotEntitled {
        _ = try await ExternalPurchaseCustomLink.showNotice(type: .browser)
      }
      await expectNotEntitled { try await ExternalLinkAccount.open() }
    }
  }

  @Test func anotherPaymentMethodOrACustomProductIsNotToBeHad() async throws {
    let process = try DeviceWorld().device().launch()
    try await process.run {
      await #expect(throws: PaymentMethodBinding.PaymentMethodBindingError.notEligible) {
        _ = try await PaymentMethodBinding(id: "a-method")
      }
      await #expect(throws: PaymentMethodBinding.PaymentMethodBindingError.invalidPinningID) {
        _ = try await PaymentMethodBinding(id: "")
      }
      let error = await #expect(throws: StoreKitError.self) {
        _ = try await AdvancedCommerceProduct(id: "a.generic.product")
      }
      guard case .unsupported? = error else {
        return #expect(Bool(false), "\(String(describing: error))")
      }
    }
  }

  @Test func promotedProductsKeepTheirOrderOnTheDevice() async throws {
    let world = try DeviceWorld()
    let device = try world.device()
    let first = device.launch()
    try await first.run {
      #expect(try await Product.PromotionInfo.currentOrder.isEmpty)
      try await Product.PromotionInfo.updateProductOrder(
        byID: [DeviceWorld.yearly, DeviceWorld.coins]
      )
      try await Product.PromotionInfo.updateProductVisibility(.hidden, for: DeviceWorld.coins)
    }
    first.kill()
    let second = device.launch()
    let order = try await second.run {
      try await Product.PromotionInfo.currentOrder.map { "\($0.productID) \($0.visibility)" }
    }
    let expected = [
      "\(DeviceWorld.yearly) appStoreConnectDefault", "\(DeviceWorld.coins) hidden",
    ]
    #expect(order == expected)
    #expect(device.promotionOrder.map(\.rawValue) == [DeviceWorld.yearly, DeviceWorld.coins])
    #expect(device.hiddenPromotions == [DemoCatalog.coins])
    try await second.run {
      var all = try await Product.PromotionInfo.currentOrder
      all[1].visibility = .visible
      try await Product.PromotionInfo.updateAll(all.reversed())
      all[0].visibility = .hidden
      try await all[0].update()
    }
    #expect(device.promotionOrder.map(\.rawValue) == [DeviceWorld.coins, DeviceWorld.yearly])
    #expect(device.hiddenPromotions == [DemoCatalog.yearly])
    try await second.run { try await Product.PromotionInfo.updateAll([]) }
    #expect(device.promotionOrder.isEmpty)
    #expect(try world.device("other").promotionOrder.isEmpty)
  }

  @Test func aBillingIssueIsAMessageOnceForEachLaunch() async throws {
    let world = try DeviceWorld()
    let device = try world.device()
    let process = device.launch()
    let heard = Heard<Message>()
    process.start { for await message in Message.messages { heard.add(message) } }
    _ = try await process.bought(DeviceWorld.monthly)
    device.show(.generic)
    #expect(await heard.next(1).map(\.reason) == [.generic])
    try world.store.setPayment(works: false, of: DeviceWorld.account)
    world.advance(days: 40)
    #expect(await heard.next(1).map(\.reason) == [.billingIssue])
    world.advance(days: 1)
    #expect(await heard.rest().isEmpty)
    let again = Heard<Message>()
    device.launch().start { for await message in Message.messages { again.add(message) } }
    #expect(await again.next(1).map(\.reason) == [.billingIssue])
  }

  @Test func anOfferOptionThatLacksAPartIsRefused() async throws {
    let process = try DeviceWorld().device().launch()
    await #expect(throws: Product.PurchaseError.missingOfferParameters) {
      _ = try await process.buy(
        DeviceWorld.monthly,
        options: [.custom(key: "adHocOfferId", value: "an.offer")]
      )
    }
    await #expect(throws: Product.PurchaseError.missingOfferParameters) {
      _ = try await process.buy(
        DeviceWorld.monthly,
        options: Set(Product.PurchaseOption.promotionalOffer("an.offer", compactJWS: ""))
      )
    }
    await #expect(throws: Product.PurchaseError.missingOfferParameters) {
      let unsigned = Product.PurchaseOption.promotionalOffer(
        offerID: "an.offer",
        keyID: "KEY",
        nonce: UUID(),
        signature: Data(),
        timestamp: 1
      )
      _ = try await process.buy(DeviceWorld.monthly, options: [unsigned])
    }
  }

  @Test func whatTheStoreCannotSellIsSaidAndNotIgnored() async throws {
    let world = try DeviceWorld()
    let process = try world.device().launch()
    let error = await #expect(throws: StoreKitError.self) {
      _ = try await process.buy(DeviceWorld.monthly, options: [.billingPlanType(.monthly)])
    }
    #expect("\(try #require(error))" == "unsupported")
    #expect(world.transactions.isEmpty)
    let ignored: Set<Product.PurchaseOption> = [
      .billingPlanType(.upFront), .custom(key: "note", value: true),
    ]
    #expect(try await process.bought(DeviceWorld.monthly, options: ignored).price != nil)
  }

  @Test func optionsAreEqualByWhatTheyAskFor() {
    typealias Option = Product.PurchaseOption
    let jws = Option.promotionalOffer("an.offer", compactJWS: "a.b.c")
    #expect(
      jws == [
        .custom(key: "adHocOfferId", value: "an.offer"),
        .custom(key: "adHocSignature", value: Data("a.b.c".utf8).base64EncodedString()),
      ]
    )
    #expect(Option.custom(key: "a", value: 1.0) != .custom(key: "a", value: true))
    #expect(Option.onStorefrontChange { _ in true } == .onStorefrontChange { _ in false })
    let text = jws.map(\.debugDescription).joined()
    #expect(!text.contains(Data("a.b.c".utf8).base64EncodedString()))
  }

  @Test func aProductIsItsJSON() async throws {
    let process = try DeviceWorld().device().launch()
    let find = { @Sendable () async throws -> Product in
      try #require(try await Product.products(for: [DeviceWorld.yearly]).first)
    }
    let product = try await process.run { try await find() }
    let again = try await process.run { try await find() }
    #expect(product == again)
    #expect(product.jsonRepresentation == again.jsonRepresentation)
    #expect(product.debugDescription.utf8.elementsEqual(product.jsonRepresentation))
    let object = try JSONParser.parseObject(Array(product.jsonRepresentation))
    let attributes = object["attributes"]?.objectValue
    #expect(object["id"]?.stringValue == DeviceWorld.yearly)
    #expect(attributes?["subscriptionFamilyRank"]?.integerValue != nil)
    #expect(attributes?["recurringSubscriptionPeriod"]?.stringValue == "P1Y")
    #expect(product.subscription?.pricingTerms.isEmpty == true)
  }

  @Test func periodsAreRangesOfTheGregorianCalendar() throws {
    let start = try #require(
      Calendar(identifier: .gregorian)
        .date(from: DateComponents(year: 2025, month: 1, day: 31, hour: 12))
    )
    let month = Product.SubscriptionPeriod.monthly.dateRange(referenceDate: start)
    #expect(month.lowerBound == start)
    #expect(Calendar(identifier: .gregorian).component(.day, from: month.upperBound) == 28)
    let weeks = Product.SubscriptionPeriod.everyTwoWeeks
    let range = weeks.formatted(SecondsOfRange(), referenceDate: start)
    #expect(range == 14 * 86_400)
    let units = Duration.UnitsFormatStyle(allowedUnits: [.days], width: .wide)
      .locale(Locale(identifier: "en_US"))
    #expect(weeks.formatted(units, referenceDate: start) == "14 days")
    #expect(Product.SubscriptionPeriod.Unit.day < .year)
  }

  @Test func theNameOfAUnitSurvivesEncoding() async throws {
    let process = try DeviceWorld().device().launch()
    let product = try await process.run {
      try #require(try await Product.products(for: [DeviceWorld.monthly]).first)
    }
    let style = product.subscriptionPeriodUnitFormatStyle
    #expect(Product.SubscriptionPeriod.Unit.month.formatted(style) == "month")
    let data = try JSONEncoder().encode(style)
    let decoded = try JSONDecoder().decode(
      Product.SubscriptionPeriod.Unit.FormatStyle.self,
      from: data
    )
    #expect(decoded == style)
    #expect(style.locale(Locale(identifier: "fr_FR")) != style)
  }
}

private struct SecondsOfRange: Foundation.FormatStyle {
  func format(_ value: Range<Date>) -> Double {
    value.upperBound.timeIntervalSince(value.lowerBound)
  }
}

private func expectNotEntitled(_ body: @Sendable () async throws -> Void) async {
  let error = await #expect(throws: StoreKitError.self) { try await body() }
  guard case .notEntitled? = error else {
    return #expect(Bool(false), "\(String(describing: error))")
  }
}

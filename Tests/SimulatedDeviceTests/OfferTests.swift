import AppStoreSimulator
import Foundation
import IAPModel
import SimulatedDevice
import StoreKit
import Testing

@Suite("Offers on a device", .timeLimit(.minutes(1)))
struct OfferTests {
  typealias Option = Product.PurchaseOption

  private func lapsed() throws -> (OfferWorld, SimulatedDevice, AppProcess) {
    let shop = try OfferWorld()
    let device = try shop.world.device()
    try shop.lapse(on: device)
    return (shop, device, device.launch())
  }

  @Test func aSignatureOfTheOlderFormIsChecked() async throws {
    let (shop, _, process) = try lapsed()
    let token = UUID()
    let signature = try shop.signature(of: "half", user: token.uuidString.lowercased())
    let options: Set<Option> = [
      .promotionalOffer(offerID: "half", signature: signature), .appAccountToken(token),
    ]
    let bought = try await process.bought(OfferWorld.silver, options: options)
    #expect(bought.offer?.id == "half")
    #expect(bought.offer?.type == .promotional)
    #expect(bought.offer?.paymentMode == .payAsYouGo)
    #expect(bought.price == Decimal(string: "2.5"))
    // A nonce is good for one attempt.
    await #expect(throws: Product.PurchaseError.invalidOfferSignature) {
      _ = try await process.buy(OfferWorld.silver, options: options)
    }
  }

  @Test func aCompactJWSIsChecked() async throws {
    let (shop, _, process) = try lapsed()
    let jws = try shop.jws(
      audience: "promotional-offer",
      [JSONMember("offerIdentifier", "half")]
    )
    let wrong = Set(Option.promotionalOffer("half", compactJWS: jws + "x"))
    await #expect(throws: Product.PurchaseError.invalidOfferSignature) {
      _ = try await process.buy(OfferWorld.silver, options: wrong)
    }
    let again = try shop.jws(
      audience: "promotional-offer",
      [JSONMember("offerIdentifier", "half")]
    )
    let bought = try await process.bought(
      OfferWorld.silver,
      options: Set(Option.promotionalOffer("half", compactJWS: again))
    )
    #expect(bought.offer?.id == "half")
  }

  @Test func aRefusedOfferIsAPurchaseErrorAndChargesNothing() async throws {
    let (shop, _, process) = try lapsed()
    let count = shop.world.transactions.count
    let right = try shop.signature(of: "half")
    var foreign = right
    foreign.keyID = "OTHER"
    let old = try shop.signature(of: "half", age: 24 * 3600 + 1)
    let unknown = try shop.signature(of: "nothing")
    let table: [(Set<Option>, Product.PurchaseError)] = [
      ([.promotionalOffer(offerID: "half", signature: foreign)], .invalidOfferSignature),
      ([.promotionalOffer(offerID: "half", signature: old)], .invalidOfferSignature),
      ([.promotionalOffer(offerID: "nothing", signature: unknown)], .invalidOfferIdentifier),
      ([.custom(key: "adHocOfferId", value: "half")], .missingOfferParameters),
      (
        [
          .custom(key: "adHocOfferId", value: "half"),
          .custom(key: "adHocSignature", value: "not base64!"),
        ], .invalidOfferSignature
      ),
      ([.introductoryOfferEligibility(compactJWS: "a.b.c")], .invalidOfferSignature),
      ([.introductoryOfferEligibility(compactJWS: "")], .missingOfferParameters),
    ]
    for (options, expected) in table {
      await #expect(throws: expected) {
        _ = try await process.buy(OfferWorld.silver, options: options)
      }
    }
    #expect(shop.world.transactions.count == count)
  }

  @Test func whoNeverSubscribedMayNotHaveAPromotionalOffer() async throws {
    let shop = try OfferWorld()
    let process = try shop.world.device().launch()
    let signature = try shop.signature(of: "half")
    await #expect(throws: Product.PurchaseError.ineligibleForOffer) {
      _ = try await process.buy(
        OfferWorld.silver,
        options: [.promotionalOffer(offerID: "half", signature: signature)]
      )
    }
  }

  @Test func twoOffersAtOnceAreRefused() async throws {
    let (shop, _, process) = try lapsed()
    let jws = try shop.jws(
      audience: "introductory-offer-eligibility",
      [JSONMember("allowIntroductoryOffer", true)]
    )
    let signature = try shop.signature(of: "half")
    let error = await #expect(throws: StoreKitError.self) {
      _ = try await process.buy(
        OfferWorld.silver,
        options: [
          .promotionalOffer(offerID: "half", signature: signature),
          .introductoryOfferEligibility(compactJWS: jws),
        ]
      )
    }
    #expect("\(try #require(error))" == "unsupported")
  }

  @Test(arguments: [true, false])
  func theServersWordDecidesAboutTheIntroductoryOffer(_ isAllowed: Bool) async throws {
    let (shop, _, process) = try lapsed()
    let used = try await process.run {
      await Product.SubscriptionInfo.isEligibleForIntroOffer(for: OfferWorld.group)
    }
    #expect(!used)
    let jws = try shop.jws(
      audience: "introductory-offer-eligibility",
      [
        JSONMember("allowIntroductoryOffer", .bool(isAllowed)),
        JSONMember(
          "transactionId",
          .string(try #require(shop.world.transactions.first).transactionID.rawValue)
        ),
      ]
    )
    let bought = try await process.bought(
      OfferWorld.silver,
      options: [.introductoryOfferEligibility(compactJWS: jws)]
    )
    #expect((bought.offer?.type == .introductory) == isAllowed)
  }

  @Test func aWinBackOfferIsForWhomTheRenewalInfoNamesIt() async throws {
    let (_, device, process) = try lapsed()
    let info = try #require(try await process.status(of: OfferWorld.group)).renewalInfo
    #expect(info.unsafePayloadValue.eligibleWinBackOfferIDs == ["please"])
    let find = { @Sendable () async throws -> Product.SubscriptionOffer in
      let product = try #require(try await Product.products(for: [OfferWorld.silver]).first)
      return try #require(product.subscription?.winBackOffers.first)
    }
    let offer = try await process.run { try await find() }
    #expect(offer.type == .winBack)
    let bought = try await process.bought(OfferWorld.silver, options: [.winBackOffer(offer)])
    #expect(bought.offer?.type == .winBack)
    #expect(bought.offer?.id == "please")
    let renewed = try #require(try await process.status(of: OfferWorld.group)).renewalInfo
    #expect(renewed.unsafePayloadValue.eligibleWinBackOfferIDs == [])
    await #expect(throws: Product.PurchaseError.ineligibleForOffer) {
      _ = try await device.launch().buy(OfferWorld.silver, options: [.winBackOffer(offer)])
    }
  }

  @Test func anOfferOfAnotherKindIsNoWinBackOffer() async throws {
    let (_, _, process) = try lapsed()
    let offer = try await process.run {
      let product = try #require(try await Product.products(for: [OfferWorld.silver]).first)
      return try #require(product.subscription?.promotionalOffers.first)
    }
    await #expect(throws: Product.PurchaseError.invalidOfferIdentifier) {
      _ = try await process.buy(OfferWorld.silver, options: [.winBackOffer(offer)])
    }
  }

  @Test func eligibilityForTheIntroductoryOfferIsTheStoresTruth() async throws {
    let shop = try OfferWorld()
    let device = try shop.world.device()
    let process = device.launch()
    let eligible = { @Sendable () async throws -> Bool in
      try await process.run {
        await Product.SubscriptionInfo.isEligibleForIntroOffer(for: OfferWorld.group)
      }
    }
    #expect(try await eligible())
    // A product of the group without an introductory offer uses none up.
    let bought = try await process.bought(OfferWorld.gold)
    #expect(bought.offer == nil)
    #expect(try await !eligible())
    try device.manageSubscription(.cancel(SubscriptionGroupID(OfferWorld.group)))
    shop.world.advance(days: 40)
    #expect(try await eligible())
    #expect(try await process.bought(OfferWorld.silver).offer?.type == .introductory)
    shop.world.advance(days: 400)
    #expect(try await !eligible())
  }
}

@Suite("Offers through the payment queue", .timeLimit(.minutes(1)))
struct QueueOfferTests {
  private func lapsed() async throws -> (OfferWorld, AppProcess, QueueObserver) {
    let shop = try OfferWorld()
    let device = try shop.world.device()
    try shop.lapse(on: device)
    let process = device.launch()
    let observer = QueueObserver(finishing: [.failed])
    try await process.observe(observer)
    return (shop, process, observer)
  }

  @Test func aDiscountIsSoldWithARightSignature() async throws {
    let (shop, process, observer) = try await lapsed()
    let signature = try shop.signature(of: "half", user: "somebody")
    try await process.pay(for: OfferWorld.silver, offer: "half", signature, username: "somebody")
    let entry = try #require(await observer.transactions.next(2).last)
    #expect(entry.transactionState == .purchased)
    #expect(shop.world.transactions.last?.offer?.id == "half")
  }

  @Test func aRefusedDiscountFailsWithItsCode() async throws {
    let (shop, process, observer) = try await lapsed()
    let right = try shop.signature(of: "half")
    let table: [(String, Product.SubscriptionOffer.Signature, String?, SKError.Code)] = [
      ("half", try shop.signature(of: "half", user: "somebody"), nil, .invalidSignature),
      ("nothing", try shop.signature(of: "nothing"), nil, .invalidOfferIdentifier),
      ("half", right, "not base64!", .invalidSignature),
      ("half", right, "", .missingOfferParams),
    ]
    for (offer, signature, text, code) in table {
      try await process.pay(for: OfferWorld.silver, offer: offer, signature, text: text)
      let entry = try #require(await observer.transactions.next(2).last)
      #expect((entry.error as? SKError)?.code == code)
    }
  }

  @Test func whoNeverSubscribedIsNotEligible() async throws {
    let shop = try OfferWorld()
    let process = try shop.world.device().launch()
    let observer = QueueObserver()
    try await process.observe(observer)
    try await process.pay(for: OfferWorld.silver, offer: "half", try shop.signature(of: "half"))
    let entry = try #require(await observer.transactions.next(2).last)
    #expect((entry.error as? SKError)?.code == .ineligibleForOffer)
  }
}

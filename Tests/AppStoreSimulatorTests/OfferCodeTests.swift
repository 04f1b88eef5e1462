import AppStoreSimulator
import Foundation
import HTTPValues
import IAPModel
import Testing

struct OfferCodeTests {
  private func refused(_ code: SimulatorError.Code, _ body: () throws -> Void) {
    #expect(throws: SimulatorError(code, "")) { try body() }
  }

  @Test func aCodeOfAOneTimeProductLowersItsPrice() throws {
    let test = try TestStore.rules()
    let terms = OfferCodeTerms(
      productID: RulesCatalog.coins,
      offerName: "SPRING",
      priceMilliunits: 0
    )
    try test.store.addOfferCode("SPRING26", terms, redemptionCountMax: 1)
    let record = try test.buy(RulesCatalog.coins, with: .code("SPRING26")).bought
    #expect(record.priceMilliunits == 0)
    let signed = try Signed.payload(of: try test.store.signedTransaction(record.transactionID))
    #expect(signed["offerType"] == 3)
    #expect(signed["offerIdentifier"] == "SPRING")
    #expect(signed["offerDiscountType"] == "ONE_TIME")
    #expect(signed["offerPeriod"] == nil)
    #expect(test.store.offerCodes.first?.redeemers == [test.account])
    #expect(test.announced == ["ONE_TIME_CHARGE"])
  }

  @Test func aCodeOfASubscriptionStandsForTheCatalogsOffer() throws {
    let test = try TestStore.rules()
    let terms = OfferCodeTerms(productID: RulesCatalog.silver, offerName: "NEW")
    let codes = try test.store.makeOneTimeCodes(2, terms)
    #expect(Set(codes).count == 2 && codes.allSatisfy { $0.rawValue.count == 18 })
    let record = try test.buy(RulesCatalog.silver, with: .code(codes[0])).bought
    #expect(record.offer?.reference == OfferReference(type: .code, id: "NEW"))
    #expect(test.store.product(of: codes[1]) == RulesCatalog.silver)
    #expect(test.store.product(of: "STACK") == RulesCatalog.gold)
    #expect(test.store.product(of: "nothing") == nil)
    // Used up, for somebody else too.
    let again = try test.buy(RulesCatalog.silver, with: .code(codes[0]), on: test.otherPhone)
    #expect(again == .failed(.ineligibleForOffer))
    let other = try test.buy(RulesCatalog.silver, with: .code(codes[1]), on: test.otherPhone)
    _ = try other.bought
  }

  @Test func aWordIsRedeemedByAsManyAsItIsFor() throws {
    let test = try TestStore.rules()
    let end = test.store.now.addingTimeInterval(day)
    let terms = OfferCodeTerms(
      productID: RulesCatalog.coins,
      offerName: "o",
      priceMilliunits: 500,
      endDate: end
    )
    try test.store.addOfferCode("MANY", terms, redemptionCountMax: 2)
    try test.store.addOfferCode("LATE", terms)
    let use = OfferUse.code("MANY")
    #expect(try test.buy(RulesCatalog.coins, with: use).bought.priceMilliunits == 500)
    #expect(try test.buy(RulesCatalog.coins, with: use) == .failed(.ineligibleForOffer))
    _ = try test.buy(RulesCatalog.coins, with: use, on: test.otherPhone).bought
    try test.store.addAccount("ann")
    try test.store.addDevice("ann-phone", account: "ann")
    #expect(
      try test.buy(RulesCatalog.coins, with: use, on: "ann-phone") == .failed(.ineligibleForOffer)
    )
    #expect(
      try test.buy(RulesCatalog.book, with: .code("LATE")) == .failed(.invalidOfferIdentifier)
    )
    test.store.clock.advance(to: end.addingTimeInterval(-1))
    _ = try test.buy(RulesCatalog.coins, with: .code("LATE")).bought
    test.store.clock.advance(to: end)
    let late = try test.buy(RulesCatalog.coins, with: .code("LATE"), on: test.otherPhone)
    #expect(late == .failed(.ineligibleForOffer))
  }

  @Test func aRefusedPurchaseRedeemsNothing() throws {
    let test = try TestStore.rules()
    let terms = OfferCodeTerms(
      productID: RulesCatalog.book,
      offerName: "o",
      priceMilliunits: 0
    )
    try test.store.addOfferCode("BOOK", terms)
    try test.store.setPayment(works: false, of: test.account)
    let count = test.store.history.count
    #expect(try test.buy(RulesCatalog.book, with: .code("BOOK")) == .failed(.paymentFailed))
    let two = PurchaseRequest(
      device: test.otherPhone,
      productID: RulesCatalog.book,
      quantity: 2,
      offerUse: .code("BOOK")
    )
    #expect(try test.store.purchase(two) == .failed(.invalidQuantity))
    #expect(test.store.history.count == count)
    try test.buy(RulesCatalog.book, on: test.otherPhone)
    let owned = try test.buy(RulesCatalog.book, with: .code("BOOK"), on: test.otherPhone)
    guard case .unchanged(_, .alreadyOwned) = owned else {
      Issue.record("\(owned)")
      return
    }
    #expect(test.store.offerCodes.first?.redeemers == [])
  }

  @Test func termsThatMakeNoSenseAreRefused() throws {
    let test = try TestStore.rules()
    let store = test.store
    let good = OfferCodeTerms(
      productID: RulesCatalog.coins,
      offerName: "o",
      priceMilliunits: 999
    )
    func changed(_ body: (inout OfferCodeTerms) -> Void) -> OfferCodeTerms {
      var terms = good
      body(&terms)
      return terms
    }
    try store.addOfferCode("GOOD", good)
    let count = store.history.count
    refused(.duplicate) { try store.addOfferCode("GOOD", good) }
    refused(.unknownProduct) { try store.addOfferCode("A", changed { $0.productID = "x" }) }
    refused(.notAllowed) { try store.addOfferCode("A", changed { $0.priceMilliunits = 1000 }) }
    refused(.notAllowed) { try store.addOfferCode("A", changed { $0.priceMilliunits = -1 }) }
    refused(.notAllowed) { try store.addOfferCode("A", changed { $0.priceMilliunits = nil }) }
    refused(.notAllowed) { try store.addOfferCode("A", changed { $0.offerName = "" }) }
    refused(.notAllowed) { try store.addOfferCode("A", changed { $0.endDate = store.now }) }
    refused(.notAllowed) { try store.addOfferCode("A", good, redemptionCountMax: 0) }
    refused(.notAllowed) {
      try store.addOfferCode(
        "A",
        OfferCodeTerms(productID: RulesCatalog.silver, offerName: "nothing")
      )
    }
    refused(.notAllowed) {
      try store.addOfferCode("A", changed { $0.productID = RulesCatalog.silver })
    }
    refused(.notAllowed) { _ = try store.makeOneTimeCodes(0, good) }
    refused(.notAllowed) { _ = try store.makeOneTimeCodes(1001, good) }
    refused(.notAllowed) { try store.addOfferCode("", good) }
    refused(.notAllowed) {
      try store.addOfferCode(OfferCode(String(repeating: "x", count: 65)), good)
    }
    #expect(store.history.count == count)
    try store.addOfferCode(OfferCode(String(repeating: "x", count: 64)), good)
    #expect(try store.makeOneTimeCodes(1000, good).count == 1000)
  }

  @Test func anAppHasAMostNumberOfCodes() throws {
    let test = try TestStore.rules()
    let terms = OfferCodeTerms(productID: RulesCatalog.coins, offerName: "o", priceMilliunits: 1)
    for _ in 0..<20 { _ = try test.store.makeOneTimeCodes(1000, terms) }
    refused(.notAllowed) { _ = try test.store.makeOneTimeCodes(1, terms) }
    #expect(Set(test.store.offerCodes.map(\.code)).count == 20_000)
  }

  @Test func codesAreMadeAndRedeemedOverHTTP() async throws {
    let test = try TestStore.rules()
    let client = FaceClient(face: StoreHTTPFace(store: test.store))
    let path = "/control/offer-codes"
    let made = try await client.json(
      .post,
      path,
      ["productId": "coins", "offer": "o", "price": 100, "count": 2]
    )
    #expect(made.arrayValue?.count == 2)
    let code = try #require(made[0]?["code"])
    let bought = try await client.json(
      .post,
      "/control/purchases",
      ["device": "mia-phone", "productId": "coins", "offerCode": code]
    )
    #expect(bought["transaction"]?["price"] == 100)
    #expect(try await client.json(.get, path)[0]?["redeemers"] == ["mia"])
    for body: JSONValue in [
      ["productId": "coins", "offer": "o", "price": 100],
      ["productId": "coins", "offer": "o", "price": 100, "count": 1, "code": "A"],
      ["productId": "coins", "offer": "o", "price": 100, "count": 1, "redemptionsMax": 1],
      ["offer": "o", "price": 100, "count": 1],
    ] {
      #expect(await client.send(.post, path, body).status == 400)
    }
  }
}

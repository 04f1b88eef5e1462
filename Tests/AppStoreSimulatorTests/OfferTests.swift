import Foundation
import IAPModel
import IAPSignatures
import OpenSSLCrypto
import Testing

@testable import AppStoreSimulator

struct OfferTests {
  @Test func anIntroductoryOfferIsHadOnceInAGroup() throws {
    let test = try TestStore.rules()
    let first = try test.buy(RulesCatalog.silver)
    #expect(first.offer?.type == .introductory)
    #expect(first.priceMilliunits == 0)
    try test.store.setAutoRenew(false, of: first.originalTransactionID)
    test.store.clock.advance(by: 30 * day)
    let second = try test.buy(RulesCatalog.weekly)
    #expect(second.offer == nil)
    #expect(second.priceMilliunits == 2000)
  }

  @Test func aTrialIsFollowedByFullPrice() throws {
    let test = try TestStore.rules()
    let trial = try test.buy(RulesCatalog.silver)
    test.store.clock.advance(by: 8 * day)
    let paid = try #require(test.store.transactions(of: test.account).last)
    #expect(paid.purchaseDate == trial.expiresDate)
    #expect(paid.offer == nil)
    #expect(paid.priceMilliunits == 5000)
  }

  @Test func aPromotionalOfferOnTheActiveProductStartsAtTheRenewal() throws {
    let test = try TestStore.rules()
    let first = try test.buy(RulesCatalog.silver)
    let outcome = try test.buy(RulesCatalog.silver, with: .promotional("half", nil))
    #expect(outcome == .unchanged(first, .offerScheduled))
    let notice = try #require(test.lastNotification)
    #expect(notice.type == .offerRedeemed)
    #expect(notice.subtype == nil)
    #expect(notice.transaction?.offer?.type == .introductory)
    #expect(notice.renewalInfo?.offerType == .promotional)
    #expect(notice.renewalInfo?.offerIdentifier == "half")
    #expect(notice.renewalInfo?.renewalPriceMilliunits == 2500)
    test.store.clock.advance(by: 100 * day)
    let held = test.store.transactions(of: test.account).dropFirst()
    #expect(held.prefix(3).map(\.priceMilliunits) == [2500, 2500, 5000])
    #expect(held.prefix(3).map { $0.offer?.id } == ["half", "half", nil])
  }

  @Test func anOfferForAHigherLevelIsRedeemedAtOnce() throws {
    let test = try TestStore.rules()
    let first = try test.buy(RulesCatalog.silver)
    test.store.clock.advance(by: day)
    let record = try test.buy(
      RulesCatalog.gold,
      with: .promotional("upfront", nil)
    ).bought
    #expect(record.offer?.reference == OfferReference(type: .promotional, id: "upfront"))
    #expect(record.originalTransactionID == first.originalTransactionID)
    #expect(record.priceMilliunits == 6000)
    #expect(test.announced.last == "OFFER_REDEEMED/UPGRADE")
    #expect(test.store.transaction(first.transactionID)?.isUpgraded == true)
  }

  @Test func anOfferForALowerLevelWaitsForTheRenewal() throws {
    let test = try TestStore.rules()
    let first = try test.buy(RulesCatalog.gold)
    let outcome = try test.buy(RulesCatalog.silver, with: .promotional("half", nil))
    #expect(outcome == .unchanged(first, .offerScheduled))
    #expect(test.announced.last == "OFFER_REDEEMED/DOWNGRADE")
    test.store.clock.advance(by: 8 * day)
    let renewed = try #require(test.store.transactions(of: test.account).last)
    #expect(renewed.productID == RulesCatalog.silver)
    #expect(renewed.offer?.id == "half")
    #expect(renewed.reason == .renewal)
  }

  /// What was done before, what is asked for, and what comes of it.
  @Test(
    arguments: [
      ("never", OfferUse.promotional("half", nil), StoreFailure.ineligibleForOffer),
      ("never", .promotional("nothing", nil), .invalidOfferIdentifier),
      ("never", .code("NEW"), nil),
      ("never", .code("BACK"), .ineligibleForOffer),
      ("never", .code("STAY"), .ineligibleForOffer),
      ("never", .code("nothing"), .invalidOfferIdentifier),
      ("never", .winBack("please"), .ineligibleForOffer),
      ("active", .code("NEW"), .ineligibleForOffer),
      ("active", .code("STAY"), nil),
      ("active", .winBack("please"), .ineligibleForOffer),
      ("over", .promotional("half", nil), nil),
      ("over", .code("BACK"), nil),
      ("over", .code("NEW"), .ineligibleForOffer),
      ("over", .winBack("please"), nil),
      ("over", .winBack("never"), .ineligibleForOffer),
      ("over", .winBack("nothing"), .invalidOfferIdentifier),
      ("retry", .winBack("please"), .ineligibleForOffer),
      ("lower", .code("STAY"), .ineligibleForOffer),
    ] as [(String, OfferUse, StoreFailure?)]
  )
  func anOfferIsForThoseItIsMeantFor(
    _ before: String,
    _ use: OfferUse,
    _ failure: StoreFailure?
  ) throws {
    let test = try TestStore.rules()
    var product = RulesCatalog.silver
    switch before {
    case "active": try test.buy(RulesCatalog.silver)
    case "lower":
      try test.buy(RulesCatalog.silver)
      product = RulesCatalog.weekly
    case "over":
      let first = try test.buy(RulesCatalog.silver)
      try test.store.setAutoRenew(false, of: first.originalTransactionID)
      test.store.clock.advance(by: 8 * day)
    case "retry":
      try test.buy(RulesCatalog.silver)
      try test.store.setPayment(works: false, of: test.account)
      test.store.clock.advance(by: 8 * day)
      #expect(try test.subscription.phase == .retry)
    default: break
    }
    let count = test.store.history.count
    let outcome = try test.buy(product, with: use)
    if let failure {
      #expect(outcome == .failed(failure))
      #expect(test.store.history.count == count)
    } else if case .failed(let failure) = outcome {
      Issue.record("failed: \(failure)")
    }
  }

  @Test func aWinBackOfferIsNamedWhenTheSubscriptionIsOver() throws {
    let test = try TestStore.rules()
    let first = try test.buy(RulesCatalog.silver)
    try test.store.setAutoRenew(false, of: first.originalTransactionID)
    #expect(test.lastNotification?.renewalInfo?.eligibleWinBackOfferIDs == nil)
    test.store.clock.advance(by: 8 * day)
    #expect(test.lastNotification?.renewalInfo?.eligibleWinBackOfferIDs == ["please"])
    try test.buy(RulesCatalog.silver, with: .winBack("please"))
    #expect(test.announced.last == "SUBSCRIBED/RESUBSCRIBE")
    #expect(test.lastNotification?.transaction?.offer?.type == .winBack)
    #expect(test.lastNotification?.transaction?.priceMilliunits == 1000)
  }

  @Test func aStackableCodeWaitsBehindTheTrial() throws {
    let test = try TestStore.rules()
    let trial = try test.buy(RulesCatalog.silver, with: .code("STACK")).bought
    #expect(trial.offer?.type == .introductory)
    #expect(test.lastNotification?.type == .subscribed)
    test.store.clock.advance(by: 60 * day)
    let held = test.store.transactions(of: test.account)
    #expect(held.map { $0.offer?.type } == [.introductory, .code, nil])
    #expect(held.map(\.priceMilliunits) == [0, 1000, 5000])
  }
}

struct OfferProofTests {
  let signing: OpenSSLPrimitives
  let key: any SigningKey

  init() throws {
    signing = try OpenSSLPrimitives()
    key = try signing.makeSigningKey(.p256, seed: Array("offers".utf8))
  }

  private func store() throws -> TestStore {
    let test = try TestStore.rules { $0.acceptsUnsignedOffers = false }
    try test.store.addOfferKey("KEY", publicKey: key.subjectPublicKeyInfo)
    let first = try test.buy(RulesCatalog.silver)
    try test.store.setAutoRenew(false, of: first.originalTransactionID)
    test.store.clock.advance(by: 8 * day)
    return test
  }

  private func signature(
    _ test: TestStore,
    product: ProductID = RulesCatalog.silver,
    token: String = "",
    keyID: DeveloperKeyID = "KEY",
    nonce: UUID = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)),
    age: TimeInterval = 0
  ) throws -> OfferProof {
    let timestamp = test.store.now.addingTimeInterval(-age).milliseconds
    let fields = [
      DemoCatalog.bundleID.rawValue, keyID.rawValue, product.rawValue, "half", token,
      nonce.uuidString.lowercased(), String(timestamp),
    ]
    let text = Array(fields.joined(separator: "\u{2063}").utf8)
    return .signature(
      OfferSignature(
        keyID: keyID,
        nonce: nonce,
        timestampMilliseconds: timestamp,
        signature: try key.sign(text, digest: .sha256, form: .der)
      )
    )
  }

  private func jws(
    _ test: TestStore,
    audience: String,
    _ own: [JSONMember],
    nonce: String = "7e3fb20b-4cdb-47cc-936d-99d65f608138"
  ) throws -> String {
    let writer = CompactJWSWriter(
      header: ["alg": "ES256", "kid": "KEY", "typ": "JWT"],
      key: key
    )
    let claims: [JSONMember] = [
      JSONMember("iss", "issuer"),
      JSONMember("iat", .integer(Int64(test.store.now.timeIntervalSince1970))),
      JSONMember("aud", .string(audience)),
      JSONMember("bid", .string(DemoCatalog.bundleID.rawValue)),
      JSONMember("nonce", .string(nonce)),
      JSONMember("productId", .string(RulesCatalog.silver.rawValue)),
    ]
    return try writer.sign(JSONObject(claims + own))
  }

  @Test func aRightSignatureIsGoodForOneAttempt() throws {
    let test = try store()
    let use = OfferUse.promotional("half", try signature(test))
    let record = try test.buy(RulesCatalog.silver, with: use).bought
    #expect(record.offer?.id == "half")
    #expect(try test.buy(RulesCatalog.silver, with: use) == .failed(.invalidOfferSignature))
  }

  @Test func aNonceIsSpentByAFailureToo() throws {
    let test = try store()
    let wrong = OfferUse.promotional("half", try signature(test, product: RulesCatalog.gold))
    #expect(try test.buy(RulesCatalog.silver, with: wrong) == .failed(.invalidOfferSignature))
    let right = OfferUse.promotional("half", try signature(test))
    #expect(try test.buy(RulesCatalog.silver, with: right) == .failed(.invalidOfferSignature))
  }

  @Test func aSignatureHasToFit() throws {
    let test = try store()
    let use = { (proof: OfferProof?) in OfferUse.promotional("half", proof) }
    #expect(try test.buy(RulesCatalog.silver, with: use(nil)) == .failed(.missingOfferParameters))
    let nonces = (1...3).map { UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, $0)) }
    let wrong = [
      try signature(test, token: "somebody", nonce: nonces[0]),
      try signature(test, keyID: "OTHER", nonce: nonces[1]),
      try signature(test, nonce: nonces[2], age: 24 * 3600 + 1),
    ]
    for proof in wrong {
      #expect(
        try test.buy(RulesCatalog.silver, with: use(proof)) == .failed(.invalidOfferSignature)
      )
    }
    let barely = try signature(test, age: 24 * 3600)
    _ = try test.buy(RulesCatalog.silver, with: use(barely)).bought
  }

  @Test func aJWSIsTaken() throws {
    let test = try store()
    let text = try jws(
      test,
      audience: "promotional-offer",
      [JSONMember("offerIdentifier", "half")]
    )
    let record = try test.buy(
      RulesCatalog.silver,
      with: .promotional("half", .jws(text))
    ).bought
    #expect(record.offer?.id == "half")
  }

  @Test(arguments: ["promotional-offers", "introductory-offer-eligibility"])
  func aJWSForSomethingElseIsRefused(_ audience: String) throws {
    let test = try store()
    let text = try jws(test, audience: audience, [JSONMember("offerIdentifier", "half")])
    let outcome = try test.buy(RulesCatalog.silver, with: .promotional("half", .jws(text)))
    #expect(outcome == .failed(.invalidOfferSignature))
  }

  @Test(arguments: [true, false])
  func aServerDecidesAboutTheIntroductoryOffer(_ isAllowed: Bool) throws {
    let test = try store()
    let text = try jws(
      test,
      audience: "introductory-offer-eligibility",
      [
        JSONMember("allowIntroductoryOffer", .bool(isAllowed)),
        JSONMember("transactionId", .string(try test.subscription.originalTransactionID.rawValue)),
      ]
    )
    let record = try test.buy(
      RulesCatalog.silver,
      with: .introductory(eligibilityJWS: text)
    ).bought
    #expect((record.offer?.type == .introductory) == isAllowed)
  }

  @Test func aServersWordIsForTheCustomerThatItNames() throws {
    let test = try store()
    let stranger = try test.buy(RulesCatalog.coins, on: test.otherPhone)
    let app = try test.store.appTransaction(on: test.phone).appTransactionID
    let held = try test.subscription.originalTransactionID.rawValue
    let cases: [(String?, Bool)] = [
      (stranger.transactionID.rawValue, false), ("42", false), (nil, false), (held, true),
      (try #require(app).rawValue, true),
    ]
    for (place, (transaction, isGood)) in cases.enumerated() {
      let named = transaction.map { [JSONMember("transactionId", .string($0))] } ?? []
      let text = try jws(
        test,
        audience: "introductory-offer-eligibility",
        [JSONMember("allowIntroductoryOffer", true)] + named,
        nonce: "7e3fb20b-4cdb-47cc-936d-99d65f60813\(place)"
      )
      let outcome = try test.buy(RulesCatalog.silver, with: .introductory(eligibilityJWS: text))
      #expect((outcome == .failed(.invalidOfferSignature)) == !isGood, "\(transaction ?? "none")")
    }
  }

  @Test func aKeyOfAnotherKindIsRefused() throws {
    let test = try TestStore.rules()
    #expect(throws: SimulatorError(.badRequest, "")) {
      try test.store.addOfferKey("KEY", publicKey: [1, 2, 3])
    }
  }
}

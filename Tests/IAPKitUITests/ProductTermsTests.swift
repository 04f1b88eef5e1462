import Foundation
import IAPKit
import IAPKitTesting
import IAPKitUI
import IAPModel
import Testing

private let trial = IAPOffer.fake(.introductory)
private let year = SubscriptionPeriod(1, .year)

/// A yearly plan whose prices the store writes the German way.
private func makeYearly(_ offer: IAPOffer? = nil, isShareable: Bool = false) -> IAPProduct {
  IAPProduct(
    id: "com.example.pro.yearly",
    type: .autoRenewable,
    displayName: "Pro",
    description: "Alles.",
    price: 49.99,
    currency: "EUR",
    displayPrice: "49,99 €",
    priceLocale: Locale(identifier: "de_DE"),
    isFamilyShareable: isShareable,
    subscription: IAPProduct.Subscription(groupID: "pro", period: year, introductoryOffer: offer)
  )
}

@Suite("Product terms")
struct ProductTermsTests {
  @Test func sayPriceLengthRenewalAndTheMonthInTheStoresOwnFormat() {
    let terms = ProductTerms(makeYearly(isShareable: true), language: .english)
    #expect(terms.title == "Pro")
    #expect(terms.details == "Alles.")
    #expect(terms.price == "49,99 € per year")
    #expect(terms.length == "1 year")
    #expect(terms.unitPrice?.replacing("\u{A0}", with: " ") == "that is 4,17 € per month")
    #expect(terms.offer == nil)
    let renewal = "Renews automatically for 49,99 € per year until you cancel it in your App Store"
    #expect(terms.renewal == renewal + " account.")
    #expect(terms.sharing == "Can be shared with your family.")
  }

  @Test func sayTheSameInChinese() {
    let terms = ProductTerms(
      makeYearly(trial),
      eligibility: .eligible,
      language: .simplifiedChinese
    )
    #expect(terms.price == "每年 49,99 €")
    #expect(terms.length == "1 年")
    #expect(terms.offer == "免费试用 1 周，之后每年 49,99 €")
    #expect(terms.renewal == "将按每年 49,99 €自动续订，直到您在 App Store 账户中取消。")
    #expect(terms.sharing == nil)
  }

  @Test(
    "say the price after the trial to whoever may have it",
    arguments: [
      (OfferEligibility.eligible, "1 week free, then 49,99 € per year" as String?),
      (.unknown, "New subscribers: 1 week free, then 49,99 € per year"),
      (.notEligible, nil),
    ]
  )
  func offers(eligibility: OfferEligibility, text: String?) {
    let terms = ProductTerms(makeYearly(trial), eligibility: eligibility, language: .english)
    #expect(terms.offer == text)
  }

  @Test(
    "compare with a month only where more than a month is paid at once",
    arguments: [
      (SubscriptionPeriod(31, .day), false), (SubscriptionPeriod(32, .day), true),
      (SubscriptionPeriod(4, .week), false), (SubscriptionPeriod(5, .week), true),
      (SubscriptionPeriod(1, .month), false), (SubscriptionPeriod(2, .month), true),
      (SubscriptionPeriod(1, .year), true),
    ]
  )
  func comparison(period: SubscriptionPeriod, isCompared: Bool) {
    let product = IAPProduct(
      id: "a",
      type: .autoRenewable,
      displayName: "A",
      description: "",
      price: 10,
      currency: "USD",
      displayPrice: "$10.00",
      priceLocale: Locale(identifier: "en_US"),
      subscription: IAPProduct.Subscription(groupID: "g", period: period)
    )
    let terms = ProductTerms(product, language: .english)
    #expect((terms.unitPrice != nil) == isCompared)
  }

  @Test func sayWhatDoesNotRenew() {
    let season = IAPProduct.fake("season", .nonRenewable, price: 5)
    let lasting = ProductTerms(
      season,
      accessPeriod: SubscriptionPeriod(30, .day),
      language: .english
    )
    #expect(lasting.renewal == "Lasts 30 days and does not renew.")
    #expect(lasting.length == "30 days")
    #expect(ProductTerms(season, language: .english).renewal == "Does not renew.")
    let coins = IAPProduct.fake("coins", .consumable, price: 1)
    #expect(ProductTerms(coins, language: .english).renewal == "A single payment.")
    #expect(ProductTerms(coins, language: .simplifiedChinese).renewal == "一次性付款。")
  }

  @Test func keepSilentAboutATypeThatStoreKit1DoesNotSay() {
    let unknown = IAPProduct(
      id: "a",
      type: nil,
      displayName: "A",
      description: "",
      price: 1,
      currency: nil,
      displayPrice: "$1"
    )
    #expect(ProductTerms(unknown, language: .english).renewal == nil)
    let told = ProductTerms(unknown, type: .nonConsumable, language: .english)
    #expect(told.renewal == "A single payment.")
  }

  @Test(
    "say on the button where the purchase stands",
    arguments: [
      (PurchaseState.idle, false, "Subscribe", nil as String?, true, false),
      (.inProgress, false, "Buying…", nil, false, true),
      (.verifying, false, "Checking…", "We are checking your purchase.", false, true),
      (.processing, false, "Subscribe", "We are checking your purchase.", true, false),
      (.pending, false, "Subscribe", "Waiting for approval.", true, false),
      (.failed(.network), false, "Subscribe", nil, true, false),
      (.complete, true, "Subscribed", nil, false, false),
    ]
  )
  func button(
    purchase: PurchaseState,
    isOwned: Bool,
    title: String,
    caption: String?,
    isEnabled: Bool,
    isBusy: Bool
  ) {
    let state = PurchaseButtonState(
      makeYearly(),
      purchase: purchase,
      isOwned: isOwned,
      language: .english
    )
    #expect(state.title == title)
    #expect(state.caption == caption)
    #expect(state.isEnabled == isEnabled)
    #expect(state.isBusy == isBusy)
  }

  @Test func namePoliciesInBothLanguages() throws {
    let policies = PolicyLinks(
      termsOfUse: try #require(URL(string: "https://example.com/terms")),
      privacyPolicy: try #require(URL(string: "https://example.com/privacy"))
    )
    #expect(policies.links(.english).map(\.title) == ["Terms of Use", "Privacy Policy"])
    #expect(policies.links(.simplifiedChinese).map(\.title) == ["使用条款", "隐私政策"])
    #expect(policies.links(.english).map(\.id) == [.termsOfUse, .privacyPolicy])
    #expect(policies.links(.english).map(\.url.path) == ["/terms", "/privacy"])
  }
}

import Foundation
import IAPKit
import Testing

/// A subscription as a store of some country shows it.
private func subscription(
  _ price: Decimal,
  _ period: SubscriptionPeriod,
  _ currency: String,
  _ locale: String,
  offer: IAPOffer? = nil
) -> IAPProduct {
  let locale = Locale(identifier: "\(locale)@currency=\(currency)")
  return IAPProduct(
    id: "pro",
    type: .autoRenewable,
    displayName: "Pro",
    description: "",
    price: price,
    currency: currency,
    displayPrice: price.formatted(.currency(code: currency).locale(locale)),
    priceLocale: locale,
    subscription: IAPProduct.Subscription(groupID: "g", period: period, introductoryOffer: offer)
  )
}

@Suite("The price of a period")
struct PeriodPriceTests {
  @Test(
    "is computed from the price and rounded to the currency's decimals",
    arguments: [
      ("12", SubscriptionPeriod(1, .year), SubscriptionPeriod.Unit.month, "1"),
      ("49.99", SubscriptionPeriod(1, .year), .month, "4.17"),
      ("49.99", SubscriptionPeriod(1, .year), .week, "0.96"),
      ("49.99", SubscriptionPeriod(1, .year), .day, "0.14"),
      ("4.99", SubscriptionPeriod(1, .month), .year, "59.88"),
      ("7", SubscriptionPeriod(1, .week), .day, "1"),
      ("7", SubscriptionPeriod(2, .week), .day, "0.5"),
      ("29.99", SubscriptionPeriod(6, .month), .month, "5"),
      ("0", SubscriptionPeriod(1, .month), .day, "0"),
      ("1.25", SubscriptionPeriod(10, .day), .day, "0.13"),
    ]
  )
  func amounts(
    row: (price: String, period: SubscriptionPeriod, unit: SubscriptionPeriod.Unit, amount: String)
  ) throws {
    let price = try #require(Decimal(string: row.price))
    let product = subscription(price, row.period, "USD", "en_US")
    #expect(product.price(per: row.unit)?.amount == Decimal(string: row.amount))
  }

  @Test(
    "is written like the store's own price",
    arguments: [
      ("JPY", "ja_JP", "6000", "500"), ("KRW", "ko_KR", "9900", "825"),
      ("KWD", "ar_KW", "10", "0.833"), ("ILS", "he_IL", "100", "8.33"),
      ("EUR", "de_DE", "49.99", "4.17"), ("CNY", "zh_Hans_CN", "128", "10.67"),
      ("INR", "hi_IN", "4990", "415.83"), ("EGP", "ar_EG", "999", "83.25"),
    ]
  )
  func texts(row: (currency: String, locale: String, price: String, amount: String)) throws {
    let price = try #require(Decimal(string: row.price))
    let amount = try #require(Decimal(string: row.amount))
    let product = subscription(price, SubscriptionPeriod(1, .year), row.currency, row.locale)
    let locale = try #require(product.priceLocale)
    let month = try #require(product.price(per: .month))
    #expect(month.amount == amount)
    #expect(
      month.displayPrice == amount.formatted(.currency(code: row.currency).locale(locale))
    )
    // The period's own price is the store's text, untouched.
    #expect(product.price(per: .year)?.displayPrice == product.displayPrice)
  }

  @Test("is absent rather than zero, invented, or in the device's format")
  func absent() {
    #expect(
      subscription(100, SubscriptionPeriod(1, .year), "JPY", "ja_JP").price(per: .day) == nil
    )
    let product = IAPProduct(
      id: "pro",
      type: .autoRenewable,
      displayName: "Pro",
      description: "",
      price: 5,
      currency: "USD",
      displayPrice: "$5.00",
      subscription: IAPProduct.Subscription(groupID: "g", period: SubscriptionPeriod(1, .month))
    )
    #expect(product.price(per: .day) == nil)
    let coins = IAPProduct(
      id: "coins",
      type: .consumable,
      displayName: "Coins",
      description: "",
      price: 1,
      currency: "USD",
      displayPrice: "$1.00",
      priceLocale: Locale(identifier: "en_US")
    )
    #expect(coins.price(per: .day) == nil)
  }
}

@Suite("Offers in words")
struct OfferWordsTests {
  private func offer(
    _ mode: OfferDiscountType?,
    _ price: String,
    _ period: SubscriptionPeriod?,
    _ count: Int = 1,
    type: OfferType = .introductory
  ) -> IAPOffer {
    IAPOffer(
      id: nil,
      type: type,
      paymentMode: mode,
      price: 0,
      displayPrice: price,
      period: period,
      periodCount: count
    )
  }

  @Test("say what is free, what is paid and for how long")
  func phrases() {
    let rows: [(IAPOffer, String?, String?)] = [
      (offer(.freeTrial, "$0.00", SubscriptionPeriod(1, .week)), "1 week free", "免费试用 1 周"),
      (offer(.freeTrial, "$0.00", SubscriptionPeriod(3, .day)), "3 days free", "免费试用 3 天"),
      (
        offer(.freeTrial, "$0.00", SubscriptionPeriod(1, .month), 2, type: .promotional),
        "2 months free", "免费 2 个月"
      ),
      (
        offer(.payUpFront, "$1.99", SubscriptionPeriod(3, .month)), "3 months for $1.99",
        "3 个月共 $1.99"
      ),
      (
        offer(.payAsYouGo, "$0.99", SubscriptionPeriod(1, .month), 3),
        "$0.99 per month for 3 months", "3 个月内每月 $0.99"
      ),
      (
        offer(.payAsYouGo, "$0.99", SubscriptionPeriod(2, .month), 3, type: .winBack),
        "$0.99 every 2 months for 6 months", "6 个月内每 2 个月 $0.99"
      ),
      (offer(.payUpFront, "$9.99", SubscriptionPeriod(1, .year)), "1 year for $9.99", "1 年共 $9.99"),
      (offer(nil, "$1", SubscriptionPeriod(1, .year)), nil, nil),
      (offer(OfferDiscountType(rawValue: "NEW"), "$1", SubscriptionPeriod(1, .year)), nil, nil),
      (offer(.freeTrial, "$0.00", nil), nil, nil),
    ]
    for (offer, english, chinese) in rows {
      #expect(offer.text(.english) == english)
      #expect(offer.text(.simplifiedChinese) == chinese)
    }
  }

  @Test("say what the customer pays afterwards")
  func afterwards() {
    let trial = offer(.freeTrial, "$0.00", SubscriptionPeriod(1, .week))
    let product = subscription(
      Decimal(string: "49.99") ?? 0,
      SubscriptionPeriod(1, .year),
      "USD",
      "en_US",
      offer: trial
    )
    #expect(product.priceText(.english) == "$49.99 per year")
    #expect(product.priceText(.simplifiedChinese) == "每年 $49.99")
    #expect(product.offerText(.english) == "1 week free, then $49.99 per year")
    #expect(product.offerText(.simplifiedChinese) == "免费试用 1 周，之后每年 $49.99")
    let quarterly = subscription(10, SubscriptionPeriod(3, .month), "USD", "en_US")
    #expect(quarterly.priceText(.english) == "$10.00 every 3 months")
    #expect(quarterly.priceText(.simplifiedChinese) == "每 3 个月 $10.00")
    #expect(quarterly.offerText(.english) == nil)
  }

  @Test("keep a right-to-left price from mixing with the words around it")
  func rightToLeft() {
    let product = subscription(10, SubscriptionPeriod(1, .month), "KWD", "ar_KW")
    #expect(product.priceText(.english) == "\u{2068}\(product.displayPrice)\u{2069} per month")
    #expect(product.priceText(.simplifiedChinese) == "每月 \u{2068}\(product.displayPrice)\u{2069}")
  }
}

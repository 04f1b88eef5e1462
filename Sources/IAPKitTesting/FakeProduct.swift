public import Foundation
public import IAPKit

extension IAPProduct {
  /// A product for a fake store, in US dollars.
  ///
  /// - Parameters:
  ///   - id: The product's id.
  ///   - type: Its type.
  ///   - price: The price in dollars.
  /// - Returns: The product; its name is the last part of the id.
  public static func fake(_ id: String, _ type: ProductType, price: Decimal) -> IAPProduct {
    fake(id, type, price: price, subscription: nil)
  }

  /// An auto-renewable subscription for a fake store, in US dollars.
  ///
  /// - Parameters:
  ///   - id: The product's id.
  ///   - group: The subscription group.
  ///   - level: The place in the group; 1 is the highest.
  ///   - period: The length of one period.
  ///   - price: The price of one period in dollars.
  ///   - offers: Offers of every kind: the introductory one, promotional ones and win-backs.
  ///     Offer codes need no entry.
  /// - Returns: The product.
  public static func fakeSubscription(
    _ id: String,
    group: String,
    level: Int = 1,
    period: IAPModel.SubscriptionPeriod = IAPModel.SubscriptionPeriod(1, .month),
    price: Decimal,
    offers: [IAPOffer] = []
  ) -> IAPProduct {
    fake(
      id,
      .autoRenewable,
      price: price,
      subscription: Subscription(
        groupID: group,
        period: period,
        groupLevel: level,
        introductoryOffer: offers.first { $0.type == .introductory },
        promotionalOffers: offers.filter { $0.type == .promotional },
        winBackOffers: offers.filter { $0.type == .winBack }
      )
    )
  }

  private static func fake(
    _ id: String,
    _ type: ProductType,
    price: Decimal,
    subscription: Subscription?
  ) -> IAPProduct {
    IAPProduct(
      id: id,
      type: type,
      displayName: id.split(separator: ".").last.map(String.init) ?? id,
      description: "A fake product.",
      price: price,
      currency: "USD",
      displayPrice: "$\(price)",
      subscription: subscription
    )
  }
}

extension IAPOffer {
  /// An offer for a fake store, in US dollars.
  ///
  /// - Parameters:
  ///   - type: The kind of offer.
  ///   - id: Its id; nil for an introductory offer.
  ///   - mode: How it is paid.
  ///   - price: The price of one period of it; zero for a free trial.
  ///   - period: The length of one period of it.
  ///   - periodCount: How many periods it lasts.
  /// - Returns: The offer.
  public static func fake(
    _ type: OfferType,
    id: String? = nil,
    mode: OfferDiscountType = .freeTrial,
    price: Decimal = 0,
    period: IAPModel.SubscriptionPeriod = IAPModel.SubscriptionPeriod(1, .week),
    periodCount: Int = 1
  ) -> IAPOffer {
    IAPOffer(
      id: id,
      type: type,
      paymentMode: mode,
      price: price,
      displayPrice: "$\(price)",
      period: period,
      periodCount: periodCount
    )
  }
}

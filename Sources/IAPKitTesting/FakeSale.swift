import Foundation
import IAPKit
import IAPModel
import IAPSignatures

/// What is sold, before there is a transaction.
struct FakeSale {
  var productID: ProductID
  var quantity = 1
  var token: AppAccountToken?
  var offer: IAPOffer?
  var source = TransactionSource.purchase
  var isVerified = true
  var isFamilyShared = false
  /// The price, where it is not the product's.
  var price: Decimal?
  /// What a server says about the introductory offer, in place of the store's own rule.
  var isIntroductory: Bool?
}

extension StoreTransaction {
  func from(_ source: TransactionSource) -> StoreTransaction {
    var copy = self
    copy.source = source
    return copy
  }

  /// Puts the transaction into the shape in which StoreKit hands it out.
  ///
  /// The signature is a word: a server that verifies refuses it, as it must.
  mutating func sign(at now: Date) {
    switch generation {
    case .storekit2:
      signedDate = now
      let parts = [Self.header, payload.object.serialized, Array("fake".utf8)]
      let text = parts.map { Base64.encodedBytes($0, .url) }.joined(separator: [UInt8(ascii: ".")])
      proof = .jws(String(decoding: Array(text), as: UTF8.self))
    case .storekit1:
      proof = .receipt(Array("a fake receipt".utf8))
    }
  }

  private static let header = Array(#"{"alg":"none","typ":"JWT"}"#.utf8)
}

extension IAPProduct {
  /// The subscription group, or a group of its own.
  var groupName: String { subscriptionGroupID ?? id }
}

extension IAPOffer {
  /// How many periods of the offer come after the first transaction.
  var periodsAfterFirst: Int { paymentMode == .payAsYouGo ? periodCount - 1 : 0 }

  /// What the first transaction of the offer covers: one period of it, or all of them where they
  /// are paid, or free, at once.
  var lengthOfFirst: IAPModel.SubscriptionPeriod? {
    guard let period else { return nil }
    return paymentMode == .payAsYouGo
      ? period : IAPModel.SubscriptionPeriod(period.value * max(periodCount, 1), period.unit)
  }
}

extension IAPModel.SubscriptionPeriod {
  /// The end of a period that begins at a date, in UTC.
  func end(from start: Date) -> Date {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = TimeZone(secondsFromGMT: 0) ?? calendar.timeZone
    let component: Calendar.Component =
      switch unit {
      case .day: .day
      case .week: .weekOfYear
      case .month: .month
      case .year: .year
      }
    return calendar.date(byAdding: component, value: value, to: start) ?? start
  }
}

extension Decimal {
  /// The amount in thousandths.
  var milliunits: Int64 { NSDecimalNumber(decimal: self * 1000).int64Value }
}

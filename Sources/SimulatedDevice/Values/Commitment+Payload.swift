import Foundation
import IAPModel
import StoreKit

extension StoreKit.Transaction {
  /// Takes over what only some payloads have.
  mutating func takeRareMembers(of payload: TransactionPayload) {
    let members = payload.otherMembers
    billingPlanType = members.value("billingPlanType")?.stringValue.map { .init(rawValue: $0) }
    commitmentInfo = CommitmentInfo(members.value("commitmentInfo")?.objectValue)
    advancedCommerceInfo = AdvancedCommerceInfo(members.value("advancedCommerceInfo")?.objectValue)
  }
}

extension Product.SubscriptionInfo.RenewalInfo {
  /// Takes over what only some payloads have.
  mutating func takeRareMembers(of payload: RenewalInfoPayload) {
    let members = payload.otherMembers
    renewalBillingPlanType =
      members.value("renewalBillingPlanType")?.stringValue.map { .init(rawValue: $0) }
    commitmentInfo = CommitmentInfo(members.value("commitmentInfo")?.objectValue)
    advancedCommerceInfo = AdvancedCommerceInfo(members.value("advancedCommerceInfo")?.objectValue)
  }
}

extension StoreKit.Transaction.CommitmentInfo {
  fileprivate init?(_ object: JSONObject?) {
    guard let object, let number = object.count("billingPeriodNumber"),
      let total = object.count("totalBillingPeriods"),
      let expirationDate = object.date("commitmentExpiresDate"),
      let price = object.milliunits("commitmentPrice")
    else { return nil }
    self.init(
      billingPeriodNumber: number,
      totalBillingPeriods: total,
      expirationDate: expirationDate,
      price: price
    )
  }
}

extension Product.SubscriptionInfo.RenewalInfo.CommitmentInfo {
  fileprivate init?(_ object: JSONObject?) {
    guard let object, let product = object.text("commitmentAutoRenewProductId"),
      let status = object["commitmentAutoRenewStatus"]?.integerValue,
      let plan = object.text("commitmentRenewalBillingPlanType"),
      let date = object.date("commitmentRenewalDate"),
      let price = object.milliunits("commitmentRenewalPrice")
    else { return nil }
    self.init(
      autoRenewPreference: product,
      renewalBillingPlanType: .init(rawValue: plan),
      renewalDate: date,
      renewalPrice: price,
      willAutoRenew: status == 1
    )
  }
}

extension [JSONMember] {
  func value(_ name: String) -> JSONValue? { first { $0.name == name }?.value }
}

// How Apple writes values in payloads.
extension JSONObject {
  func text(_ name: String) -> String? { self[name]?.stringValue }

  func count(_ name: String) -> UInt64? { self[name]?.integerValue.flatMap(UInt64.init(exactly:)) }

  /// An amount of money in thousandths.
  func milliunits(_ name: String) -> Decimal? {
    self[name]?.integerValue.map { Decimal($0) / 1000 }
  }

  /// A decimal number that is written as text.
  func decimal(_ name: String) -> Decimal? { text(name).flatMap { Decimal(string: $0) } }

  /// Milliseconds since 1970.
  func date(_ name: String) -> Date? { self[name]?.integerValue.map { Date(milliseconds: $0) } }

  func period(_ name: String) -> Product.SubscriptionPeriod? {
    text(name).flatMap { IAPModel.SubscriptionPeriod(iso8601: $0) }.map { .init($0) }
  }

  /// Nil when it is missing, or one of its elements cannot be read.
  func list<Element>(_ name: String, of make: (JSONObject) -> Element?) -> [Element]? {
    guard let values = self[name]?.arrayValue else { return nil }
    let elements = values.compactMap { $0.objectValue.flatMap(make) }
    return elements.count == values.count ? elements : nil
  }
}

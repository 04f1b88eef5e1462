import Foundation
import IAPModel
import StoreKit

// Members of signed payloads that only some transactions have. One that lacks a required part is
// absent as a whole: no value is made up.

extension StoreKit.Transaction.AdvancedCommerceInfo {
  init?(_ object: JSONObject?) {
    guard let object,
      let reference = object.text("requestReferenceId"),
      let estimatedTax = object.milliunits("estimatedTax"),
      let taxRate = object.decimal("taxRate"),
      let taxCode = object.text("taxCode"),
      let taxExclusivePrice = object.milliunits("taxExclusivePrice"),
      let items = object.list("items", of: Item.init)
    else { return nil }
    let descriptors = object["descriptors"]?.objectValue
    self.init(
      requestReferenceID: reference,
      estimatedTax: estimatedTax,
      taxRate: taxRate,
      taxCode: taxCode,
      taxExclusivePrice: taxExclusivePrice,
      description: descriptors?.text("description"),
      displayName: descriptors?.text("displayName"),
      period: object.period("period"),
      items: items
    )
  }
}

extension StoreKit.Transaction.AdvancedCommerceInfo.Item {
  fileprivate init?(_ object: JSONObject) {
    guard let details = Details(object) else { return nil }
    let refunds = object.list("refunds", of: StoreKit.Transaction.AdvancedCommerceInfo.Refund.init)
    self.init(details: details, refunds: refunds, revocationDate: object.date("revocationDate"))
  }
}

extension StoreKit.Transaction.AdvancedCommerceInfo.Item.Details {
  fileprivate init?(_ object: JSONObject) {
    guard let sku = object.text("SKU"), let price = object.milliunits("price"),
      let displayName = object.text("displayName"), let description = object.text("description")
    else { return nil }
    self.init(
      sku: sku,
      displayName: displayName,
      description: description,
      offer: .init(object["offer"]?.objectValue),
      price: price
    )
  }
}

extension StoreKit.Transaction.AdvancedCommerceInfo.Offer {
  fileprivate init?(_ object: JSONObject?) {
    guard let object, let price = object.milliunits("price"), let period = object.period("period"),
      let count = object["periodCount"]?.integerValue, let reason = object.text("reason")
    else { return nil }
    self.init(
      price: price,
      period: period,
      periodCount: Int(count),
      reason: .init(rawValue: reason)
    )
  }
}

extension StoreKit.Transaction.AdvancedCommerceInfo.Refund {
  fileprivate init?(_ object: JSONObject) {
    guard let reason = object.text("refundReason"), let type = object.text("refundType"),
      let date = object.date("refundDate"), let amount = object.milliunits("refundAmount")
    else { return nil }
    self.init(
      reason: .init(rawValue: reason),
      type: .init(rawValue: type),
      date: date,
      amount: amount
    )
  }
}

extension Product.SubscriptionInfo.RenewalInfo.AdvancedCommerceInfo {
  init?(_ object: JSONObject?) {
    guard let object, let descriptors = object["descriptors"]?.objectValue,
      let token = object.text("consistencyToken"),
      let reference = object.text("requestReferenceId"),
      let taxCode = object.text("taxCode"),
      let description = descriptors.text("description"),
      let displayName = descriptors.text("displayName"),
      let period = object.period("period"),
      let items = object.list("items", of: Item.init)
    else { return nil }
    self.init(
      consistencyToken: token,
      requestReferenceID: reference,
      taxCode: taxCode,
      description: description,
      displayName: displayName,
      period: period,
      items: items
    )
  }
}

extension Product.SubscriptionInfo.RenewalInfo.AdvancedCommerceInfo.Item {
  fileprivate init?(_ object: JSONObject) {
    guard let details = Details(object) else { return nil }
    let increase = object["priceIncreaseInfo"]?.objectValue
    self.init(details: details, priceIncreaseInfo: increase.flatMap(PriceIncreaseInfo.init))
  }
}

extension Product.SubscriptionInfo.RenewalInfo.AdvancedCommerceInfo.Item.PriceIncreaseInfo {
  fileprivate init?(_ object: JSONObject) {
    guard let status = object.text("status"), let price = object.milliunits("price") else {
      return nil
    }
    let dependent = object["dependentSKUs"]?.arrayValue ?? []
    self.init(
      status: .init(rawValue: status),
      price: price,
      dependentSKUs: dependent.compactMap(\.stringValue)
    )
  }
}

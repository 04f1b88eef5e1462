import Foundation
public import IAPModel

extension LedgerEntry {
  /// The line as JSON: `sequence`, `date` and `stamp` in UNIX milliseconds, `event`, and what
  /// belongs to the event.
  ///
  /// Members have a fixed order, so that equal histories are equal bytes.
  public var json: JSONObject {
    var members = WireMembers()
    members.integer("sequence", Int64(sequence))
    members.date("date", date)
    members.date("stamp", stamp)
    event.write(into: &members)
    return members.object
  }
}

extension LedgerEvent {
  fileprivate func write(into members: inout WireMembers) {
    members.text("event", name)
    switch self {
    case .appAdded(let record): members.value("app", record.json)
    case .accountAdded(let record): members.value("account", record.json)
    case .deviceAdded(let record): members.value("device", record.json)
    case .storefrontChanged(let account, let storefront):
      members.text("account", account.rawValue)
      members.text("storefront", storefront.countryCode)
    case .askToBuyChanged(let account, let asks):
      members.text("account", account.rawValue)
      members.bool("asksToBuy", asks)
    case .mayBuyChanged(let account, let may):
      members.text("account", account.rawValue)
      members.bool("mayBuy", may)
    case .paymentChanged(let account, let works):
      members.text("account", account.rawValue)
      members.bool("paymentWorks", works)
    case .sold(let record): members.value("transaction", record.json)
    case .upgraded(let id), .finished(let id), .refundReversed(let id), .refundDeclined(let id):
      members.text("transactionId", id.rawValue)
    case .refunded(let id, let revocation):
      members.text("transactionId", id.rawValue)
      members.integer("revocationReason", Int64(revocation.reason.rawValue))
      members.text("revocationType", revocation.type.rawValue)
      members.integer("revocationPercentage", revocation.percentage.map { Int64($0) })
    case .refundRequested(let id, let reason):
      members.text("transactionId", id.rawValue)
      members.text("consumptionRequestReason", reason.rawValue)
    case .offerNonceSpent, .familyChanged, .priceChanged, .availabilityChanged, .periodCut,
      .graceChanged, .codesMade, .codeRedeemed, .deleted:
      writeMarket(into: &members)
    case .subscriptionBegan(let record): members.value("subscription", record.json)
    case .subscription(let original, let event):
      members.text("originalTransactionId", original.rawValue)
      members.text("what", event.name)
    case .asked(let pending): members.value("purchase", pending.json)
    case .answered(let id, let answer):
      members.text("pending", id.rawValue)
      members.text("answer", answer.rawValue)
    case .restored(let device, let records):
      members.text("device", device.rawValue)
      members.value("transactions", .array(records.map(\.json)))
    case .receiptRefreshed(let device): members.text("device", device.rawValue)
    case .notificationMade(let record): members.value("notification", record.json)
    case .notificationSent(let uuid, let attempt, let next):
      members.text("notificationUUID", uuid.rawValue)
      members.value("attempt", attempt.json)
      members.date("nextAttemptDate", next)
    case .server(let event): event.write(into: &members)
    }
  }

  /// What families and developers change.
  private func writeMarket(into members: inout WireMembers) {
    switch self {
    case .offerNonceSpent(let nonce): members.text("nonce", nonce.uuidString.lowercased())
    case .familyChanged(let family): members.value("family", family.json)
    case .priceChanged(let app, let product, let price):
      members.text("bundleId", app.rawValue)
      members.text("productId", product.rawValue)
      members.integer("price", price)
    case .availabilityChanged(let app, let product, let isForSale):
      members.text("bundleId", app.rawValue)
      members.text("productId", product.rawValue)
      members.bool("isForSale", isForSale)
    case .periodCut(let original, let end):
      members.text("originalTransactionId", original.rawValue)
      members.date("expiresDate", end)
    case .graceChanged(let settings):
      members.integer("graceSeconds", settings.map { Int64($0.length) })
      members.text("graceScope", settings?.scope.rawValue)
    case .codesMade(let records): members.value("codes", .array(records.map(\.json)))
    case .codeRedeemed(let app, let code, let account):
      members.text("bundleId", app.rawValue)
      members.text("code", code.rawValue)
      members.text("account", account.rawValue)
    case .deleted(let ids):
      members.value("transactionIds", .array(ids.map { .string($0.rawValue) }))
    default: break
    }
  }

  private var name: String {
    switch self {
    case .appAdded: "appAdded"
    case .accountAdded: "accountAdded"
    case .deviceAdded: "deviceAdded"
    case .storefrontChanged: "storefrontChanged"
    case .askToBuyChanged: "askToBuyChanged"
    case .mayBuyChanged: "mayBuyChanged"
    case .codesMade: "codesMade"
    case .codeRedeemed: "codeRedeemed"
    case .deleted: "deleted"
    case .paymentChanged: "paymentChanged"
    case .sold: "sold"
    case .upgraded: "upgraded"
    case .subscriptionBegan: "subscriptionBegan"
    case .subscription: "subscription"
    case .finished: "finished"
    case .refunded: "refunded"
    case .refundReversed: "refundReversed"
    case .refundRequested: "refundRequested"
    case .refundDeclined: "refundDeclined"
    case .offerNonceSpent: "offerNonceSpent"
    case .familyChanged: "familyChanged"
    case .priceChanged: "priceChanged"
    case .availabilityChanged: "availabilityChanged"
    case .periodCut: "periodCut"
    case .graceChanged: "graceChanged"
    case .asked: "asked"
    case .answered: "answered"
    case .restored: "restored"
    case .receiptRefreshed: "receiptRefreshed"
    case .notificationMade: "notificationMade"
    case .notificationSent: "notificationSent"
    case .server(let event): event.name
    }
  }
}

extension SubscriptionEvent {
  fileprivate var name: String {
    switch self {
    case .periodBought(_, let kind): kind.rawValue
    case .chargeDue(let works): works ? "charged" : "chargeFailedEarly"
    case .periodEnded: "periodEnded"
    case .graceEnded: "graceEnded"
    case .retryEnded: "retryEnded"
    case .paymentRecovered: "paymentRecovered"
    case .autoRenewSet(let isOn): isOn ? "autoRenewEnabled" : "autoRenewDisabled"
    case .renewalProductSet(let product): "renewalProduct \(product)"
    case .offerScheduled(let scheduled, let product):
      "offer \(scheduled.offer.id?.rawValue ?? "introductory") for \(product)"
    case .offerStacked(let offer): "offer \(offer.id?.rawValue ?? "introductory") stacked"
    case .priceRaised(let old, let new, let needsConsent):
      "price \(old) to \(new)\(needsConsent ? ", asks" : "")"
    case .priceKept(let price): price.map { "price kept \($0)" } ?? "price of the catalog"
    case .priceAnswered(let agrees): agrees ? "priceAgreed" : "priceDeclined"
    case .shareEnded: "shareEnded"
    case .expiredNow: "expiredNow"
    case .refunded(let id): "refunded \(id)"
    case .refundReversed(let id): "refundReversed \(id)"
    }
  }
}

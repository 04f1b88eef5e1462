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
    case .paymentChanged(let account, let works):
      members.text("account", account.rawValue)
      members.bool("paymentWorks", works)
    case .sold(let record): members.value("transaction", record.json)
    case .upgraded(let id), .finished(let id), .refundReversed(let id):
      members.text("transactionId", id.rawValue)
    case .refunded(let id, let reason):
      members.text("transactionId", id.rawValue)
      members.integer("revocationReason", Int64(reason.rawValue))
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
    }
  }

  private var name: String {
    switch self {
    case .appAdded: "appAdded"
    case .accountAdded: "accountAdded"
    case .deviceAdded: "deviceAdded"
    case .storefrontChanged: "storefrontChanged"
    case .askToBuyChanged: "askToBuyChanged"
    case .paymentChanged: "paymentChanged"
    case .sold: "sold"
    case .upgraded: "upgraded"
    case .subscriptionBegan: "subscriptionBegan"
    case .subscription: "subscription"
    case .finished: "finished"
    case .refunded: "refunded"
    case .refundReversed: "refundReversed"
    case .asked: "asked"
    case .answered: "answered"
    case .restored: "restored"
    case .receiptRefreshed: "receiptRefreshed"
    case .notificationMade: "notificationMade"
    case .notificationSent: "notificationSent"
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
    case .refunded(let id): "refunded \(id)"
    case .refundReversed(let id): "refundReversed \(id)"
    }
  }
}

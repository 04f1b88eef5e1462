import Foundation
import IAPEntitlements
import IAPModel

/// What `verifyReceipt` says about a genuine receipt, as facts.
///
/// The answer is not signed: it is believed because it came from Apple's own address.
///
/// - **Source:** the signed-data facts, section 7.1.
struct VerifyReceiptAnswer: Sendable {
  /// The app.
  let bundleID: BundleID
  /// When the App Store knew it.
  let date: Date
  /// What was bought, each transaction once.
  let transactions: [TransactionPayload]
  /// How the subscriptions go on.
  let renewals: [RenewalInfoPayload]
  /// The answer without the receipt that it repeats.
  let bytes: [UInt8]
  /// The part of the answer that differs when it says something else.
  let identity: [UInt8]

  /// What it says.
  var facts: [StoreFact] {
    transactions.map { .receiptLine($0) } + renewals.map { .renewal($0) }
  }

  /// Reads an answer whose status says that the receipt is genuine; nil when it does not say which
  /// app the receipt is for.
  ///
  /// - Parameters:
  ///   - object: The answer's members.
  ///   - environment: The address that answered.
  ///   - now: When it came, for answers without a date.
  init?(_ object: JSONObject, environment: StoreEnvironment, now: Date) {
    guard let receipt = object["receipt"]?.objectValue else { return nil }
    let isSingle = receipt["bid"] != nil
    guard let bundle = (receipt["bundle_id"] ?? receipt["bid"])?.stringValue, !bundle.isEmpty
    else { return nil }
    bundleID = BundleID(bundle)
    date = receipt.appleDate("request_date") ?? receipt.appleDate("receipt_creation_date") ?? now
    var lines: [JSONObject] = Self.objects(object["latest_receipt_info"])
    lines += Self.objects(object["latest_expired_receipt_info"])
    lines += isSingle ? [receipt] : Self.objects(receipt["in_app"])
    var seen: Set<TransactionID> = []
    var transactions: [TransactionPayload] = []
    for line in lines {
      // The first mention is the current one: the receipt that was sent is a snapshot.
      guard let transaction = Self.transaction(line, bundleID, environment, date),
        seen.insert(transaction.transactionID).inserted
      else { continue }
      transactions.append(transaction)
    }
    self.transactions = Self.separated(transactions)
    var pending = Self.objects(object["pending_renewal_info"])
    if isSingle { pending.append(Self.single(object, receipt)) }
    let date = date
    renewals = pending.compactMap { Self.renewal($0, environment, at: date) }
    var kept = object
    for name in ["latest_receipt", "latest_expired_receipt"] { kept[name] = nil }
    bytes = kept.serialized
    identity =
      JSONObject([
        JSONMember("app", .string(bundle)),
        JSONMember("environment", .string(environment.rawValue)),
        JSONMember("lines", .array(lines.map { .object($0) })),
        JSONMember("pending", .array(pending.map { .object($0) })),
      ]).serialized
  }

  /// Takes the billing event from lines that cannot be of one, for they begin at different times:
  /// they would be taken for copies of one period.
  private static func separated(_ transactions: [TransactionPayload]) -> [TransactionPayload] {
    var starts: [WebOrderLineItemID: Set<Date>] = [:]
    for transaction in transactions {
      guard let item = transaction.webOrderLineItemID else { continue }
      starts[item, default: []].insert(transaction.purchaseDate)
    }
    return transactions.map { transaction in
      guard let item = transaction.webOrderLineItemID, starts[item]?.count ?? 0 > 1 else {
        return transaction
      }
      var single = transaction
      single.webOrderLineItemID = nil
      return single
    }
  }

  private static func objects(_ value: JSONValue?) -> [JSONObject] {
    if let single = value?.objectValue { return [single] }
    return (value?.arrayValue ?? []).compactMap(\.objectValue)
  }

  /// The renewal of a receipt of the old kind, whose members stand beside the receipt.
  private static func single(_ object: JSONObject, _ receipt: JSONObject) -> JSONObject {
    var info = JSONObject()
    for name in [
      "auto_renew_product_id", "auto_renew_status", "expiration_intent",
      "is_in_billing_retry_period",
    ] {
      info[name] = object[name]
    }
    guard !info.members.isEmpty else { return info }
    for name in ["product_id", "original_transaction_id"] { info[name] = receipt[name] }
    return info
  }

  private static func transaction(
    _ line: JSONObject,
    _ bundleID: BundleID,
    _ environment: StoreEnvironment,
    _ date: Date
  ) -> TransactionPayload? {
    let expires = line.appleDate("expires_date")
    guard let id = line.appleText("transaction_id"), let product = line.appleText("product_id"),
      let bought = line.appleDate("purchase_date") ?? line.appleDate("original_purchase_date")
        ?? expires
    else { return nil }
    var payload = TransactionPayload(
      transactionID: TransactionID(id),
      originalTransactionID: OriginalTransactionID(
        line.appleText("original_transaction_id") ?? id
      ),
      bundleID: bundleID,
      productID: ProductID(product),
      purchaseDate: bought
    )
    payload.environment = environment
    payload.signedDate = date
    payload.type = expires == nil ? nil : .autoRenewable
    payload.quantity = line.appleText("quantity").flatMap { Int($0) }
    payload.originalPurchaseDate = line.appleDate("original_purchase_date")
    payload.expiresDate = expires
    payload.isUpgraded = line.appleText("is_upgraded") == "true"
    payload.subscriptionGroupID = line.appleText("subscription_group_identifier")
      .map { SubscriptionGroupID($0) }
    if let item = line.appleText("web_order_line_item_id"), item != "0" {
      payload.webOrderLineItemID = WebOrderLineItemID(item)
    }
    payload.ownershipType = line.appleText("in_app_ownership_type")
      .map { OwnershipType(rawValue: $0) }
    payload.appAccountToken = line.appleText("app_account_token")
      .flatMap { UUID(uuidString: $0) }.map { AppAccountToken($0) }
    // An upgrade ends the old level's period with a date of cancellation too, and is no refund.
    if !payload.isUpgraded { payload.revocationDate = line.appleDate("cancellation_date") }
    if payload.revocationDate != nil {
      payload.revocationReason = line.appleText("cancellation_reason").flatMap { Int($0) }
        .map { RevocationReason(rawValue: $0) }
    }
    offer(line, &payload)
    return payload
  }

  private static func offer(_ line: JSONObject, _ payload: inout TransactionPayload) {
    if let code = line.appleText("offer_code_ref_name") {
      payload.offerType = .code
      payload.offerIdentifier = OfferID(code)
    } else if let offer = line.appleText("promotional_offer_id") {
      payload.offerType = .promotional
      payload.offerIdentifier = OfferID(offer)
    } else if line.appleText("is_trial_period") == "true"
      || line.appleText("is_in_intro_offer_period") == "true"
    {
      payload.offerType = .introductory
      if line.appleText("is_trial_period") == "true" { payload.offerDiscountType = .freeTrial }
    }
  }

  private static func renewal(
    _ info: JSONObject,
    _ environment: StoreEnvironment,
    at date: Date
  ) -> RenewalInfoPayload? {
    guard let original = info.appleText("original_transaction_id"),
      let product = info.appleText("product_id") ?? info.appleText("auto_renew_product_id")
    else { return nil }
    var payload = RenewalInfoPayload(
      originalTransactionID: OriginalTransactionID(original),
      productID: ProductID(product)
    )
    payload.environment = environment
    payload.signedDate = date
    payload.autoRenewProductID = info.appleText("auto_renew_product_id").map { ProductID($0) }
    payload.willAutoRenew = info.appleText("auto_renew_status").map { $0 == "1" }
    payload.expirationIntent = info.appleText("expiration_intent").flatMap { Int($0) }
      .map { ExpirationIntent(rawValue: $0) }
    payload.isInBillingRetryPeriod = info.appleText("is_in_billing_retry_period")
      .map { $0 == "1" }
    payload.gracePeriodExpiresDate = info.appleDate("grace_period_expires_date")
    payload.priceIncreaseStatus =
      (info.appleText("price_increase_status") ?? info.appleText("price_consent_status"))
      .flatMap { Int($0) }.map { PriceIncreaseStatus(rawValue: $0) }
    return payload
  }
}

extension JSONObject {
  /// A member that is a text, or a number where old answers have one; nil when it is empty.
  func appleText(_ name: String) -> String? {
    guard let value = self[name] else { return nil }
    if let text = value.stringValue { return text.isEmpty ? nil : text }
    return value.integerValue.map { String($0) }
  }

  /// A date, as milliseconds in a member of its own or, by the oldest answers, in its place.
  func appleDate(_ name: String) -> Date? {
    guard let text = appleText(name + "_ms") ?? appleText(name), let number = Int64(text) else {
      return nil
    }
    return Date(milliseconds: number)
  }
}

import Foundation
import IAPEntitlements
import IAPModel
import IAPSignatures

/// Writes receipts as Apple's old service does: every value is a text, dates stand three times.
///
/// - **Source:** the signed-data facts, section 7.1.
struct VerifyReceiptWriter: Sendable {
  /// What the ledger knows about the purchases of the receipt.
  let history: StoreHistory
  let now: Date

  /// The most lines of one answer; the newest are kept.
  static let linesMax = 10_000

  func object(
    _ payload: ReceiptPayload,
    environment: StoreEnvironment,
    receipt: String,
    excludesOld: Bool
  ) -> JSONObject {
    var answer = AnswerMembers()
    answer.add("status", .integer(0))
    answer.add("environment", environment.rawValue)
    answer.add("receipt", .object(decoded(payload)))
    let subscriptions = history.transactions.map(\.payload)
      .filter { $0.type == .autoRenewable }
      .sorted { ($0.purchaseDate, $0.transactionID) > ($1.purchaseDate, $1.transactionID) }
    guard !subscriptions.isEmpty else { return answer.object }
    var seen: Set<OriginalTransactionID> = []
    let lines = subscriptions.filter { line in
      seen.insert(line.originalTransactionID).inserted || !excludesOld
    }
    answer.add("latest_receipt", .string(receipt))
    answer.add(
      "latest_receipt_info",
      .array(lines.prefix(Self.linesMax).map { .object(line($0, isLatest: true)) })
    )
    answer.add("pending_renewal_info", .array(history.subscriptions(at: now).map(pending)))
    return answer.object
  }

  private func decoded(_ payload: ReceiptPayload) -> JSONObject {
    let number = payload.appAppleID?.rawValue ?? 0
    var answer = AnswerMembers()
    answer.add("receipt_type", payload.receiptType?.rawValue)
    answer.add("adam_id", .integer(number))
    answer.add("app_item_id", .integer(number))
    answer.add("bundle_id", payload.bundleID?.rawValue)
    answer.add("application_version", payload.applicationVersion)
    answer.add("download_id", .integer(payload.downloadID ?? 0))
    answer.add("version_external_identifier", .integer(payload.versionExternalIdentifier ?? 0))
    answer.addApple("receipt_creation_date", payload.creationDate)
    answer.addApple("request_date", now, isExact: true)
    answer.addApple("original_purchase_date", payload.originalPurchaseDate)
    answer.addApple("expiration_date", payload.expirationDate)
    answer.add("original_application_version", payload.originalApplicationVersion)
    let lines = payload.items.compactMap { $0.transaction(in: payload) }.map { item in
      // What the ledger knows by now completes what the receipt says.
      JSONValue.object(
        line(history.transaction(item.transactionID)?.payload ?? item, isLatest: false)
      )
    }
    answer.add("in_app", .array(lines))
    return answer.object
  }

  private func line(_ payload: TransactionPayload, isLatest: Bool) -> JSONObject {
    let isIntroductory = payload.offerType == .introductory
    let isTrial = isIntroductory && payload.offerDiscountType == .freeTrial
    var answer = AnswerMembers()
    answer.add("quantity", String(payload.quantity ?? 1))
    answer.add("product_id", payload.productID.rawValue)
    answer.add("transaction_id", payload.transactionID.rawValue)
    answer.add("original_transaction_id", payload.originalTransactionID.rawValue)
    answer.addApple("purchase_date", payload.purchaseDate)
    answer.addApple("original_purchase_date", payload.originalPurchaseDate ?? payload.purchaseDate)
    answer.addApple("expires_date", payload.expiresDate)
    answer.add("web_order_line_item_id", payload.webOrderLineItemID?.rawValue)
    answer.add("is_trial_period", isTrial ? "true" : "false")
    if payload.expiresDate != nil {
      answer.add("is_in_intro_offer_period", isIntroductory && !isTrial ? "true" : "false")
    }
    answer.add("in_app_ownership_type", payload.ownershipType?.rawValue)
    if isLatest {
      answer.add("subscription_group_identifier", payload.subscriptionGroupID?.rawValue)
    }
    answer.addApple("cancellation_date", payload.revocationDate)
    if payload.revocationDate != nil {
      answer.add("cancellation_reason", payload.revocationReason.map { String($0.rawValue) })
    }
    if payload.isUpgraded { answer.add("is_upgraded", "true") }
    switch payload.offerType {
    case .promotional?: answer.add("promotional_offer_id", payload.offerIdentifier?.rawValue)
    case .code?: answer.add("offer_code_ref_name", payload.offerIdentifier?.rawValue)
    default: break
    }
    answer.add("app_account_token", payload.appAccountToken?.description)
    return answer.object
  }

  private func pending(_ state: SubscriptionState) -> JSONValue {
    let renewal = state.renewal
    var answer = AnswerMembers()
    answer.add(
      "auto_renew_product_id",
      (renewal?.autoRenewProductID ?? state.productID).rawValue
    )
    answer.add("product_id", (renewal?.productID ?? state.productID).rawValue)
    answer.add("original_transaction_id", state.originalTransactionID.rawValue)
    answer.add("auto_renew_status", renewal?.willAutoRenew.map { $0 ? "1" : "0" })
    answer.add("expiration_intent", renewal?.expirationIntent.map { String($0.rawValue) })
    answer.add("is_in_billing_retry_period", renewal?.isInBillingRetryPeriod.map { $0 ? "1" : "0" })
    answer.addApple("grace_period_expires_date", renewal?.gracePeriodExpiresDate)
    if let status = renewal?.priceIncreaseStatus {
      answer.add("price_consent_status", String(status.rawValue))
      answer.add("price_increase_status", String(status.rawValue))
    }
    return .object(answer.object)
  }
}

extension AnswerMembers {
  /// An instant in Apple's three ways; whole seconds but for the request's own.
  mutating func addApple(_ name: String, _ date: Date?, isExact: Bool = false) {
    guard let date else { return }
    let seconds = date.timeIntervalSince1970.rounded(.down)
    let whole = Date(timeIntervalSince1970: seconds)
    add(name, AppleDateText.text(whole, "Etc/GMT"))
    add("\(name)_ms", String(isExact ? date.milliseconds : whole.milliseconds))
    add("\(name)_pst", AppleDateText.text(whole, "America/Los_Angeles"))
  }
}

/// Writes dates as `2026-01-31 12:00:00 Etc/GMT`.
enum AppleDateText {
  static func text(_ date: Date, _ zone: String) -> String {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = TimeZone(identifier: zone) ?? .gmt
    let parts = calendar.dateComponents(
      [.year, .month, .day, .hour, .minute, .second],
      from: date
    )
    func two(_ number: Int?) -> String {
      let digits = String(number ?? 0)
      return digits.count < 2 ? "0" + digits : digits
    }
    let day = "\(parts.year ?? 0)-\(two(parts.month))-\(two(parts.day))"
    return "\(day) \(two(parts.hour)):\(two(parts.minute)):\(two(parts.second)) \(zone)"
  }
}

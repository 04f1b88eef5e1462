import Foundation
import IAPModel
import IAPSignatures

/// One purchase as `verifyReceipt` answers it: every value is a text.
///
/// - **Source:** the receipt facts, section 7.1.
struct ReceiptLine: Hashable, Sendable {
  var quantity: Int
  var productID: ProductID
  var transactionID: TransactionID
  var originalTransactionID: OriginalTransactionID
  var purchaseDate: Date
  var originalPurchaseDate: Date
  var expiresDate: Date?
  var lineItem: WebOrderLineItemID?
  var offer: AppliedOffer?
  var isTrialPeriod: Bool
  var isInIntroOfferPeriod: Bool
  var promotionalOfferID: OfferID?
  var ownership: OwnershipType
  var groupID: SubscriptionGroupID?
  var cancellationDate: Date?
  var cancellationReason: RevocationReason?
  var isUpgraded = false
  var token: AppAccountToken?

  /// A purchase as the store has it now.
  init(_ record: StoreTransactionRecord) {
    let isIntroductory = record.offer?.type == .introductory
    let isTrial = isIntroductory && record.offer?.discountType == .freeTrial
    quantity = record.quantity
    productID = record.productID
    transactionID = record.transactionID
    originalTransactionID = record.originalTransactionID
    purchaseDate = record.purchaseDate
    originalPurchaseDate = record.originalPurchaseDate
    expiresDate = record.expiresDate
    lineItem = record.webOrderLineItemID
    offer = record.offer
    isTrialPeriod = isTrial
    isInIntroOfferPeriod = isIntroductory && !isTrial
    promotionalOfferID = record.offer?.type == .promotional ? record.offer?.id : nil
    ownership = record.ownership
    groupID = record.groupID
    cancellationDate = record.revocationDate
    cancellationReason = record.revocationReason
    isUpgraded = record.isUpgraded
    token = record.appAccountToken
  }

  /// A purchase as it stands in a receipt; the record adds what receipts do not say.
  init(_ item: ReceiptItem, _ record: StoreTransactionRecord?) {
    quantity = item.quantity ?? 1
    productID = item.productID
    transactionID = item.transactionID
    originalTransactionID =
      item.originalTransactionID ?? OriginalTransactionID(item.transactionID.rawValue)
    purchaseDate = item.purchaseDate ?? Date(timeIntervalSince1970: 0)
    originalPurchaseDate = item.originalPurchaseDate ?? purchaseDate
    expiresDate = item.expiresDate
    lineItem = item.webOrderLineItemID
    offer = nil
    isTrialPeriod = item.isTrialPeriod ?? false
    isInIntroOfferPeriod = item.isInIntroOfferPeriod ?? false
    promotionalOfferID = item.promotionalOfferID
    ownership = record?.ownership ?? .purchased
    groupID = nil
    cancellationDate = item.cancellationDate
    cancellationReason = item.cancellationDate == nil ? nil : record?.revocationReason
  }

  var json: JSONValue {
    var members = WireMembers()
    members.text("quantity", String(quantity))
    members.text("product_id", productID.rawValue)
    members.text("transaction_id", transactionID.rawValue)
    members.text("original_transaction_id", originalTransactionID.rawValue)
    members.dates("purchase_date", purchaseDate)
    members.dates("original_purchase_date", originalPurchaseDate)
    members.dates("expires_date", expiresDate)
    members.text("web_order_line_item_id", lineItem?.rawValue)
    members.text("is_trial_period", "\(isTrialPeriod)")
    if expiresDate != nil {
      members.text("is_in_intro_offer_period", "\(isInIntroOfferPeriod)")
    }
    members.text("in_app_ownership_type", ownership.rawValue)
    members.text("subscription_group_identifier", groupID?.rawValue)
    members.dates("cancellation_date", cancellationDate)
    members.text("cancellation_reason", cancellationReason.map { String($0.rawValue) })
    if isUpgraded { members.text("is_upgraded", "true") }
    members.text("promotional_offer_id", promotionalOfferID?.rawValue)
    if offer?.type == .code { members.text("offer_code_ref_name", offer?.id?.rawValue) }
    members.text("app_account_token", token?.description)
    return .object(members.object)
  }
}

extension WireMembers {
  /// An instant in the three ways of `verifyReceipt`; whole seconds but for the request's own.
  mutating func dates(_ name: String, _ date: Date?, isExact: Bool = false) {
    guard let date else { return }
    let seconds = date.milliseconds.flooredSeconds
    let whole = Date(milliseconds: seconds * 1000)
    text(name, Self.spelled(whole, .gmt, "Etc/GMT"))
    text("\(name)_ms", String(isExact ? date.milliseconds : seconds * 1000))
    let name = "\(name)_pst"
    text(name, Self.spelled(whole, Self.pacific, BillingCalendar.timeZoneName))
  }

  /// An instant as it is written, in two time zones.
  mutating func spelled(_ name: String, _ date: Date) {
    text(name, Self.spelled(date, .gmt, "Etc/GMT"))
    text("\(name)_pst", Self.spelled(date, Self.pacific, BillingCalendar.timeZoneName))
  }

  private static let pacific =
    TimeZone(identifier: BillingCalendar.timeZoneName) ?? TimeZone(secondsFromGMT: -8 * 3600)
    ?? .gmt

  private static func spelled(_ date: Date, _ zone: TimeZone, _ name: String) -> String {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = zone
    let parts = calendar.dateComponents(
      [.year, .month, .day, .hour, .minute, .second],
      from: date
    )
    func two(_ number: Int?) -> String {
      let digits = String(number ?? 0)
      return digits.count < 2 ? "0" + digits : digits
    }
    let day = "\(parts.year ?? 0)-\(two(parts.month))-\(two(parts.day))"
    return "\(day) \(two(parts.hour)):\(two(parts.minute)):\(two(parts.second)) \(name)"
  }
}

extension Int64 {
  /// Milliseconds as whole seconds, downwards.
  fileprivate var flooredSeconds: Int64 {
    self >= 0 ? self / 1000 : (self - 999) / 1000
  }
}

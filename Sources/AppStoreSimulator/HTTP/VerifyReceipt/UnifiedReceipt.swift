import Foundation
import IAPModel
import IAPSignatures

/// What the store knows now about a customer's receipt: in answers of `verifyReceipt` and in
/// notifications of version 1.
///
/// - **Source:** the receipt facts, section 7.1; the notification facts, section 7.
struct UnifiedReceipt: Sendable {
  let store: SimulatedAppStore
  let holder: StoreState.Holder

  /// The most lines in a notification.
  static let notificationLineCountMax = 100

  private var held: [StoreTransactionRecord] {
    store.transactions(of: holder.account, app: holder.bundleID)
  }

  var hasSubscriptions: Bool { held.contains { $0.type == .autoRenewable } }

  /// Newest first; finished consumables are left out.
  func lines(excludingOld: Bool = false) -> [ReceiptLine] {
    let records = held.filter { $0.type != .consumable || !$0.isFinished }
    let newest = records.reversed().map { ReceiptLine($0) }
    guard excludingOld else { return newest }
    var seen: Set<OriginalTransactionID> = []
    return newest.filter { line in
      line.expiresDate == nil || seen.insert(line.originalTransactionID).inserted
    }
  }

  /// One object for each subscription.
  func pendingRenewalInfo() -> [JSONValue] {
    store.read { core in
      core.state.subscriptions(of: holder.account, in: holder.bundleID).map { record in
        core.renewalInfo(record, signedDate: core.state.lastStamp)
      }
    }.map(Self.json)
  }

  private static func json(_ info: RenewalInfoPayload) -> JSONValue {
    var members = WireMembers()
    members.text("auto_renew_product_id", info.autoRenewProductID?.rawValue)
    members.text("auto_renew_status", info.willAutoRenew == true ? "1" : "0")
    members.text("product_id", info.productID.rawValue)
    members.text("original_transaction_id", info.originalTransactionID.rawValue)
    members.text("expiration_intent", info.expirationIntent.map { String($0.rawValue) })
    members.text("is_in_billing_retry_period", info.isInBillingRetryPeriod.map { $0 ? "1" : "0" })
    members.dates("grace_period_expires_date", info.gracePeriodExpiresDate)
    if let status = info.priceIncreaseStatus {
      members.text("price_consent_status", String(status.rawValue))
      members.text("price_increase_status", String(status.rawValue))
    }
    switch info.offerType {
    case .promotional?: members.text("promotional_offer_id", info.offerIdentifier?.rawValue)
    case .code?: members.text("offer_code_ref_name", info.offerIdentifier?.rawValue)
    default: break
    }
    return .object(members.object)
  }

  /// The newest receipt of the customer, in base64; nil when no device has the app.
  func latestReceipt() throws(SimulatorError) -> String? {
    guard let receipt = try store.currentReceipt(of: holder) else { return nil }
    return Base64.encode(receipt, .standard)
  }
}

extension SimulatedAppStore {
  /// The receipt that a device of the customer would get now.
  func currentReceipt(of holder: StoreState.Holder) throws(SimulatorError) -> [UInt8]? {
    let writer = try tryRead { core throws(SimulatorError) -> ReceiptWriter? in
      guard let device = core.state.devices(of: holder.account, with: holder.bundleID).first
      else { return nil }
      return try receiptWriter(
        core,
        device: device,
        snapshot: ReceiptSnapshot(
          creationDate: Date(timeIntervalSince1970: now.timeIntervalSince1970.rounded(.down)),
          purchases: ReceiptRule.purchases(
            held: core.state.held(by: holder.account, in: holder.bundleID),
            copies: []
          )
        )
      )
    }
    guard var writer else { return nil }
    return try signer.signReceipt(writer.content(signer.signing), fault: .genuine)
  }

  /// The body of a notification of version 1.
  ///
  /// - **Source:** the notification facts, section 7.
  func legacyBody(
    _ record: NotificationRecord,
    _ type: LegacyNotificationType
  ) throws(SimulatorError) -> [UInt8] {
    let isProduction = configuration.environment == .production
    let app = try tryRead { core throws(SimulatorError) in try core.app(record.bundleID) }
    var members = WireMembers()
    members.text("notification_type", type.rawValue)
    members.text("environment", isProduction ? "PROD" : "Sandbox")
    members.text("password", try sharedSecret(of: record.bundleID))
    members.text("bid", record.bundleID.rawValue)
    members.text("bvrs", app.build)
    if let info = record.renewalInfo {
      members.text("auto_renew_product_id", info.autoRenewProductID?.rawValue)
      members.text("auto_renew_adam_id", String(app.appAppleID.rawValue))
      members.text("auto_renew_status", "\(info.willAutoRenew == true)")
      if type == .didChangeRenewalStatus {
        members.dates("auto_renew_status_change_date", record.signedDate)
      }
      members.integer("expiration_intent", info.expirationIntent.map { Int64($0.rawValue) })
    }
    if let transaction = record.transaction {
      members.integer(
        "original_transaction_id",
        Int64(transaction.originalTransactionID.rawValue)
      )
      let holder = StoreState.Holder(account: transaction.account, bundleID: record.bundleID)
      members.value("unified_receipt", try unifiedReceipt(of: holder))
    }
    members.text("deprecation", "Mon, 05 Jun 2023 00:00:00 GMT")
    return members.object.serialized
  }

  private func unifiedReceipt(of holder: StoreState.Holder) throws(SimulatorError) -> JSONValue {
    let receipt = UnifiedReceipt(store: self, holder: holder)
    let lines = receipt.lines().prefix(UnifiedReceipt.notificationLineCountMax)
    var members = WireMembers()
    members.text("environment", configuration.environment.rawValue)
    members.text("latest_receipt", try receipt.latestReceipt())
    members.value("latest_receipt_info", .array(lines.map(\.json)))
    members.value("pending_renewal_info", .array(receipt.pendingRenewalInfo()))
    members.integer("status", 0)
    return .object(members.object)
  }
}

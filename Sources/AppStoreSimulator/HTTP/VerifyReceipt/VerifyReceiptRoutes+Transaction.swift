import Foundation
import HTTPValues
import IAPModel
import IAPSignatures

// Receipts of single transactions, which have an answer of their own shape.
//
// - **Source:** the receipt facts, section 7.1.
extension VerifyReceiptRoutes {
  func answer(
    _ receipt: TransactionReceipt,
    _ body: JSONObject,
    _ addressed: StoreEnvironment
  ) throws(SimulatorError) -> HTTPResponse {
    guard receipt.isSigned(by: try store.signer.receiptChain(), store.signer.signing) else {
      return Self.status(.notAuthenticated)
    }
    switch (receipt.environment, addressed) {
    case ("Production", .sandbox): return Self.status(.isProduction)
    case ("Sandbox", .production): return Self.status(.isSandbox)
    default: break
    }
    let id = TransactionID(receipt.info["transaction-id"] ?? "")
    guard let record = store.transaction(id), record.bundleID.rawValue == receipt.info["bid"]
    else { return Self.status(.accountNotFound) }
    guard record.type == .autoRenewable else {
      var members = WireMembers()
      members.integer("status", 0)
      members.value("receipt", try json(record))
      return .json(.object(members.object))
    }
    guard body["password"]?.stringValue == (try store.sharedSecret(of: record.bundleID)) else {
      return Self.status(.wrongSecret)
    }
    return .json(.object(try subscription(record)))
  }

  private func subscription(
    _ record: StoreTransactionRecord
  ) throws(SimulatorError) -> JSONObject {
    let held = store.transactions(of: record.account, app: record.bundleID)
    let latest =
      held.last { $0.originalTransactionID == record.originalTransactionID } ?? record
    let state = store.subscriptions.first {
      $0.originalTransactionID == record.originalTransactionID
    }
    let isOver = state?.isEntitled != true
    var members = WireMembers()
    members.integer("status", isOver ? Status.expired.rawValue : 0)
    members.value("receipt", try json(record))
    members.integer("auto_renew_status", state?.willAutoRenew == true ? 1 : 0)
    members.text("auto_renew_product_id", state?.renewalProductID.rawValue)
    if case .expired(let intent)? = state?.phase {
      members.text("expiration_intent", String(intent.rawValue))
      members.text("is_in_billing_retry_period", "0")
    } else if isOver {
      members.text("is_in_billing_retry_period", state?.phase == .retry ? "1" : "0")
    }
    guard !isOver else {
      members.value("latest_expired_receipt_info", try json(latest))
      return members.object
    }
    members.value("latest_receipt_info", try json(latest))
    let bytes = try store.transactionReceipt(latest.transactionID)
    members.text("latest_receipt", Base64.encode(bytes, .standard))
    return members.object
  }

  private func json(_ record: StoreTransactionRecord) throws(SimulatorError) -> JSONValue {
    let app = try store.tryRead { core throws(SimulatorError) in try core.app(record.bundleID) }
    let isTrial =
      record.offer?.type == .introductory && record.offer?.discountType == .freeTrial
    var members = WireMembers()
    members.text("bid", record.bundleID.rawValue)
    members.text("bvrs", app.build)
    members.text("item_id", String(app.appAppleID.rawValue))
    members.text("product_id", record.productID.rawValue)
    members.text("quantity", String(record.quantity))
    members.text("transaction_id", record.transactionID.rawValue)
    members.text("original_transaction_id", record.originalTransactionID.rawValue)
    members.dates("purchase_date", record.purchaseDate)
    members.dates("original_purchase_date", record.originalPurchaseDate)
    members.text("web_order_line_item_id", record.webOrderLineItemID?.rawValue)
    if let end = record.expiresDate {
      // Here alone the plain member has the milliseconds.
      members.text("expires_date", String(end.milliseconds))
      members.spelled("expires_date_formatted", end)
    }
    members.text("is_trial_period", "\(isTrial)")
    members.dates("cancellation_date", record.revocationDate)
    return .object(members.object)
  }
}

import Foundation
import IAPModel

extension ServerReceiptValidator {
  /// The longest words about what went wrong that are sent, in bytes: a handler may say anything.
  static let reasonBytesMax = 2000

  /// Puts an order into the server's review queue: `reviews` beside the `verify` that it asks.
  ///
  /// Nothing is sent to an endpoint of another shape.
  ///
  /// - Parameter report: The order.
  /// - Throws: ``IAPError/network(underlying:)`` when the server did not take it.
  public func report(_ report: QuarantineReport) async throws {
    guard endpoint.lastPathComponent == "verify" else { return }
    var body = JSONObject()
    body["transactionId"] = .string(report.transactionId)
    body["productId"] = .string(report.productId)
    body["reason"] = .string(report.reason.rawValue)
    body["attempts"] = .integer(Int64(report.attempts))
    body["lastError"] = report.lastError.map {
      .string(String(decoding: $0.utf8.prefix(Self.reasonBytesMax), as: UTF8.self))
    }
    body["quantity"] = .integer(Int64(report.quantity))
    body["purchaseDate"] = .integer(report.purchaseDate.milliseconds)
    body["contactReference"] = .string(report.contactReference)
    if !report.context.isEmpty {
      let context = report.context.sorted { $0.key < $1.key }
      body["context"] = .object(JSONObject(context.map { JSONMember($0.key, .string($0.value)) }))
    }
    body["orderNumber"] = report.orderNumber.map { .string($0) }
    body["signedTransaction"] = report.signedTransaction.map { .string($0) }
    body["receipt"] = report.receipt.map { .string($0.base64EncodedString()) }
    body["account"] = report.account.map { .string($0) }
    body["installation"] = report.installation.map { .string($0) }
    var call = ClientRequest(
      method: "POST",
      url: endpoint.deletingLastPathComponent().appendingPathComponent("reviews"),
      headers: headers.merging(["Content-Type": "application/json"]) { own, _ in own },
      body: body.serialized,
      timeout: Self.timeoutSeconds
    )
    call.subject.transaction = TransactionID(report.transactionId)
    call.subject.order = report.orderNumber.flatMap { OrderNumber($0) }
    call.subject.product = ProductID(report.productId)
    let response = try await http(call)
    _ = try ServerAnswer.body(response)
  }
}

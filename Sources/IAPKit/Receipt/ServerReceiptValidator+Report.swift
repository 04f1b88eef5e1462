import Foundation
import IAPModel

extension ServerReceiptValidator {
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
    body["lastError"] = report.lastError.map { .string($0) }
    body["orderNumber"] = report.orderNumber.map { .string($0) }
    body["signedTransaction"] = report.signedTransaction.map { .string($0) }
    body["receipt"] = report.receipt.map { .string($0.base64EncodedString()) }
    body["account"] = report.account.map { .string($0) }
    body["installation"] = report.installation.map { .string($0) }
    let response = try await http(
      ClientRequest(
        method: "POST",
        url: endpoint.deletingLastPathComponent().appendingPathComponent("reviews"),
        headers: headers.merging(["Content-Type": "application/json"]) { own, _ in own },
        body: body.serialized,
        timeout: Self.timeoutSeconds
      )
    )
    _ = try ServerAnswer.body(response)
  }
}

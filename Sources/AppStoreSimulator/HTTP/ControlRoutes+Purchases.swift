import Foundation
import HTTPValues
import IAPModel

extension ControlRoutes {
  var purchaseRoutes: [Route] {
    [
      Route(.post, "/control/purchases") { request, _ throws(SimulatorError) in
        try buy(request)
      },
      Route(.get, "/control/pending") { _, _ in
        .json(.array(store.pendingPurchases.map(\.json)))
      },
      Route(.post, "/control/pending/:pending/approve") { _, path throws(SimulatorError) in
        try outcome(try store.approve(PendingID(path["pending"])), device: nil)
      },
      Route(.post, "/control/pending/:pending/decline") { _, path throws(SimulatorError) in
        try store.decline(PendingID(path["pending"]))
        return .json(["outcome": "declined"])
      },
      Route(.get, "/control/transactions") { request, _ throws(SimulatorError) in
        try list(request)
      },
      Route(.get, "/control/transactions/:id") { request, path throws(SimulatorError) in
        try show(TransactionID(path["id"]), request)
      },
      Route(.post, "/control/transactions/:id/finish") { request, path throws(SimulatorError) in
        let body = try ControlBody(request, allowed: ["device"])
        let device = DeviceID(try body.requiredText("device"))
        try store.finish(TransactionID(path["id"]), on: device)
        return try show(TransactionID(path["id"]), request)
      },
      Route(.post, "/control/transactions/:id/refund") { request, path throws(SimulatorError) in
        let body = try ControlBody(request, allowed: ["reason"])
        let reason = Int(try body.integer("reason") ?? 0)
        try store.refund(TransactionID(path["id"]), reason: RevocationReason(rawValue: reason))
        return try show(TransactionID(path["id"]), request)
      },
      Route(.post, "/control/transactions/:id/reverse-refund") {
        request,
        path throws(SimulatorError) in
        try store.reverseRefund(TransactionID(path["id"]))
        return try show(TransactionID(path["id"]), request)
      },
    ]
  }

  var subscriptionRoutes: [Route] {
    [
      Route(.get, "/control/subscriptions") { _, _ in
        .json(.array(store.subscriptions.map(\.json)))
      },
      Route(.put, "/control/subscriptions/:id/auto-renew") {
        request,
        path throws(SimulatorError) in
        let body = try ControlBody(request, allowed: ["isOn"])
        let original = OriginalTransactionID(path["id"])
        let isOn = try body.require("isOn", try body.bool("isOn"))
        try store.setAutoRenew(isOn, of: original)
        let records = store.subscriptions.filter { $0.originalTransactionID == original }
        return .json(.array(records.map(\.json)))
      },
    ]
  }

  private func buy(_ request: HTTPRequest) throws(SimulatorError) -> HTTPResponse {
    let body = try ControlBody(
      request,
      allowed: [
        "device", "productId", "quantity", "appAccountToken", "applicationUsername", "askToBuy",
        "offerId",
      ]
    )
    let quantity = try body.integer("quantity") ?? 1
    let purchase = PurchaseRequest(
      device: DeviceID(try body.requiredText("device")),
      productID: ProductID(try body.requiredText("productId")),
      quantity: Int(clamping: quantity),
      appAccountToken: try body.token("appAccountToken"),
      applicationUsername: try body.text("applicationUsername"),
      offer: try body.text("offerId").map { OfferID($0) },
      simulatesAskToBuy: try body.bool("askToBuy") ?? false
    )
    return try outcome(try store.purchase(purchase), device: purchase.device)
  }

  private func outcome(
    _ outcome: PurchaseOutcome,
    device: DeviceID?
  ) throws(SimulatorError) -> HTTPResponse {
    var members = WireMembers()
    switch outcome {
    case .purchased(let record):
      members.text("outcome", "purchased")
      try write(record, device, &members)
    case .unchanged(let record, let reason):
      members.text("outcome", reason.rawValue)
      try write(record, device, &members)
    case .pending(let id):
      members.text("outcome", "pending")
      members.text("pending", id.rawValue)
    case .failed(let failure):
      members.text("outcome", "failed")
      members.text("failure", failure.rawValue)
    }
    return .json(.object(members.object))
  }

  private func write(
    _ record: StoreTransactionRecord,
    _ device: DeviceID?,
    _ members: inout WireMembers
  ) throws(SimulatorError) {
    members.value("transaction", record.json)
    let signed =
      if let device {
        try store.signedTransaction(record.transactionID, on: device)
      } else {
        try store.signedTransaction(record.transactionID)
      }
    members.text("signedTransaction", signed)
  }

  private func list(_ request: HTTPRequest) throws(SimulatorError) -> HTTPResponse {
    guard let account = request.queryValue("account") else {
      throw SimulatorError(.badRequest, "the query needs account")
    }
    let app = request.queryValue("bundleId").map { BundleID($0) }
    return .json(.array(store.transactions(of: AccountID(account), app: app).map(\.json)))
  }

  private func show(
    _ id: TransactionID,
    _ request: HTTPRequest
  ) throws(SimulatorError) -> HTTPResponse {
    guard let record = store.transaction(id) else {
      throw SimulatorError(.unknownTransaction, "there is no transaction \(id)")
    }
    var members = WireMembers()
    try write(record, request.queryValue("device").map { DeviceID($0) }, &members)
    return .json(.object(members.object))
  }
}

import Foundation
import HTTPValues
import IAPModel
import IAPSignatures

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
        let body = try ControlBody(request, allowed: ["reason", "percentage"])
        let reason = Int(try body.integer("reason") ?? 0)
        try store.refund(
          TransactionID(path["id"]),
          reason: RevocationReason(rawValue: reason),
          percentage: try body.integer("percentage").map { Int(clamping: $0) }
        )
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
        "offerId", "offerCode", "winBackOfferId", "offerSignature", "offerJWS",
        "introductoryEligibilityJWS",
      ]
    )
    let quantity = try body.integer("quantity") ?? 1
    let purchase = PurchaseRequest(
      device: DeviceID(try body.requiredText("device")),
      productID: ProductID(try body.requiredText("productId")),
      quantity: Int(clamping: quantity),
      appAccountToken: try body.token("appAccountToken"),
      applicationUsername: try body.text("applicationUsername"),
      offerUse: try offerUse(body),
      simulatesAskToBuy: try body.bool("askToBuy") ?? false
    )
    return try outcome(try store.purchase(purchase), device: purchase.device)
  }

  private func offerUse(_ body: ControlBody) throws(SimulatorError) -> OfferUse? {
    var uses: [OfferUse] = []
    if let id = try body.text("offerId") {
      var proof = try body.text("offerJWS").map { OfferProof.jws($0) }
      if let object = try body.object("offerSignature") {
        proof = .signature(try OfferSignature(object))
      }
      uses.append(.promotional(OfferID(id), proof))
    }
    if let code = try body.text("offerCode") { uses.append(.code(OfferCode(code))) }
    if let id = try body.text("winBackOfferId") { uses.append(.winBack(OfferID(id))) }
    if let jws = try body.text("introductoryEligibilityJWS") {
      uses.append(.introductory(eligibilityJWS: jws))
    }
    guard uses.count <= 1 else {
      throw SimulatorError(.badRequest, "a purchase has one offer at most")
    }
    return uses.first
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
    guard let account = request.queryValue("account").map({ AccountID($0) }) else {
      throw SimulatorError(.badRequest, "the query needs account")
    }
    let app = request.queryValue("bundleId").map { BundleID($0) }
    _ = try store.tryRead { core throws(SimulatorError) in
      if let app { _ = try core.app(app) }
      return try core.account(account)
    }
    return .json(.array(store.transactions(of: account, app: app).map(\.json)))
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

extension OfferSignature {
  /// Reads `keyId`, `nonce`, `timestamp` and `signature`.
  init(_ object: JSONObject) throws(SimulatorError) {
    guard let key = object["keyId"]?.stringValue,
      let nonce = object["nonce"]?.stringValue.flatMap({ UUID(uuidString: $0) }),
      let timestamp = object["timestamp"]?.integerValue,
      let signature = object["signature"]?.stringValue.flatMap({
        Base64.decode(Array($0.utf8), .standard)
      })
    else {
      throw SimulatorError(
        .badRequest,
        "offerSignature has keyId, nonce (a UUID), timestamp (milliseconds), signature (base64)"
      )
    }
    self.init(
      keyID: DeveloperKeyID(key),
      nonce: nonce,
      timestampMilliseconds: timestamp,
      signature: signature
    )
  }
}

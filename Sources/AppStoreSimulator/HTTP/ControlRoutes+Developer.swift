import Foundation
import HTTPValues
import IAPModel

// What App Store Connect is for: keys, secrets. And what stands between a server and Apple's: rates
// and faults.
extension ControlRoutes {
  /// The most requests that one fault meets.
  static let faultCountMax: Int64 = 1_000_000

  var developerRoutes: [Route] {
    keyRoutes + troubleRoutes + recordRoutes
  }

  private var keyRoutes: [Route] {
    [
      Route(.get, "/control/api-key") { _, _ throws(SimulatorError) in
        let key = try store.issuedDeveloperKey()
        return .json([
          "keyId": .string(key.id.rawValue), "issuerId": .string(key.issuer.rawValue),
          "privateKey": .string(key.p8),
        ])
      },
      Route(.get, "/control/keys") { _, _ in
        let own = store.ownKeyIDs
        let known = store.developerKeys.all.map { ($0.id, $0.issuer) }
        return .json(
          .array(
            ([(own.id, own.issuer)] + known).map { id, issuer in
              var members = WireMembers()
              members.text("keyId", id.rawValue)
              members.text("issuerId", issuer?.rawValue)
              return .object(members.object)
            }
          )
        )
      },
      Route(.post, "/control/keys") { request, _ throws(SimulatorError) in
        let body = try ControlBody(request, allowed: ["keyId", "issuerId", "key"])
        let id = DeveloperKeyID(try body.requiredText("keyId"))
        let issuer = IssuerID(try body.requiredText("issuerId"))
        let pem = Array(try body.requiredText("key").utf8)
        try store.addDeveloperKey(id, issuer: issuer, pem: pem)
        return .json(["keyId": .string(id.rawValue), "issuerId": .string(issuer.rawValue)])
      },
      Route(.delete, "/control/keys/:id") { _, path throws(SimulatorError) in
        try store.removeDeveloperKey(DeveloperKeyID(path["id"]))
        return .json([:])
      },
      Route(.get, "/control/shared-secret") { request, _ throws(SimulatorError) in
        let app = request.queryValue("bundleId").map { BundleID($0) }
        return .json(["sharedSecret": .string(try store.sharedSecret(of: app))])
      },
      Route(.post, "/control/offer-signatures/check") { request, _ throws(SimulatorError) in
        try checkOffer(request)
      },
    ]
  }

  private var troubleRoutes: [Route] {
    [
      Route(.get, "/control/refused-tokens") { _, _ in .json(.array(desk.refusals.map(\.json))) },
      Route(.get, "/control/rate-limits") { _, _ in rateLimits() },
      Route(.put, "/control/rate-limits") { request, _ throws(SimulatorError) in
        let body = try ControlBody(request, allowed: ["areOn", "requestsPerHour"])
        let areOn = try body.require("areOn", try body.bool("areOn"))
        let number = try body.integer("requestsPerHour")
        guard number.map({ $0 >= 0 }) ?? true else {
          throw SimulatorError(.badRequest, "requestsPerHour is not negative")
        }
        desk.setLimits(
          RateLimits(areOn: areOn, requestsPerHour: number.map { Int(clamping: $0) })
        )
        return rateLimits()
      },
      Route(.put, "/control/server-api/fault") { request, _ throws(SimulatorError) in
        try setFault(request)
      },
      Route(.put, "/control/verify-receipt/fault") { request, _ throws(SimulatorError) in
        let body = try ControlBody(request, allowed: ["status", "isRetryable", "count"])
        let status = try body.integer("status")
        let isRetryable = try body.bool("isRetryable")
        let count = try faultCount(body)
        desk.setReceiptFault(
          status.map { ReceiptFault(status: $0, isRetryable: isRetryable, count: count) }
        )
        return .json([:])
      },
    ]
  }

  private var recordRoutes: [Route] {
    [
      Route(.get, "/control/transactions/:id/order") { _, path throws(SimulatorError) in
        let order = try store.orderID(of: TransactionID(path["id"]))
        return .json(["orderId": .string(order.rawValue)])
      },
      Route(.get, "/control/consumption") { _, _ in
        .json(.array(store.consumptionRecords.map(\.json)))
      },
      Route(.get, "/control/extensions") { _, _ in
        .json(.array(store.renewalExtensions.map(\.json)))
      },
      Route(.post, "/control/notifications/emit") { request, _ throws(SimulatorError) in
        try emit(request)
      },
    ]
  }

  private func rateLimits() -> HTTPResponse {
    let limits = desk.limits
    var members = WireMembers()
    members.bool("areOn", limits.areOn)
    members.integer("requestsPerHour", limits.requestsPerHour.map { Int64($0) })
    return .json(.object(members.object))
  }

  private func faultCount(_ body: ControlBody) throws(SimulatorError) -> Int {
    let count = try body.integer("count") ?? 1
    guard (1...Self.faultCountMax).contains(count) else {
      throw SimulatorError(.badRequest, "count is from 1 to \(Self.faultCountMax)")
    }
    return Int(count)
  }

  private func setFault(_ request: HTTPRequest) throws(SimulatorError) -> HTTPResponse {
    let body = try ControlBody(request, allowed: ["errorCode", "status", "count"])
    let count = try faultCount(body)
    switch (try body.integer("errorCode"), try body.integer("status")) {
    case (nil, nil): desk.setFault(nil)
    case (let code?, nil):
      guard (4_000_000...5_999_999).contains(code) else {
        throw SimulatorError(.badRequest, "errorCode is from 4000000 to 5999999")
      }
      desk.setFault(APIFault(answer: .number(code), count: count))
    case (nil, let status?):
      guard (400...599).contains(status) else {
        throw SimulatorError(.badRequest, "status is from 400 to 599")
      }
      desk.setFault(APIFault(answer: .status(Int(status)), count: count))
    case (.some, .some):
      throw SimulatorError(.badRequest, "either errorCode or status")
    }
    return .json([:])
  }

  private func emit(_ request: HTTPRequest) throws(SimulatorError) -> HTTPResponse {
    let body = try ControlBody(
      request,
      allowed: [
        "notificationType", "subtype", "transactionId", "externalPurchaseToken", "device",
        "bundleId", "advancedCommerceInfo", "previousOriginalTransactionId",
      ]
    )
    let type = NotificationType(rawValue: try body.requiredText("notificationType"))
    let subtype = try body.text("subtype").map { NotificationSubtype(rawValue: $0) }
    let app = try body.text("bundleId").map { BundleID($0) }
    switch (
      try body.text("transactionId"), try body.object("externalPurchaseToken"),
      try body.text("device")
    ) {
    case (let id?, nil, nil):
      let commerce = CommerceDetails(
        info: try body.object("advancedCommerceInfo"),
        previousOriginalTransactionID: try body.text("previousOriginalTransactionId").map {
          OriginalTransactionID($0)
        }
      )
      try store.emitNotification(type, subtype, about: TransactionID(id), commerce: commerce)
    case (nil, let token?, nil):
      try store.emitNotification(type, subtype, subject: .externalPurchaseToken(token), app: app)
    case (nil, nil, let device?):
      let id = DeviceID(device)
      let app = try store.device(id).bundleID
      try store.emitNotification(type, subtype, subject: .appTransaction(id), app: app)
    default:
      throw SimulatorError(
        .badRequest,
        "the body needs one of transactionId, externalPurchaseToken and device"
      )
    }
    return .json(.array(store.notifications.suffix(1).map(\.json)))
  }

  private func checkOffer(_ request: HTTPRequest) throws(SimulatorError) -> HTTPResponse {
    let body = try ControlBody(
      request,
      allowed: [
        "jws", "bundleId", "keyId", "productId", "offerId", "applicationUsername", "nonce",
        "timestamp", "signature",
      ]
    )
    let now = desk.wallClock()
    if let jws = try body.text("jws") {
      if let bytes = store.checkAdvancedCommerceRequest(jws: jws) {
        return .json([
          "verdict": "genuine", "request": .string(String(decoding: bytes, as: UTF8.self)),
        ])
      }
      return verdict(store.checkOffer(jws: jws, at: now))
    }
    guard let nonce = UUID(uuidString: try body.requiredText("nonce")),
      let signature = Data(base64Encoded: try body.requiredText("signature"))
    else { throw SimulatorError(.badRequest, "nonce is a UUID and signature is base64") }
    let offer = OfferSignatureParts(
      bundleID: try body.text("bundleId").map { BundleID($0) } ?? store.configuration.bundleID,
      productID: ProductID(try body.requiredText("productId")),
      offerID: OfferID(try body.requiredText("offerId")),
      applicationUsername: try body.text("applicationUsername") ?? "",
      signature: OfferSignature(
        keyID: DeveloperKeyID(try body.requiredText("keyId")),
        nonce: nonce,
        timestampMilliseconds: try body.require("timestamp", try body.integer("timestamp")),
        signature: Array(signature)
      )
    )
    return verdict(store.check(offer, at: now))
  }

  private func verdict(_ verdict: OfferSignatureVerdict) -> HTTPResponse {
    var members = WireMembers()
    switch verdict {
    case .refused(let reason):
      members.text("verdict", "refused")
      members.text("reason", reason)
    case .genuine(let offer):
      members.text("verdict", "genuine")
      members.text("productId", offer.productID.rawValue)
      members.text("offerId", offer.offerID?.rawValue)
      if let allows = offer.allowsIntroductoryOffer {
        members.bool("allowIntroductoryOffer", allows)
      }
      members.text("transactionId", offer.transactionID?.rawValue)
      members.text("nonce", offer.nonce.uuidString.lowercased())
    }
    return .json(.object(members.object))
  }
}

import Foundation
import HTTPValues
import IAPModel
import IAPSignatures

// Refund requests, families, prices, grace periods, offer keys, forced renewals.
extension ControlRoutes {
  var ruleRoutes: [Route] { refundRoutes + familyRoutes + marketRoutes + forceRoutes }

  private var refundRoutes: [Route] {
    [
      Route(.post, "/control/transactions/:id/request-refund") {
        request,
        path throws(SimulatorError) in
        let body = try ControlBody(request, allowed: ["reason"])
        let text = try body.text("reason") ?? ConsumptionRequestReason.other.rawValue
        let reason: ConsumptionRequestReason = try choice(text, "reason")
        try store.requestRefund(TransactionID(path["id"]), reason: reason)
        return record(TransactionID(path["id"]))
      },
      Route(.post, "/control/transactions/:id/decline-refund") { _, path throws(SimulatorError) in
        try store.declineRefund(TransactionID(path["id"]))
        return record(TransactionID(path["id"]))
      },
    ]
  }

  private var familyRoutes: [Route] {
    [
      Route(.get, "/control/families") { _, _ in families() },
      Route(.post, "/control/families") { request, _ throws(SimulatorError) in
        let body = try ControlBody(request, allowed: ["family", "organizer"])
        try store.addFamily(
          FamilyID(try body.requiredText("family")),
          organizer: AccountID(try body.requiredText("organizer"))
        )
        return families()
      },
      Route(.post, "/control/families/:family/join") { request, path throws(SimulatorError) in
        let body = try ControlBody(request, allowed: ["account"])
        let account = AccountID(try body.requiredText("account"))
        try store.joinFamily(FamilyID(path["family"]), account)
        return families()
      },
      Route(.post, "/control/families/:family/leave") { request, path throws(SimulatorError) in
        let body = try ControlBody(request, allowed: ["account"])
        let account = AccountID(try body.requiredText("account"))
        try store.leaveFamily(FamilyID(path["family"]), account)
        return families()
      },
      Route(.put, "/control/accounts/:account/sharing") { request, path throws(SimulatorError) in
        let body = try ControlBody(request, allowed: ["isOn"])
        let isOn = try body.require("isOn", try body.bool("isOn"))
        try store.setSharesPurchases(isOn, of: AccountID(path["account"]))
        return families()
      },
    ]
  }

  private var marketRoutes: [Route] {
    [
      Route(.put, "/control/products/:product/price") { request, path throws(SimulatorError) in
        let body = try ControlBody(request, allowed: ["price", "existing", "bundleId"])
        let price = try body.require("price", try body.integer("price"))
        let text = try body.text("existing") ?? PriceChoice.keep.rawValue
        try store.setPrice(
          price,
          of: ProductID(path["product"]),
          existing: try choice(text, "existing"),
          app: try body.text("bundleId").map { BundleID($0) }
        )
        return .json([:])
      },
      Route(.put, "/control/products/:product/sale") { request, path throws(SimulatorError) in
        let body = try ControlBody(request, allowed: ["isForSale", "bundleId"])
        try store.setForSale(
          try body.require("isForSale", try body.bool("isForSale")),
          ProductID(path["product"]),
          app: try body.text("bundleId").map { BundleID($0) }
        )
        return .json([:])
      },
      Route(.put, "/control/grace-period") { request, _ throws(SimulatorError) in
        let body = try ControlBody(request, allowed: ["days", "scope"])
        let scope: GraceSettings.Scope = try choice(try body.text("scope") ?? "all", "scope")
        let days = try body.integer("days") ?? 0
        let settings = days == 0 ? nil : GraceSettings(days: Int(clamping: days), scope: scope)
        try store.setGracePeriod(settings)
        return .json([:])
      },
      Route(.put, "/control/offer-keys/:key") { request, path throws(SimulatorError) in
        let body = try ControlBody(request, allowed: ["publicKey", "bundleId"])
        let text = try body.requiredText("publicKey")
        let der = PEM.blocks(Array(text.utf8))?.first?.der
        guard let key = der ?? Base64.decode(Array(text.utf8), .standard) else {
          throw SimulatorError(.badRequest, "publicKey is neither PEM nor base64")
        }
        try store.addOfferKey(
          DeveloperKeyID(path["key"]),
          publicKey: key,
          app: try body.text("bundleId").map { BundleID($0) }
        )
        return .json([:])
      },
    ]
  }

  private var forceRoutes: [Route] {
    [
      Route(.post, "/control/subscriptions/:id/renew") { _, path throws(SimulatorError) in
        try store.forceRenewal(of: OriginalTransactionID(path["id"]))
        return subscription(OriginalTransactionID(path["id"]))
      },
      Route(.post, "/control/subscriptions/:id/expire") { _, path throws(SimulatorError) in
        try store.expire(OriginalTransactionID(path["id"]))
        return subscription(OriginalTransactionID(path["id"]))
      },
      Route(.post, "/control/subscriptions/:id/raise-price") {
        request,
        path throws(SimulatorError) in
        let body = try ControlBody(request, allowed: ["price", "needsConsent"])
        try store.raisePrice(
          to: try body.require("price", try body.integer("price")),
          of: OriginalTransactionID(path["id"]),
          needsConsent: try body.bool("needsConsent") ?? true
        )
        return subscription(OriginalTransactionID(path["id"]))
      },
      Route(.post, "/control/subscriptions/:id/answer-price") {
        request,
        path throws(SimulatorError) in
        let body = try ControlBody(request, allowed: ["agrees"])
        let agrees = try body.require("agrees", try body.bool("agrees"))
        try store.answerPriceIncrease(agrees, of: OriginalTransactionID(path["id"]))
        return subscription(OriginalTransactionID(path["id"]))
      },
    ]
  }

  private func families() -> HTTPResponse { .json(.array(store.families.map(\.json))) }

  private func record(_ id: TransactionID) -> HTTPResponse {
    .json(["transaction": store.transaction(id)?.json ?? .null])
  }

  private func subscription(_ original: OriginalTransactionID) -> HTTPResponse {
    let records = store.subscriptions.filter { $0.originalTransactionID == original }
    return .json(.array(records.map(\.json)))
  }

  private func choice<Choice: RawRepresentable & CaseIterable>(
    _ text: String,
    _ member: String
  ) throws(SimulatorError) -> Choice where Choice.RawValue == String {
    guard let choice = Choice(rawValue: text) else {
      let known = Choice.allCases.map(\.rawValue).joined(separator: ", ")
      throw SimulatorError(.badRequest, "\(member) is one of \(known)")
    }
    return choice
  }
}

import Foundation
import HTTPValues
import IAPModel

// Codes for offers, and what test sessions delete.
extension ControlRoutes {
  var codeRoutes: [Route] {
    [
      Route(.get, "/control/offer-codes") { _, _ in
        .json(.array(store.offerCodes.map(\.json)))
      },
      Route(.post, "/control/offer-codes") { request, _ throws(SimulatorError) in
        try makeCodes(request)
      },
      Route(.delete, "/control/transactions") { request, _ throws(SimulatorError) in
        try store.clearTransactions(app: request.queryValue("bundleId").map { BundleID($0) })
        return .json([:])
      },
      Route(.delete, "/control/transactions/:id") { _, path throws(SimulatorError) in
        try store.deleteTransaction(TransactionID(path["id"]))
        return .json([:])
      },
    ]
  }

  private func makeCodes(_ request: HTTPRequest) throws(SimulatorError) -> HTTPResponse {
    let body = try ControlBody(
      request,
      allowed: [
        "productId", "offer", "price", "endDate", "bundleId", "code", "redemptionsMax", "count",
      ]
    )
    let terms = OfferCodeTerms(
      productID: ProductID(try body.requiredText("productId")),
      offerName: try body.requiredText("offer"),
      priceMilliunits: try body.integer("price"),
      endDate: try body.integer("endDate").map { Date(milliseconds: $0) }
    )
    let app = try body.text("bundleId").map { BundleID($0) }
    let known = store.offerCodes.count
    switch (try body.text("code"), try body.integer("count")) {
    case (let code?, nil):
      try store.addOfferCode(
        OfferCode(code),
        terms,
        redemptionCountMax: try body.integer("redemptionsMax").map { Int(clamping: $0) },
        app: app
      )
    case (nil, let count?):
      guard !body.has("redemptionsMax") else {
        throw SimulatorError(.badRequest, "codes of a count are redeemed once each")
      }
      _ = try store.makeOneTimeCodes(Int(clamping: count), terms, app: app)
    case (nil, nil), (.some, .some):
      throw SimulatorError(.badRequest, "the body needs either code or count")
    }
    return .json(.array(store.offerCodes.dropFirst(known).map(\.json)))
  }
}

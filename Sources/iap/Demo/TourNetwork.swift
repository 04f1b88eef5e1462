import Foundation
import HTTPClient
import HTTPValues
import IAPKit
import SimulatedApp

extension AppSetup {
  /// The same app, whose purchases are judged by a real server over loopback.
  func judged(by route: TourRoute, client: HTTPClient) -> AppSetup {
    guard let endpoint = URL(string: route.endpoint) else { return self }
    var setup = self
    setup.judge = .server(endpoint: endpoint) { request in
      var headers = HTTPHeaders()
      for (name, value) in request.headers.sorted(by: { $0.key < $1.key }) {
        headers[name] = value
      }
      let call = HTTPOutgoingRequest(
        method: HTTPMethod(rawValue: request.method),
        url: route.target(request.url),
        headers: headers,
        body: request.body,
        timeout: .seconds(request.timeout)
      )
      do throws(HTTPClientError) {
        let response = try await client.send(call)
        return ClientResponse(status: response.status, body: response.body)
      } catch {
        throw IAPError.network(underlying: error)
      }
    }
    return setup
  }

  /// The same app, whose purchases are judged by something that refuses each of them.
  func judgedByRefusals() -> AppSetup {
    var setup = self
    setup.judge = .script { _ in ReceiptValidationResult(isValid: false) }
    return setup
  }
}

extension IAPKit.PurchaseOutcome {
  /// The outcome in one word, for a line of the tour.
  var word: String {
    switch self {
    case .delivered: "delivered"
    case .processing: "processing"
    case .pending: "pending"
    case .scheduled: "scheduled"
    case .alreadyOwned: "already owned"
    case .cancelled: "cancelled"
    case .failed(let error): "failed: \(error.code)"
    }
  }
}

import EntitlementServer
import Foundation
import HTTPClient
import HTTPValues

extension WebhookWorld {
  /// The real time, chance and network: a client of its own, whose answers are short.
  ///
  /// - Parameter allowsLoopback: Whether endpoints may be on this machine.
  /// - Returns: The world.
  static func live(allowsLoopback: Bool) -> WebhookWorld {
    let client = HTTPClient(
      limits: HTTPClientLimits(
        headerBytesMax: 16 * 1024,
        bodyBytesMax: WebhookLimits.responseBytesMax
      )
    )
    return WebhookWorld(
      now: { Date() },
      chance: { Double.random(in: 0..<1) },
      addresses: { await LiveNames.addresses(of: $0) },
      send: { request in
        do throws(HTTPClientError) {
          let response = try await client.send(request)
          return .response(status: response.status, retryAfter: response.headers["Retry-After"])
        } catch {
          return .failure(error.code.rawValue)
        }
      },
      allowsLoopback: allowsLoopback,
      worker: "wrk_" + UUID().uuidString.lowercased()
    )
  }
}

import Foundation
import HTTPClient
import HTTPValues

/// Posts a simulated store's notifications to the app's server.
enum NotificationPost {
  /// How long the app's server may take to answer.
  static let timeout = Duration.seconds(30)

  /// Posts one notification.
  ///
  /// - Returns: The HTTP status; nil without an answer, which the store notes down.
  static func send(_ body: [UInt8], to url: URL, _ client: HTTPClient) async -> Int? {
    let request = HTTPOutgoingRequest(
      method: .post,
      url: url.absoluteString,
      headers: ["Content-Type": "application/json"],
      body: body,
      timeout: timeout
    )
    do throws(HTTPClientError) {
      return try await client.send(request).status
    } catch {
      return nil
    }
  }
}

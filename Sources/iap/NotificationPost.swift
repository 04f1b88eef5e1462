import AppStoreSimulator
import Foundation
import HTTPClient
import HTTPValues

/// Posts a simulated store's notifications to the app's server.
enum NotificationPost {
  /// How long the app's server may take to answer.
  static let timeout = Duration.seconds(30)

  /// Posts one notification.
  ///
  /// - Returns: The HTTP status, or why there is none, which the store notes down.
  static func send(
    _ body: [UInt8],
    to url: URL,
    _ client: HTTPClient
  ) async -> NotificationReply {
    let request = HTTPOutgoingRequest(
      method: .post,
      url: url.absoluteString,
      headers: ["Content-Type": "application/json"],
      body: body,
      timeout: timeout
    )
    do throws(HTTPClientError) {
      return .answered(try await client.send(request).status)
    } catch {
      return .failed(result(of: error))
    }
  }

  /// Apple's word for the failure.
  private static func result(of error: HTTPClientError) -> SendAttemptResult {
    switch error.code {
    case .timedOut: .timedOut
    case .encryptionFailed: .tlsIssue
    case .hostNotFound, .connectFailed, .urlInvalid: .socketIssue
    case .connectionLost: .prematureClose
    case .responseTooLarge, .responseMalformed: .invalidResponse
    default: .other
    }
  }
}

import Foundation
import HTTPValues
import IAPModel
import IAPSignatures
import ServerStorage

/// An event as it is sent and shown: the body, and the header fields that prove where it is from.
///
/// - **Source:** Standard Webhooks 1.0: `webhook-id`, `webhook-timestamp`, `webhook-signature`, and
///   a body of `type`, `timestamp` and `data`.
struct WebhookMessage: Sendable {
  let event: EventRecord
  let isSimulated: Bool

  /// The members of an event; the same in a webhook and in the feed.
  var object: JSONObject {
    var object: JSONObject = [
      "type": .string(event.type.rawValue),
      "timestamp": .string(Self.text(event.createdDate)), "id": .string(event.id.rawValue),
      "created": .integer(event.createdDate.milliseconds), "app": .string(event.app.rawValue),
    ]
    if event.number > 0 { object["sequence"] = .integer(event.number) }
    object["environment"] = event.environment.map { .string($0.rawValue) }
    object["customer"] = event.customer.map { .string($0.rawValue) }
    if isSimulated { object["simulated"] = true }
    object["data"] = .object(event.data)
    return object
  }

  /// An instant in the words of the specification.
  private static func text(_ date: Date) -> String {
    Date.ISO8601FormatStyle(includingFractionalSeconds: true).format(date)
  }

  /// The request that carries it.
  ///
  /// - Parameters:
  ///   - address: Where to.
  ///   - pin: The address that the host stands for.
  ///   - secrets: The secrets that sign; the newest first.
  ///   - now: When it is sent.
  ///   - authenticator: Makes the signatures.
  ///   - timeout: How long the answer may take.
  ///   - trace: The chain of work that it belongs to.
  /// - Returns: The request.
  func request(
    to address: WebhookAddress,
    pin: String,
    secrets: [WebhookSecret],
    at now: Date,
    _ authenticator: MessageAuthenticator,
    timeout: Duration,
    trace: TraceContext? = nil
  ) -> HTTPOutgoingRequest {
    let body = object.serialized
    let seconds = "\(Int64(now.timeIntervalSince1970))"
    let signed = Array("\(event.id).\(seconds).".utf8) + body
    let signatures = secrets.map { secret in
      "v1," + Base64.encode(authenticator.code(signed, key: secret.bytes), .standard)
    }
    var headers: HTTPHeaders = [
      "Content-Type": "application/json", "User-Agent": "IAPKit-Webhooks/1",
      "webhook-id": event.id.rawValue, "webhook-timestamp": seconds,
      "webhook-signature": signatures.joined(separator: " "),
    ]
    if let trace { headers[TraceContext.headerName] = trace.header }
    return HTTPOutgoingRequest(
      method: .post,
      url: address.url,
      headers: headers,
      body: body,
      timeout: timeout,
      pin: HTTPAddressPin(host: address.bareHost, port: address.port, address: pin)
    )
  }
}

public import HTTPValues

/// Sends requests to other servers, with libcurl.
///
/// All transfers run on one thread of the client's own, never on the shared pool. Redirects are not
/// followed and the environment's proxies are not used: where a request goes is what its caller
/// said. Connections are kept and used again. Cancelling the task that waits ends the transfer.
public final class HTTPClient: Sendable {
  private let loop: TransferLoop

  /// Makes a client with a thread that lives as long as the client.
  ///
  /// - Parameters:
  ///   - limits: How much is taken from a server.
  ///   - proxy: The URL of a proxy for all requests; nil for none.
  public init(limits: HTTPClientLimits = .standard, proxy: String? = nil) {
    loop = TransferLoop(limits: limits, proxy: proxy)
    loop.start()
  }

  deinit { loop.stop() }

  /// Sends a request and waits for the whole response.
  ///
  /// - Parameter request: What to send, where to, and how long it may take.
  /// - Returns: The response, whatever its status.
  /// - Throws: ``HTTPClientError`` when there is no whole response.
  public func send(
    _ request: HTTPOutgoingRequest
  ) async throws(HTTPClientError) -> HTTPResponse {
    guard Self.isAbsolute(request.url) else {
      throw HTTPClientError(.urlInvalid, "the address is not an absolute http or https URL")
    }
    let ticket = loop.makeTicket()
    defer { loop.forget(ticket) }
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        loop.submit(TransferJob(ticket: ticket, request: request, continuation: continuation))
      }
    } onCancel: {
      loop.cancel(ticket)
    }
    return try result.get()
  }

  private static func isAbsolute(_ url: String) -> Bool {
    let lowered = url.prefix(8).lowercased()
    let hasScheme = lowered.hasPrefix("http://") || lowered.hasPrefix("https://")
    return hasScheme && url.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F }
  }
}

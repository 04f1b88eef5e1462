public import Foundation
public import HTTPValues

/// What sending webhooks takes from outside.
public struct WebhookWorld: Sendable {
  /// The wall clock, even where the server follows a simulated store's: receivers compare it with
  /// theirs.
  public var now: @Sendable () -> Date
  /// Chance, from 0 to below 1.
  public var chance: @Sendable () -> Double
  /// The numeric addresses of a host.
  public var addresses: @Sendable (String) async -> [String]
  /// Sends a request to its pinned address, follows no redirect, and reads a short answer.
  public var send: @Sendable (HTTPOutgoingRequest) async -> WebhookReply
  /// Whether endpoints may be on this machine, without encryption: for tests.
  public var allowsLoopback: Bool
  /// The name of this worker, another one in each process.
  public var worker: String

  /// Makes a world.
  ///
  /// - Parameters:
  ///   - now: The wall clock.
  ///   - chance: Chance, from 0 to below 1.
  ///   - addresses: The numeric addresses of a host.
  ///   - send: Sends a request.
  ///   - allowsLoopback: Whether endpoints may be on this machine.
  ///   - worker: The name of this worker.
  public init(
    now: @escaping @Sendable () -> Date,
    chance: @escaping @Sendable () -> Double,
    addresses: @escaping @Sendable (String) async -> [String],
    send: @escaping @Sendable (HTTPOutgoingRequest) async -> WebhookReply,
    allowsLoopback: Bool,
    worker: String
  ) {
    self.now = now
    self.chance = chance
    self.addresses = addresses
    self.send = send
    self.allowsLoopback = allowsLoopback
    self.worker = worker
  }
}

/// What came of an attempt to send something.
public enum WebhookReply: Hashable, Sendable {
  /// An answer came.
  case response(status: Int, retryAfter: String?)
  /// No answer came; why, as a stable word.
  case failure(String)

  /// Whether the event has arrived.
  var isSuccess: Bool {
    switch self {
    case .response(let status, _): (200...299).contains(status)
    case .failure: false
    }
  }

  /// Whether the endpoint says that it is no more.
  var isGone: Bool {
    switch self {
    case .response(let status, _): status == 410
    case .failure: false
    }
  }
}

import Foundation
import HTTPValues
import IAPModel
import Synchronization

/// What the HTTP face of a store keeps beside the store's ledger: rates, faults, refused tokens.
///
/// - **Concurrency:** safe from any thread.
final class ServerAPIDesk: Sendable {
  private let state: Mutex<State>
  /// The real time, by which tokens and rates are measured.
  let wallClock: @Sendable () -> Date

  private struct State {
    var limits: RateLimits
    var windows: [RateWindow.Key: RateWindow] = [:]
    var apiFault: APIFault?
    var receiptFault: ReceiptFault?
    var refusals: [TokenRefusal] = []
  }

  /// How many refused tokens are remembered.
  static let refusalCountMax = 100

  init(limits: RateLimits, wallClock: @escaping @Sendable () -> Date) {
    state = Mutex(State(limits: limits))
    self.wallClock = wallClock
  }

  var limits: RateLimits { state.withLock { $0.limits } }

  /// Changes the limits; what was counted is forgotten.
  func setLimits(_ limits: RateLimits) {
    state.withLock { state in
      state.limits = limits
      state.windows = [:]
    }
  }

  /// Counts a request.
  ///
  /// - Returns: When to come again; nil when the request is within its limit.
  func count(_ kind: RateKind, of app: BundleID, in environment: StoreEnvironment) -> Date? {
    let now = wallClock()
    return state.withLock { state in
      guard let most = state.limits.requestsPerHour(kind, environment) else { return nil }
      let key = RateWindow.Key(app: app, kind: kind)
      var window = state.windows[key] ?? RateWindow(start: now)
      if now >= window.end { window = RateWindow(start: now) }
      guard window.count < most else { return window.end }
      window.count += 1
      state.windows[key] = window
      return nil
    }
  }

  var refusals: [TokenRefusal] { state.withLock { $0.refusals } }

  func note(_ refusal: TokenRefusal) {
    state.withLock { state in
      state.refusals.append(refusal)
      if state.refusals.count > Self.refusalCountMax { state.refusals.removeFirst() }
    }
  }

  func setFault(_ fault: APIFault?) { state.withLock { $0.apiFault = fault } }

  func setReceiptFault(_ fault: ReceiptFault?) { state.withLock { $0.receiptFault = fault } }

  func takeFault() -> HTTPResponse? {
    state.withLock { state in
      guard let fault = state.apiFault else { return nil }
      state.apiFault = fault.after
      return fault.response
    }
  }

  func takeReceiptFault() -> HTTPResponse? {
    state.withLock { state in
      guard let fault = state.receiptFault else { return nil }
      state.receiptFault = fault.after
      return fault.response
    }
  }
}

/// Why a token was refused, for whoever looks for the mistake.
struct TokenRefusal: Hashable, Sendable {
  let date: Date
  let path: String
  let reason: SignedRequest.Refusal

  var json: JSONValue {
    [
      "date": .integer(date.milliseconds), "path": .string(path),
      "reason": .string(reason.rawValue),
    ]
  }
}

/// Answers of the App Store Server API that go wrong.
struct APIFault: Hashable, Sendable {
  /// A number of Apple's, or an HTTP status without a body.
  enum Answer: Hashable, Sendable {
    case number(Int64)
    case status(Int)
  }

  let answer: Answer
  /// How many requests it meets.
  let count: Int

  var after: APIFault? { count > 1 ? APIFault(answer: answer, count: count - 1) : nil }

  var response: HTTPResponse {
    switch answer {
    case .number(let code):
      ServerAPIAnswer(code: code, message: "as the control interface wants it").response
    case .status(let status): HTTPResponse(status: status)
    }
  }
}

/// Answers of `verifyReceipt` that go wrong.
struct ReceiptFault: Hashable, Sendable {
  let status: Int64
  let isRetryable: Bool?
  let count: Int

  var after: ReceiptFault? {
    count > 1 ? ReceiptFault(status: status, isRetryable: isRetryable, count: count - 1) : nil
  }

  var response: HTTPResponse {
    var members = WireMembers()
    members.integer("status", status)
    if let isRetryable { members.bool("is_retryable", isRetryable) }
    return .json(.object(members.object))
  }
}

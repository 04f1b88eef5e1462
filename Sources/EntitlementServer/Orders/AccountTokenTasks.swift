import AppStoreServerAPI
import Foundation
import IAPEntitlements
import IAPModel
import ServerStorage

/// Tells the App Store whose a purchase is that was made without a token and claimed later, so that
/// its renewals carry the token.
///
/// The task is filed in the write that claims the purchase, so none is lost; whether it is still
/// right is looked at when it is done. Setting the same token again changes nothing, so a process
/// that ends in between does it once more.
///
/// - **Source:** App Store Server API, "Set App Account Token"; decision 0343.
struct AccountTokenTasks: Sendable {
  let parts: ServerParts

  enum State: String, Hashable, Sendable, CaseIterable {
    case pending, done
    /// Another customer has the purchase by now, or it carries a token.
    case notNeeded
    /// The App Store refuses it, or was tried too often; people have to look.
    case failed
  }

  /// The most attempts; with growing waits they take three days.
  static let attemptsMax: Int64 = 20
  /// How long before the second attempt, in seconds; each further one waits twice as long.
  static let retrySeconds: TimeInterval = 60
  /// The longest wait, in seconds.
  static let retrySecondsMax: TimeInterval = 4 * 3600
  /// How long one server has a task for itself, in seconds.
  static let leaseSeconds: TimeInterval = 600

  private static func key(_ subject: LedgerSubject) -> DocumentKey {
    DocumentKey(
      .tokenTask,
      app: subject.scope.app,
      name: "\(subject.scope.environment):\(subject.original)"
    )
  }

  /// The wish to tell the App Store of a purchase that is being claimed; none when it carries a
  /// token, when there is no token to set, or nobody can be told.
  func wishes(
    _ proof: PurchaseProof,
    _ order: OrderNumber?,
    _ customer: CustomerID,
    _ now: Date
  ) async throws(ServerError) -> [DocumentWrite] {
    let transaction = proof.transaction
    let environment = proof.scope.environment
    guard parts.apple[proof.scope.app]?.background != nil,
      environment == .production || environment == .sandbox,
      transaction.appAccountToken == nil, transaction.ownershipType != .familyShared
    else { return [] }
    let (subject, app) = (proof.subject, proof.scope.app)
    let key = Self.key(subject)
    let (token, task) = try await parts.read { reader throws(StorageError) in
      let known = try reader.tokens(of: customer, app: app).first
      return (order?.accountToken ?? known, try reader.document(key))
    }
    guard let token else { return [] }
    if task?.body["token"]?.stringValue == token.description { return [] }
    return [
      DocumentWrite(
        key,
        shelf: State.pending.rawValue,
        body: [
          "environment": .string(environment.rawValue),
          "original": .string(subject.original.rawValue), "token": .string(token.description),
          "asked": .integer(now.milliseconds),
        ],
        condition: task == nil ? .ifAbsent : .always
      )
    ]
  }

  /// Does a task that is due; false when none is.
  func step(_ app: BundleID, at now: Date) async throws(ServerError) -> Bool {
    guard let client = parts.apple[app]?.background else { return false }
    return try await waiting.performFirst(of: app, at: now) { document throws(ServerError) in
      try await perform(document, app, client, now)
    }
  }

  private var waiting: LeasedDocuments {
    LeasedDocuments(parts: parts, kind: .tokenTask, shelf: State.pending.rawValue)
  }

  private func perform(
    _ document: LedgerDocument,
    _ app: BundleID,
    _ client: AppStoreServerClient,
    _ now: Date
  ) async throws(ServerError) -> Bool {
    guard let environment = document.body["environment"]?.stringValue,
      let original = document.body["original"]?.stringValue,
      let token = document.body["token"]?.stringValue.flatMap({ AppAccountToken($0) })
    else { return false }
    let subject = LedgerSubject(
      scope: LedgerScope(app: app, environment: StoreEnvironment(rawValue: environment)),
      original: OriginalTransactionID(original)
    )
    guard try await isNeeded(subject, token) else {
      return try await move(document, to: .notNeeded, now) != nil
    }
    let lease = now.addingTimeInterval(Self.leaseSeconds)
    guard let taken = try await move(document, to: .pending, until: lease, now) else {
      return false
    }
    do throws(AppStoreServerError) {
      _ = try await client.answer(
        to: .setAppAccountToken(token, of: subject.original),
        in: subject.scope.environment
      )
    } catch {
      return try await fail(taken, error, now)
    }
    return try await move(taken, to: .done, now) != nil
  }

  private func fail(
    _ document: LedgerDocument,
    _ error: AppStoreServerError,
    _ now: Date
  ) async throws(ServerError) -> Bool {
    // A server that stops gives the task back at once, and this was no attempt.
    guard error.code != .cancelled else {
      return try await move(document, to: .pending, now) != nil
    }
    var body = document.body
    let attempts = (body["attempts"]?.integerValue ?? 0) + 1
    body["attempts"] = .integer(attempts)
    body["problem"] = .string(error.description)
    let wait = min(Self.retrySecondsMax, Self.retrySeconds * Double(1 << min(attempts - 1, 10)))
    let isOver = error.isNo || attempts >= Self.attemptsMax
    return try await move(
      document,
      saying: body,
      to: isOver ? .failed : .pending,
      until: isOver ? nil : max(error.retryAt ?? now, now.addingTimeInterval(wait)),
      now
    ) != nil
  }

  /// Whether the token is one of the owner's, and the purchase carries none.
  private func isNeeded(
    _ subject: LedgerSubject,
    _ token: AppAccountToken
  ) async throws(ServerError) -> Bool {
    try await parts.read { reader throws(StorageError) in
      guard try !reader.isErased(subject),
        let owner = try reader.owner(of: subject)?.customer
      else { return false }
      let app = subject.scope.app
      let order = try reader.order(OrderNumber(token.rawValue), app: app)
      let named = try reader.customer(of: token, app: app)
      // An order of nobody belongs to who has its purchase.
      guard order.map({ ($0.customer ?? owner) == owner }) ?? (named == owner) else {
        return false
      }
      let history = StoreHistory(
        try reader.facts(of: subject),
        environment: .only(subject.scope.environment)
      )
      return history.transactions.last?.payload.appAccountToken == nil
    }
  }

  private func move(
    _ document: LedgerDocument,
    saying words: JSONObject? = nil,
    to state: State,
    until date: Date? = nil,
    _ now: Date
  ) async throws(ServerError) -> LedgerDocument? {
    let moved = try await waiting.move(
      document,
      saying: words,
      to: state.rawValue,
      until: date,
      now
    )
    guard let moved else { return nil }
    if state != .pending {
      parts.metrics.count(.tokenTasks, ["state": state.rawValue])
      parts.world.log(
        ServerEvent(
          state == .failed ? .error : .info,
          "accountToken",
          [
            .init("app", document.key.app?.rawValue ?? ""), .init("state", state.rawValue),
            .init("problem", moved.body["problem"]?.stringValue ?? ""),
          ]
        )
      )
    }
    return moved
  }
}

extension ServerMetrics.Counter {
  static let tokenTasks = Self(
    name: "iap_account_token_tasks_total",
    help: "Purchases claimed later whose token the App Store was told, or could not be."
  )
}
